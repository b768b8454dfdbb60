"""WaLiSSH: a self-hosted browser AI shell for operations engineers."""

__version__ = "0.1.0"
