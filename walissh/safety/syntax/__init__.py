"""How a command line becomes the values of ``safety.shell``."""
