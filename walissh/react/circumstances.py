"""What besides its text decides about a command: who asks, where, when, under which rules."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from walissh.memory.rules.rule import StandingRule
    from walissh.react.host import Host

ADMIN, OPERATOR, VIEWER = "admin", "operator", "viewer"
ROLES = (ADMIN, OPERATOR, VIEWER)
"""Who may do what: an admin rules, an operator asks and approves, a viewer reads."""


MACHINE_CHARS = 8
"""So much of a machine's id tells machines apart, beside the fingerprint of the key."""


class HostGate(StrEnum):
    """What a host says for itself: reading runs unasked, all is asked for, or only reading."""

    USUAL = ""
    ASK = "ask"
    READ_ONLY = "read_only"


@dataclass(frozen=True, slots=True)
class Flag:
    """An order found in what a host printed: the *text* itself and the *kind* of order."""

    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class GateRule:
    """A rule of the gate; each field that is not empty must fit.

    *decision* is allow, ask or deny. *command* is the exact command, or its words with ``*``
    for any one word. *risk* is a class of risk. A rule for a *host_id* binds only while the
    host is the machine that *host_identity* names. *group* is a group or stage. *role* is
    that of the person who asks. *hours* are as people write them ("mon-fri 9:00-18:00
    Asia/Shanghai"). *everyone*: made by an admin for all people.
    """

    id: str
    owner_id: str
    decision: str
    command: str = ""
    risk: str = ""
    host_id: str = ""
    host_identity: str = ""
    group: str = ""
    role: str = ""
    hours: str = ""
    everyone: bool = False
    note: str = ""
    command_id: str = ""
    created_at: datetime | None = None
    expires_at: datetime | None = None


def identity_of(host: "Host") -> str:
    """Return the text that approval, result, audit and rules know a command's target by."""
    key = host.trusted_key.fingerprint if host.trusted_key else "no trusted key"
    machine = f" machine {host.machine_id[:MACHINE_CHARS]}" if host.machine_id else ""
    return f"{host.user}@{host.address}:{host.port} {key}{machine}"


def is_of(identity: str, host: "Host") -> bool:
    """Tell whether *identity* is the host's, or was before its machine first told its id."""
    now = identity_of(host)
    return identity == now or now.startswith(f"{identity} machine ")


def is_another_machine(host: "Host") -> bool:
    """Tell whether what answers as *host* now is not the machine that was trusted."""
    return bool(host.seen_machine_id) and host.seen_machine_id != host.machine_id


@dataclass(frozen=True, slots=True)
class Circumstances:
    """Who asks for a command, in what kind of session, when, and what binds them.

    *flagged*: an output of this talk gives orders, so nothing but plain reading runs unasked.
    *standing* are the person's own rules out of core memory. *sudo_unmet* are the ids of hosts
    whose sudo wants a password that is not known.
    """

    role: str = OPERATOR
    read_only_session: bool = False
    flagged: bool = False
    at: datetime | None = None
    rules: "tuple[GateRule, ...]" = ()
    standing: "tuple[StandingRule, ...]" = ()
    sudo_unmet: frozenset[str] = frozenset()
