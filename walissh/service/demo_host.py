"""The demo host's process: keys made at each start, known to this process only."""

import logging

from flask import Flask

from walissh.config import Settings
from walissh.service import home
from walissh.ssh import demo, keys
from walissh.store import hosts, people

logger = logging.getLogger(__name__)


def run(app: Flask, settings: Settings) -> None:
    """Serve until a signal comes; enter the server as the administrator's host."""
    client, server = keys.generate("demo"), keys.generate("demo host")

    def enter(port: int) -> None:
        with app.app_context():
            owner = people.first_admin()
            hosts.register_demo(owner.id, port, client.private, keys.parse_public(server.public))
        home.demo_ready(settings.home).touch()
        logger.info("demo host ready port=%s", port)

    try:
        demo.serve(client.public, server.private, enter)
    finally:
        home.demo_ready(settings.home).unlink(missing_ok=True)
