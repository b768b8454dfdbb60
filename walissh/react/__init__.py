"""The turn of the agent: plain Python, no framework, no driver."""
