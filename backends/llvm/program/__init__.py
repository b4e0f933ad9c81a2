"""What is known of a program before code is written."""
