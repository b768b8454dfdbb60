"""The processes: starting, watching and ending the parts of one installation."""
