"""The models: an OpenAI-compatible server, and the offline playbooks."""
