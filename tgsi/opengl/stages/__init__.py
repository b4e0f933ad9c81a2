"""Program pipelines, which combine stages of several programs, and subroutines."""
