"""Logs: plain lines on standard error, which ``walissh up`` puts into a file per part."""

import logging
import os
import sys
from typing import NoReturn

from walissh.safety import redact


class Redacting(logging.Formatter):
    """Formats a record without the secrets in its text and its traceback.

    A library may say in an error what it was given; no line of ours does.
    """

    def format(self, record: logging.LogRecord) -> str:
        """Return the line, or lines, as they may be kept."""
        return redact.redact(super().format(record))


def to_stderr(level: int = logging.INFO, *, plain: bool = False) -> None:
    """Write log lines of *level* and above to standard error."""
    form = "walissh: %(message)s" if plain else "%(asctime)s %(levelname)s %(name)s: %(message)s"
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(Redacting(form))
    logging.basicConfig(handlers=[handler], level=level)
    for chatty in ("alembic", "paramiko", "rq.worker", "httpx", "httpx2", "httpcore2", "openai"):
        logging.getLogger(chatty).setLevel(logging.WARNING)


def end_process() -> NoReturn:
    """End with exit code 0, now: taking a big interpreter down can take seconds."""
    logging.shutdown()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)
