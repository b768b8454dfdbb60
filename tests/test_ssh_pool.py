"""Connections: shared, limited, found dead, closed when idle."""

import socket
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import paramiko
import pytest

from tests.sshd import Runner, Sshd, SshdFactory
from walissh.errors import ShellError
from walissh.react.host import Endpoint
from walissh.ssh.link import MAX_CHANNELS, Link
from walissh.ssh.pool import Pool
from walissh.ssh.wire import Wire

pytest_plugins = ("tests.sshd",)


@pytest.fixture
def pool() -> Iterator[Pool]:
    made = Pool()
    yield made
    made.close()


def lease(pool: Pool, server: Sshd, **changes: object) -> Link:
    link = pool.lease(server.endpoint(**changes))  # type: ignore[arg-type]
    assert link is not None
    return link


def eventually(fact: "object", limit_s: float = 5) -> bool:
    until = time.monotonic() + limit_s
    while time.monotonic() < until:
        if fact():  # type: ignore[operator]
            return True
        time.sleep(0.02)
    return False


def test_commands_share_a_connection(pool: Pool, sshd: Sshd) -> None:
    assert lease(pool, sshd) is lease(pool, sshd)


def test_the_ninth_command_gets_another_connection(pool: Pool, sshd: Sshd) -> None:
    links = [lease(pool, sshd) for _ in range(MAX_CHANNELS + 1)]
    assert len(set(links[:MAX_CHANNELS])) == 1
    assert links[MAX_CHANNELS] is not links[0]


def test_a_place_that_is_given_back_is_used_again(pool: Pool, sshd: Sshd) -> None:
    links = [lease(pool, sshd) for _ in range(MAX_CHANNELS)]
    links[0].give_back()
    assert lease(pool, sshd) is links[0]


def test_another_revision_of_a_host_gets_another_connection(pool: Pool, sshd: Sshd) -> None:
    assert lease(pool, sshd) is not lease(pool, sshd, revision=2)


def test_a_host_behind_another_hop_gets_another_connection(pool: Pool, sshd: Sshd) -> None:
    links = {
        pool.lease(sshd.endpoint(jump=sshd.endpoint("gate", revision=number)))
        for number in (1, 1, 2)
    }
    assert len(links) == 2


def test_a_host_that_allows_fewer_sessions_serves_all(
    ssh_run: Runner, sshd_factory: SshdFactory
) -> None:
    narrow = sshd_factory(MaxSessions=2).endpoint()
    with ThreadPoolExecutor(6) as threads:
        jobs = [threads.submit(ssh_run, narrow, f"sleep 0.3; echo {n}") for n in range(6)]
        assert [job.result().text for job in jobs] == [f"{n}\n" for n in range(6)]


def test_a_host_that_allows_no_session_is_told(ssh_run: Runner, sshd_factory: SshdFactory) -> None:
    with pytest.raises(ShellError, match="MaxSessions") as raised:
        ssh_run(sshd_factory(MaxSessions=0).endpoint(), "true")
    assert (raised.value.phase, raised.value.started) == ("open_channel", False)


def test_a_connection_that_broke_while_idle_is_replaced(
    ssh_run: Runner, sshd: Sshd, pool: Pool
) -> None:
    endpoint = sshd.endpoint()
    ssh_run(endpoint, "true")
    link = ssh_run.pool.lease(endpoint)
    assert link is not None
    link.give_back()
    link.transport.close()
    assert ssh_run(endpoint, "echo again").text == "again\n"


def test_a_slow_host_holds_up_no_other(pool: Pool, sshd: Sshd) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        slow = sshd.endpoint("slow", port=int(silent.getsockname()[1]))
        stop = threading.Event()
        waiting = threading.Thread(target=lambda: pool.lease(slow, gave_up=stop.is_set))
        waiting.start()
        begun = time.monotonic()
        lease(pool, sshd)
        assert time.monotonic() - begun < 3
        assert waiting.is_alive()
        stop.set()
        waiting.join()


def test_an_idle_connection_is_closed(sshd: Sshd) -> None:
    pool = Pool(idle_s=0.2)
    link = lease(pool, sshd)
    link.give_back()
    assert eventually(lambda: not link.transport.is_active())
    pool.close()


def test_a_used_connection_is_not_closed_as_idle(sshd: Sshd) -> None:
    pool = Pool(idle_s=0.2)
    link = lease(pool, sshd)
    time.sleep(0.6)
    assert link.alive
    pool.close()


def test_an_idle_chain_is_closed_from_its_end(sshd: Sshd) -> None:
    pool = Pool(idle_s=0.2)
    gate = sshd.endpoint("gate")
    link, hop = pool.lease(sshd.endpoint(jump=gate)), pool.lease(gate)
    assert link is not None and hop is not None
    hop.give_back()
    link.give_back()
    assert eventually(lambda: not link.transport.is_active() and not hop.transport.is_active())
    pool.close()


def test_a_retired_connection_lets_its_commands_end(pool: Pool, sshd: Sshd) -> None:
    link = lease(pool, sshd)
    pool.retire(link.endpoint.host.id)
    assert link.transport.is_active()
    assert lease(pool, sshd) is not link
    link.give_back()
    assert not link.transport.is_active()


def test_connections_of_an_edited_host_are_closed_when_idle(sshd: Sshd) -> None:
    pool = Pool(idle_s=0.2)
    old = lease(pool, sshd)
    lease(pool, sshd, revision=2)
    old.give_back()
    assert eventually(lambda: not old.transport.is_active())
    pool.close()


def test_a_pool_starts_no_thread_before_its_first_command() -> None:
    before = set(threading.enumerate())
    pool = Pool()
    assert set(threading.enumerate()) <= before
    pool.close()


# --- errors that nobody foresaw -------------------------------------------------------

unforeseen = pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")


def active(server: Sshd) -> list[paramiko.Transport]:
    """Return this process's connections to *server*."""
    found = [each for each in threading.enumerate() if isinstance(each, paramiko.Transport)]
    return [each for each in found if each.is_active() and peer(each)[1] == server.port]


def connecting() -> list[threading.Thread]:
    return [each for each in threading.enumerate() if each.name.startswith("ssh-connect-")]


def peer(transport: paramiko.Transport) -> tuple[str, int]:
    try:
        host, port, *_ = transport.getpeername()
    except OSError:
        return "", 0
    return str(host), int(port)


@unforeseen
def test_an_unforeseen_error_at_log_in_leaves_no_connection_open(
    pool: Pool, sshd_factory: SshdFactory
) -> None:
    server = sshd_factory()
    with pytest.raises(ShellError, match="Nothing was run"):
        lease(pool, server, user="\ud800")  # no bytes can say this name
    assert eventually(lambda: not active(server) and not connecting())


@unforeseen
def test_an_unforeseen_error_behind_a_hop_frees_its_place_there(pool: Pool, sshd: Sshd) -> None:
    gate = sshd.endpoint("gate")
    hop = pool.lease(gate)
    assert hop is not None
    hop.give_back()
    for _ in range(MAX_CHANNELS):
        with pytest.raises(ShellError, match="Nothing was run"):
            pool.lease(sshd.endpoint(jump=gate, port=-1))  # no packet can hold this port
    assert pool.lease(gate) is hop
    hop.give_back()
    assert hop.idle_s() > 0
    assert eventually(lambda: not connecting())


class JobTimeoutError(Exception):
    """What ends a job that took too long, wherever it is."""


class CutShort(Link):
    """A connection on which the job's time is over while a channel is being opened."""

    def open_session(self) -> paramiko.Channel:
        raise JobTimeoutError


def test_a_job_that_runs_out_of_time_while_opening_frees_its_place(sshd: Sshd) -> None:
    class Short(Pool):
        def lease(
            self, endpoint: Endpoint, *, gave_up: Callable[[], bool] = lambda: False
        ) -> Link | None:
            return cut if cut.take() else None

    real = Pool()
    cut = CutShort(sshd.endpoint(), lease(real, sshd).transport, Wire(socket.socket()), real.close)
    with pytest.raises(JobTimeoutError):
        Short().open_session(sshd.endpoint())
    assert cut.idle_s() > 0
    cut.close()


# --- a host that falls silent ---------------------------------------------------------


class Cable:
    """Passes bytes on to a server until it is cut: then nothing, and no word of it."""

    def __init__(self, target: int) -> None:
        self._target = target
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listener.getsockname()[1])
        self.cut = threading.Event()
        self._open: list[socket.socket] = []
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            try:
                near, _ = self._listener.accept()
            except OSError:
                return
            far = socket.create_connection(("127.0.0.1", self._target))
            self._open += [near, far]
            for pair in ((near, far), (far, near)):
                threading.Thread(target=self._pass_on, args=pair, daemon=True).start()

    def _pass_on(self, source: socket.socket, target: socket.socket) -> None:
        try:
            while (data := source.recv(65536)) and not self.cut.is_set():
                target.sendall(data)
            if not self.cut.is_set():
                target.close()
        except OSError:
            pass

    def close(self) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for each in self._open:
            each.close()


@pytest.fixture
def cable(sshd: Sshd) -> Iterator[Cable]:
    made = Cable(sshd.port)
    yield made
    made.close()


def test_a_host_that_falls_silent_is_found_dead_in_five_seconds(
    ssh_run: Runner, sshd: Sshd, cable: Cable
) -> None:
    cut_at: list[float] = []

    def cut(_: str) -> None:
        cable.cut.set()
        cut_at.append(time.monotonic())

    with pytest.raises(ShellError, match=r"outcome is unknown.*process group") as raised:
        ssh_run(sshd.endpoint(port=cable.port), "echo up; sleep 20", on_output=cut)
    assert time.monotonic() - cut_at[0] < 5
    assert (raised.value.phase, raised.value.started) == ("run", True)


def test_a_host_that_fell_silent_while_idle_runs_nothing(sshd: Sshd, cable: Cable) -> None:
    run = Runner(Pool(connect_limit_s=1))
    run(sshd.endpoint(port=cable.port), "true")
    cable.cut.set()
    time.sleep(0.6)  # silent for long enough to be doubted
    begun = time.monotonic()
    with pytest.raises(ShellError) as raised:
        run(sshd.endpoint(port=cable.port), "true")
    assert (raised.value.phase, raised.value.started) == ("connect", False)
    assert time.monotonic() - begun < 8


def test_a_silent_but_living_command_is_not_taken_for_dead(ssh_run: Runner, sshd: Sshd) -> None:
    ran = ssh_run(sshd.endpoint(), "sleep 5; echo still here")
    assert ran.text == "still here\n"
