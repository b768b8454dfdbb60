"""The web part: this process becomes gunicorn."""

import os
import sys

from walissh.config import Settings

GRACE_S = 2
"""Open event streams get this long at the end; the default would be 30 s."""


def command(settings: Settings, descriptor: int | None) -> list[str]:
    """Return gunicorn's command line; *descriptor* is an open listening socket, if any."""
    bind = settings.bind if descriptor is None else f"fd://{descriptor}"
    return [
        *(sys.executable, "-P", "-m", "gunicorn"),
        *("--config", "python:walissh.service.gunicorn_conf"),
        *("--bind", bind),
        *("--worker-class", "gthread"),
        *("--threads", str(settings.web_threads)),
        *("--graceful-timeout", str(GRACE_S)),
        "--no-control-socket",
        *("--log-level", "warning"),
        "walissh.web:create_app()",
    ]


def run(settings: Settings, descriptor: int | None) -> None:
    """Become gunicorn; does not return."""
    line = command(settings, descriptor)
    os.execv(line[0], line)  # noqa: S606  a list of arguments, no shell
