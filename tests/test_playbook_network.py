"""Names, routes and addresses: why one end does not reach the other."""

from collections.abc import Mapping

import pytest

from tests.offline_talk import Ended, Talk, machine

PID_LINE = "{pid:>5}     1 crew  S  0  0.0  0.1  9000  900 {args}\n"
ROUTES = (
    "addr lo UNKNOWN 127.0.0.1/8 \naddr eth0 UP 192.0.2.10/24 \n"
    "route default via 192.0.2.1 dev eth0 \nroute 192.0.2.0/24 dev eth0 proto kernel \n"
)
RESOLVER = (
    "/etc/resolv.conf:1:search depot.example\n/etc/resolv.conf:2:nameserver 192.0.2.53 # ours\n"
    "/etc/nsswitch.conf:4:hosts: files dns\n/etc/hosts:1:127.0.0.1 localhost\nend\n"
)
UNKNOWN = "bash: line 1: store.depot.example: Name or service not known\nexit=1\n"
REFUSED = "ip 192.0.2.10 STREAM x\nbash: connect: Connection refused\nexit=1\n"
LISTENS = 'tcp   LISTEN 0 128 {where} 0.0.0.0:* users:(("{name}",pid={pid},fd=3))\n'


def host(
    error: str,
    settings: str,
    dial: str,
    more: Mapping[str, Ended] | None = None,
    listening: str = "",
    procs: str = "",
) -> Mapping[str, Ended]:
    """Return a machine on which the program ``packer`` logs *error*."""
    log = f"2026-03-02 09:59:58 packer: {error}" if error else ""
    known = {
        "date '+%s": "1772445600 2026-03-02 10:00:00 UTC+0000 UTC\n",
        " -o pid,": PID_LINE.format(pid=31, args="python3 /opt/packer/packer.py") + procs,
        "ss -tulpn": "Netid State Recv-Q Send-Q Local Address:Port Peer Address:Port Process\n"
        + LISTENS.format(where="127.0.0.1:22", name="sshd", pid=9)
        + listening,
        "find /var/log /opt": "1772445598 90 640 crew:adm /var/log/packer/packer.log\n",
        "grep -aEi 'error|fatal": f"==> /var/log/packer/packer.log <==\n{log}\n",
        "grep -snHIiE -m 25": settings,
        "ip -br addr": ROUTES,
        "nameserver|search": RESOLVER,
        "bash 192.0.2.53 53": "bash: connect: Connection refused\nexit=1\n",
        "timeout 6 getent": dial,
        "timeout 3 bash": dial,
    }
    given = dict(more or {})
    return {**given, **{part: Ended(0, out) for part, out in known.items() if part not in given}}


def asked(machine_: Mapping[str, Ended], language: str = "en") -> str:
    question = (
        "packer 连不上它要的服务，网络有什么问题"
        if language == "zh"
        else "packer cannot connect to what it needs, is it the network or a host name?"
    )
    return Talk({"web1": machine("", machine_)}, "zh" if language == "zh" else "en").ask(question)


UNRESOLVED = "store unavailable: [Errno -2] Name or service not known"
STORE = (
    "/etc/packer/packer.ini:2:host = store.depot.example\n/etc/packer/packer.ini:3:port = 7070\n"
)


@pytest.mark.parametrize(("language", "title"), [("zh", "根因（"), ("en", "Root cause (")])
def test_a_misspelt_name_is_told_with_file_and_line(language: str, title: str) -> None:
    settings = STORE.replace("store.", "stroe.")
    dial = UNKNOWN.replace("store.", "stroe.")
    others = {
        "for n in": Ended(0, "store.depot.example 192.0.2.40 STREAM x\ntsroe.depot.example \n")
    }
    answer = asked(host(UNRESOLVED, settings, dial, others), language)
    cause = answer.partition(title)[2].splitlines()[0]
    assert "`stroe.depot.example`" in cause
    assert "`store.depot.example`" in cause
    assert "`/etc/packer/packer.ini`" in cause
    assert "[[c0de" in cause


def test_names_without_dns_in_nsswitch_are_told() -> None:
    files = {"nameserver|search": Ended(0, RESOLVER.replace("files dns", "files"))}
    assert "/etc/nsswitch.conf has only `files`" in asked(host(UNRESOLVED, STORE, UNKNOWN, files))


@pytest.mark.slow
def test_a_dead_name_server_is_told() -> None:
    dead = {"bash 192.0.2.53 53": Ended(0, "bash: connect: No route to host\nexit=1\n")}
    error = "http://store.depot.example:7070/: Temporary failure in name resolution"
    dial = UNKNOWN.replace("Name or service not known", "Temporary failure in name resolution")
    answer = asked(host(error, STORE, dial, dead))
    assert "name server `192.0.2.53` (line 2 of /etc/resolv.conf) is unreachable" in answer


@pytest.mark.slow
def test_a_short_name_without_a_search_domain_is_told() -> None:
    more = {
        "nameserver|search": Ended(
            0,
            RESOLVER.replace("/etc/resolv.conf:1:search depot.example\n", "").replace(
                "end", "/hostname:0:- host.depot.example\nend"
            ),
        ),
        "for n in": Ended(0, "store.depot.example 192.0.2.40 STREAM x\n"),
    }
    answer = asked(host(UNRESOLVED, STORE.replace(".depot.example", ""), UNKNOWN, more))
    assert "/etc/resolv.conf has no search domain (search is missing), so" in answer
    assert "line 2 of `/etc/packer/packer.ini`" in answer


@pytest.mark.slow
def test_a_stale_entry_of_the_hosts_file_is_told() -> None:
    error = "store.depot.example:7070: timed out"
    found = "ip 192.0.2.99 STREAM x\nhosts-file 5:192.0.2.99 store.depot.example\nexit=124\n"
    answer = asked(host(error, STORE, found))
    assert "stale" in answer.partition("Root cause (")[2].splitlines()[0]
    assert "line 5 of /etc/hosts" in answer


def test_a_service_bound_to_another_address_is_told() -> None:
    error = "connect to 192.0.2.10:7070: Connection refused"
    listening = LISTENS.format(where="127.0.0.1:7070", name="stored", pid=44)
    settings = "/etc/packer/packer.ini:2:url = http://192.0.2.10:7070/\n"
    answer = asked(host(error, settings, REFUSED, listening=listening))
    cause = answer.partition("Root cause (")[2].splitlines()[0]
    assert "`127.0.0.1:7070`" in cause
    assert "`192.0.2.10:7070`" in cause


def test_the_line_that_dials_is_named_and_not_the_one_that_listens() -> None:
    settings = (
        "/etc/packer/packer.ini:2:listen = 127.0.0.1:7007\n"
        "/etc/packer/packer.ini:5:cache = http://127.0.0.1:7099/\n"
        "/etc/packer/packer.ini:9:stock_url = http://127.0.0.1:7007/stock\n"
    )
    dial = REFUSED.replace("192.0.2.10", "127.0.0.1")
    answer = asked(host("GET http://127.0.0.1:7007/stock: Connection refused", settings, dial))
    cause = answer.partition("Root cause (")[2].splitlines()[0]
    assert "line 9 of `/etc/packer/packer.ini`" in cause


@pytest.mark.slow
def test_a_wrong_port_of_a_healthy_service_is_told() -> None:
    error = "GET http://127.0.0.1:7007/stock: Connection refused"
    settings = "/etc/packer/packer.ini:2:stock_url = http://127.0.0.1:7007/stock\n"
    answer = asked(
        host(
            error,
            settings,
            REFUSED.replace("192.0.2.10", "127.0.0.1"),
            listening=LISTENS.format(where="127.0.0.1:7171", name="python3", pid=44),
            procs=PID_LINE.format(pid=44, args="python3 /opt/stock/stockd.py"),
        )
    )
    cause = answer.partition("Root cause (")[2].splitlines()[0]
    assert "7007" in cause
    assert "7171" in cause


@pytest.mark.slow
def test_an_address_that_gives_no_answer_is_told_with_its_setting() -> None:
    error = "store 198.51.100.7:7070: timed out"
    settings = "/etc/packer/packer.ini:2:store = 198.51.100.7:7070\n"
    more = {"ip route get": Ended(0, "198.51.100.7 via 192.0.2.1 dev eth0 src 192.0.2.10\n")}
    answer = asked(host(error, settings, "ip 198.51.100.7 STREAM x\nexit=124\n", more))
    assert "`198.51.100.7:7070` is unreachable" in answer
    assert "line 2 of `/etc/packer/packer.ini`" in answer


@pytest.mark.slow
def test_a_missing_default_route_is_told() -> None:
    error = "store 198.51.100.7:7070: Network is unreachable"
    more = {
        "ip route get": Ended(2, "RTNETLINK answers: Network is unreachable\n"),
        "ip -br addr": Ended(0, ROUTES.replace("route default via 192.0.2.1 dev eth0 \n", "")),
    }
    dial = "ip 198.51.100.7 STREAM x\nbash: connect: Network is unreachable\nexit=1\n"
    assert "no default route" in asked(host(error, "", dial, more))


@pytest.mark.slow
def test_a_blackhole_is_told() -> None:
    error = "store 198.51.100.7:7070: No route to host"
    more = {
        "ip route get": Ended(2, "RTNETLINK answers: Invalid argument\n"),
        "ip -br addr": Ended(0, ROUTES + "route blackhole 198.51.100.0/24 \n"),
    }
    dial = "ip 198.51.100.7 STREAM x\nbash: connect: Invalid argument\nexit=1\n"
    answer = asked(host(error, "", dial, more))
    assert "`blackhole 198.51.100.0/24`" in answer.replace("`blackhole` `198", "`blackhole 198")


@pytest.mark.slow
def test_an_address_that_this_machine_lacks_cannot_be_bound() -> None:
    error = "cannot listen on 192.0.2.77:7000: bind: Cannot assign requested address"
    answer = asked(host(error, "", "exit=1\n"))
    assert "`192.0.2.77`, which this machine does not have" in answer


@pytest.mark.slow
def test_a_machine_that_reaches_all_names_no_cause() -> None:
    error = "connect to 192.0.2.10:7070: Connection refused"
    listening = LISTENS.format(where="0.0.0.0:7070", name="stored", pid=44)
    answer = asked(host(error, "", "ip 192.0.2.10 STREAM x\nexit=0\n", listening=listening))
    assert "Root cause (" not in answer or "network" not in answer.partition("Root cause (")[2][:60]


def test_a_quiet_log_names_no_cause() -> None:
    assert "Root cause (" not in asked(host("", "", "exit=0\n"))
