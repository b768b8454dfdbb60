"""Which machine answers: asked after its key was verified, before a command is sent."""

from walissh.errors import MachineChangedError, ShellError
from walissh.react.host import Host
from walissh.ssh.hosts import Endpoints


def recognise(endpoints: Endpoints, host: Host, told: str) -> None:
    """Let the machine that calls itself *told* pass for *host*, or raise MachineChangedError.

    The first one under a trusted key is kept. One that never told an id goes on by its key
    alone; one that did and tells none now is another machine as well.
    """
    if told == host.machine_id and not host.seen_machine_id:
        return
    known = endpoints.meet_machine(host, told)
    if known is None:
        raise changed_since(host)
    if known != told:
        raise _another(host, known, told)


def changed_since(host: Host) -> ShellError:
    """Return what to raise when *host* is no longer what the command was meant for."""
    return ShellError(
        f"{host.name}: the host was changed or removed after the command was proposed."
        " Nothing was run. Ask again.",
        host=host.name,
        phase="host_key",
    )


def _another(host: Host, known: str, told: str) -> MachineChangedError:
    return MachineChangedError(
        f"{host.name}: another machine answers under the trusted key (its machine id was"
        f" {known}, now {told or 'none'}). Nothing was run. If you rebuilt or replaced it,"
        " accept the new machine on the host page.",
        host=host.name,
        known=known,
        seen=told,
    )
