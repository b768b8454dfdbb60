"""What is remembered over sessions and restarts, and how it is found again."""
