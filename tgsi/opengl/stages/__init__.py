"""Stages from several programs: program pipelines and subroutines."""
