"""SSH: connections, keys, and running one command on one host."""
