"""Jobs of the queue ``commands``."""

from walissh import wiring
from walissh.errors import ShellError
from walissh.react import agent


def act(command_id: str) -> None:
    """Run one approved command."""
    agent.act(wiring.parts(), command_id)


def check_host(host_id: str) -> None:
    """Contact a host and keep how it went."""
    parts = wiring.parts()
    try:
        parts.shell.check(host_id)
    except ShellError as error:
        parts.hosts.record_check(host_id, error)
    else:
        parts.hosts.record_check(host_id, None)
