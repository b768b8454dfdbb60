"""What a message refers to by other words than a name: "the other one", "那台", "both"."""

from collections.abc import Sequence

from walissh.react.host import Host
from walissh.react.turn import Meant


def resolve(text: str, recent: Sequence[str], hosts: Sequence[Host]) -> Meant | None:
    """Return the hosts that *text* means, None if it points at none.

    *recent* are the hosts talked about, the current one first; *hosts* those of the session.
    Several hosts in the answer mean that it could be any of them.
    """
    return None


def service(text: str) -> str:
    """Return the program that *text* names, "" if it names none."""
    return ""
