"""What the driver asks of whoever keeps the servers and their secrets."""

from typing import Protocol

from walissh.react.host import Endpoint, Host, HostKey


class Endpoints(Protocol):
    """Servers with their secrets; all calls are made in the thread that runs a command."""

    def endpoint(self, host_id: str) -> Endpoint:
        """Return the server with its chain of hops; raises NotFoundError."""

    def remember_seen_key(self, host_id: str, key: HostKey) -> None:
        """Keep the key that a server (or hop) showed and that is not the trusted one."""

    def meet_machine(self, host: Host, told: str) -> str | None:
        """Keep what the machine calls itself, and return the id by which the host is known.

        *told* becomes that id if there was none; another one is only kept as seen. None, and
        nothing is kept, if *host* was changed or removed since it was read.
        """

    def sudo_password(self, host_id: str, run_id: str) -> str | None:
        """Return what sudo is told there in this run, None if nothing; raises SealError."""


def route(endpoint: Endpoint) -> tuple[tuple[str, int], ...]:
    """Return (id, revision) of every hop and the host itself, the host last.

    Two endpoints with the same route may share a connection.
    """
    before = route(endpoint.jump) if endpoint.jump else ()
    return (*before, (endpoint.host.id, endpoint.host.revision))
