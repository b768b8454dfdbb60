"""The demo host's process: keys made at each start, known to this process only."""

import logging
from pathlib import Path

from flask import Flask

from walissh.config import Settings
from walissh.ssh import demo, keys
from walissh.store import hosts, people

logger = logging.getLogger(__name__)


def ready_file(settings: Settings) -> Path:
    """Return the file that is there while the demo host of this start can be used."""
    return settings.home / "demo-host.ready"


def run(app: Flask, settings: Settings) -> None:
    """Serve until a signal comes; enter the server as the administrator's host."""
    client, server = keys.generate("demo"), keys.generate("demo host")

    def enter(port: int) -> None:
        with app.app_context():
            owner = people.first_admin()
            hosts.register_demo(owner.id, port, client.private, keys.parse_public(server.public))
        ready_file(settings).touch()
        logger.info("demo host ready port=%s", port)

    try:
        demo.serve(client.public, server.private, enter)
    finally:
        ready_file(settings).unlink(missing_ok=True)
