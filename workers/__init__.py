"""RQ jobs: each takes ids, does one step, and queues the next."""
