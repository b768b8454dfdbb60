"""Which machine answers, and which shell: both are asked before a command is sent."""

from walissh.errors import MachineChangedError, ShellError
from walissh.react.host import Host
from walissh.react.turn import Risk
from walissh.safety import risk
from walissh.ssh.hosts import Endpoints


def recognise(endpoints: Endpoints, host: Host, told: str) -> None:
    """Let the machine that calls itself *told* pass for *host*, or raise MachineChangedError.

    The first one under a trusted key is kept. One that never told an id goes on by its key
    alone; one that did and tells none now is another machine as well.
    """
    if told == host.machine_id and not host.seen_machine_id:
        return
    known = endpoints.meet_machine(host.id, told)
    if known != told:
        raise _changed(host, known, told)


def refuse_other_meaning(host: Host, command: str) -> None:
    """Refuse what would do more harm under sh than under bash, by which it was judged."""
    meant, means = risk.classify(command).risk, _under_sh(command)
    if risk.SEVERITY.index(means) > risk.SEVERITY.index(meant):
        raise ShellError(
            f"{host.name}: this host has no bash, and under its sh the command means something"
            f" else ({means.value} instead of {meant.value}). Nothing was run. Write it for sh,"
            " or install bash there.",
            host=host.name,
            phase="run",
        )


def _under_sh(command: str) -> Risk:
    return risk.classify(command).risk


def _changed(host: Host, known: str, told: str) -> MachineChangedError:
    return MachineChangedError(
        f"{host.name}: another machine answers under the trusted key (its machine id was"
        f" {known}, now {told or 'none'}). Nothing was run. If you rebuilt or replaced it,"
        " accept the new machine on the host page.",
        host=host.name,
        known=known,
        seen=told,
    )
