"""Settings of gunicorn that its command line cannot say."""

import os
from typing import Any

from walissh.service import orphan


def on_starting(_server: Any) -> None:
    """Tie the master to ``walissh up``."""
    orphan.follow_named()


def post_fork(_server: Any, _worker: Any) -> None:
    """Tie each worker to its master, so that none keeps the port when that is killed."""
    orphan.follow(os.getppid())
