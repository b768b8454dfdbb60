"""The demo host, spoken to by our own driver and by OpenSSH's client."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import paramiko
import pytest

from tests.sshd import Runner, is_running
from walissh.errors import ShellError
from walissh.react.host import Auth, Endpoint, Host
from walissh.react.turn import Exit
from walissh.ssh import keys
from walissh.ssh.demo import DemoServer

pytest_plugins = ("tests.sshd",)

CLIENT = keys.generate()
HOST = keys.generate()


@pytest.fixture(scope="module")
def demo() -> Iterator[DemoServer]:
    with DemoServer(CLIENT.public, HOST.private) as server:
        yield server


def endpoint(port: int, key: str = CLIENT.private) -> Endpoint:
    host = Host(
        id=f"id-demo-{port}",
        owner_id="owner",
        name="this-machine",
        address="127.0.0.1",
        port=port,
        user="me",
        auth=Auth.KEY,
        trusted_key=keys.parse_public(HOST.public),
    )
    return Endpoint(host, key, None, None)


def connected(server: DemoServer) -> paramiko.Transport:
    transport = paramiko.Transport(("127.0.0.1", server.port))
    transport.connect(username="me", pkey=keys.load(CLIENT.private))
    return transport


def test_commands_run_with_both_streams_and_exit_code(ssh_run: Runner, demo: DemoServer) -> None:
    ran = ssh_run(endpoint(demo.port), "echo out; echo err >&2; exit 3")
    assert (sorted(ran.text.split()), ran.exit) == (["err", "out"], Exit(3, "exited"))


def test_a_mib_on_both_streams_at_once_completes(ssh_run: Runner, demo: DemoServer) -> None:
    size = 1024 * 1024
    flood = f"head -c {size} /dev/zero | tr '\\0' '%s' | fold -w 127%s"
    ran = ssh_run(
        endpoint(demo.port), f"{flood % ('e', ' >&2')} & {flood % ('o', '')}; wait; exit 7"
    )
    assert (ran.exit, ran.text.count("o"), ran.text.count("e")) == (Exit(7, "exited"), size, size)


def test_many_commands_run_at_once(ssh_run: Runner, demo: DemoServer) -> None:
    with ThreadPoolExecutor(10) as threads:
        jobs = [
            threads.submit(ssh_run, endpoint(demo.port), f"sleep 0.3; echo {n}") for n in range(10)
        ]
        assert [job.result().text for job in jobs] == [f"{n}\n" for n in range(10)]


def test_cancel_ends_the_whole_group(ssh_run: Runner, demo: DemoServer, tmp_path: Path) -> None:
    up = threading.Event()
    ran = ssh_run(
        endpoint(demo.port),
        f"sleep 300 & echo $! > {tmp_path}/pid; echo up; wait",
        cancelled=up.is_set,
        on_output=lambda _: up.set(),
    )
    assert ran.exit == Exit(None, "cancelled")
    assert not is_running((tmp_path / "pid").read_text().strip())


def test_a_closed_channel_ends_the_group(demo: DemoServer, tmp_path: Path) -> None:
    with connected(demo) as transport:
        channel = transport.open_session(timeout=5)
        channel.exec_command(f"sleep 300 & echo $! > {tmp_path}/pid; echo up; wait")
        channel.recv(10)
        channel.close()
        pid = (tmp_path / "pid").read_text().strip()
        until = time.monotonic() + 5
        while is_running(pid) and time.monotonic() < until:
            time.sleep(0.02)
    assert not is_running(pid)


def test_input_reaches_the_command_up_to_its_end(demo: DemoServer) -> None:
    with connected(demo) as transport:
        channel = transport.open_session(timeout=5)
        channel.exec_command("wc -c")
        channel.sendall(b"x" * 100_000)
        channel.shutdown_write()
        assert channel.makefile().read().strip() == b"100000"
        assert channel.recv_exit_status() == 0


def test_openssh_is_told_the_signal(demo: DemoServer, tmp_path: Path) -> None:
    assert openssh(demo, tmp_path, "kill -9 $$").returncode == 255
    assert openssh(demo, tmp_path, "echo hi; exit 5").returncode == 5


def openssh(demo: DemoServer, folder: Path, command: str) -> "subprocess.CompletedProcess[bytes]":
    key = folder / "key"
    key.write_text(CLIENT.private)
    key.chmod(0o600)
    options = ["StrictHostKeyChecking=no", f"UserKnownHostsFile={folder}/known", "BatchMode=yes"]
    flags = [word for option in options for word in ("-o", option)]
    return subprocess.run(
        ["ssh", "-p", str(demo.port), "-i", key, *flags, "me@127.0.0.1", command],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=20,
        check=False,
    )


def test_another_key_is_refused(ssh_run: Runner, demo: DemoServer) -> None:
    with pytest.raises(ShellError, match="host offers: publickey"):
        ssh_run(endpoint(demo.port, keys.generate().private), "true")


def test_a_password_is_refused(demo: DemoServer) -> None:
    transport = paramiko.Transport(("127.0.0.1", demo.port))
    with pytest.raises(paramiko.BadAuthenticationType):
        transport.connect(username="me", password="anything")
    transport.close()


def test_terminals_shells_and_files_are_refused(demo: DemoServer) -> None:
    with connected(demo) as transport:
        for ask in ("get_pty", "invoke_shell"):
            channel = transport.open_session(timeout=5)
            with pytest.raises(paramiko.SSHException):
                getattr(channel, ask)()
        channel = transport.open_session(timeout=5)
        with pytest.raises(paramiko.SSHException):
            channel.invoke_subsystem("sftp")


def test_forwarding_is_refused(demo: DemoServer) -> None:
    with connected(demo) as transport:
        with pytest.raises(paramiko.ChannelException):
            transport.open_channel(
                "direct-tcpip", ("127.0.0.1", demo.port), ("127.0.0.1", 0), timeout=5
            )
        with pytest.raises(paramiko.SSHException):
            transport.request_port_forward("127.0.0.1", 0)


def test_our_own_environment_is_not_passed_on(ssh_run: Runner) -> None:
    os.environ["OPENAI_API_KEY"] = "made-up"
    try:
        with DemoServer(CLIENT.public, HOST.private) as server:
            ran = ssh_run(endpoint(server.port), "env")
    finally:
        del os.environ["OPENAI_API_KEY"]
    assert "OPENAI" not in ran.text


PROGRAM = """
import sys
from walissh.ssh import demo
demo.serve(sys.argv[1], sys.argv[2], lambda port: print(port, flush=True))
print("stopped", flush=True)
"""


def test_serve_runs_until_told_to_end_and_leaves_nothing(ssh_run: Runner, tmp_path: Path) -> None:
    server = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, CLIENT.public, HOST.private],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert server.stdout is not None
    port = int(server.stdout.readline())
    with pytest.raises(ShellError, match="outcome is unknown"):
        ssh_run(
            endpoint(port),
            f"sleep 300 & echo $! > {tmp_path}/pid; echo up; wait",
            on_output=lambda _: server.send_signal(signal.SIGTERM),
        )
    assert server.communicate(timeout=5)[0] == "stopped\n"
    assert not is_running((tmp_path / "pid").read_text().strip())
