"""A password for sudo that comes with an approval: from a page, or by the API."""

from collections.abc import Iterator
from contextlib import contextmanager

from walissh.react.turn import CommandRun
from walissh.ssh import sudo as asking
from walissh.store import sudo


@contextmanager
def lent(command_id: str, user_id: str, password: str, *, keep: bool = False) -> Iterator[None]:
    """Have *password* there before the approval inside, which may set the command off at once.

    Where the command waits on after it, nothing is kept of what was lent to it. With *keep*
    the host has it from now on, once the approval went through and not before.
    """
    if not password:
        yield
        return
    sudo.lend(command_id, user_id, password)
    try:
        yield
    finally:
        sudo.take_back(command_id)
    if keep:
        sudo.keep_approved(command_id, user_id, password)


def asks_sudo(run: CommandRun) -> bool:
    """Tell whether a waiting command may want a password for sudo that nobody gave yet."""
    as_root = run.host_identity.startswith("root@")
    return not as_root and asking.wants(run.command) and not sudo.is_known(run.host_id)
