"""Logs: plain lines on standard error, which ``walissh up`` puts into a file per part."""

import logging
import sys


def to_stderr(level: int = logging.INFO, *, plain: bool = False) -> None:
    """Write log lines of *level* and above to standard error."""
    form = "walissh: %(message)s" if plain else "%(asctime)s %(levelname)s %(name)s: %(message)s"
    logging.basicConfig(stream=sys.stderr, level=level, format=form)
    for chatty in ("alembic", "paramiko", "rq.worker", "httpx", "httpx2", "httpcore2", "openai"):
        logging.getLogger(chatty).setLevel(logging.WARNING)
