"""What an error line in a log tells: its kind, what it names, and when."""

import pytest

from walissh.brain import signature

KINDS = {
    "refused": [
        "2031-04-02 08:15:59 ERROR depot[71]: Error 111 connecting to 127.0.0.1:6390. "
        "Connection refused.",
        "Error: connect ECONNREFUSED 192.0.2.9:8443",
        "无法连接 192.0.2.9:8443：连接被拒绝",
    ],
    "timeout": ["upstream did not reply: read timed out after 5 s", "查询超时"],
    "unresolved": [
        "getaddrinfo ENOTFOUND ledger.example",
        'could not translate host name "ledger" to address: Name or service not known',
    ],
    "no_route": ["dial tcp 192.0.2.9:80: connect: no route to host"],
    "address_in_use": ["listen tcp :8090: bind: address already in use"],
    "no_space": ["OSError: [Errno 28] cannot write /data/a.bin", "磁盘空间不足"],
    "denied": ["open /etc/depot/key.pem: permission denied", "failed, errno=13"],
    "read_only": ["[Errno 30] Read-only file system: '/mnt/depot/x'"],
    "too_many_files": ["accept4(): EMFILE"],
    "no_memory": ["terminate called after throwing an instance of 'std::bad_alloc'"],
    "missing": ["stat /opt/depot/list.csv: no such file or directory"],
    "crlf": ["/usr/bin/env: 'bash\\r': No such file or directory"],
    "redis_oom": ["OOM command not allowed when used memory > 'maxmemory'."],
    "redis_noauth": ["NOAUTH Authentication required."],
    "pg_slots": ["FATAL:  sorry, too many clients already"],
    "pg_password": ['FATAL:  password authentication failed for user "depot"'],
    "module_missing": ["ModuleNotFoundError: No module named 'yarn'"],
    "setting_missing": ["KeyError: 'DEPOT_URL'"],
    "stopped": ["received SIGTERM, shutting down"],
    "http_error": ["HTTP Error 503: Service Unavailable"],
}


@pytest.mark.parametrize(
    ("kind", "line"), [(k, each) for k, lines in KINDS.items() for each in lines]
)
def test_one_thing_is_told_in_many_words(kind: str, line: str) -> None:
    assert signature.read(line)["kind"] == kind


def test_every_kind_has_a_name_of_its_own() -> None:
    names = [each.name for each in signature.kinds()]
    assert len(names) == len(set(names)) > 50
    assert all(each.patterns for each in signature.kinds())


@pytest.mark.parametrize(
    "line",
    [
        "2031-04-02 08:15:59 INFO depot: 28 orders in 13 ms",
        "GET /orders 200 111 bytes",
        "listening on 0.0.0.0:8090",
        "loaded 30 rules, 12 hosts",
    ],
)
def test_a_line_of_a_day_without_trouble_is_not_wrong(line: str) -> None:
    told = signature.read(line)
    assert (told["kind"], told["wrong"]) == ("", False)


def test_a_line_may_be_wrong_without_a_kind() -> None:
    told = signature.read("ERROR the bread is burnt")
    assert (told["kind"], told["wrong"]) == ("", True)


@pytest.mark.parametrize(
    ("line", "target"),
    [
        ("connect to 192.0.2.9:8443 failed", ("192.0.2.9", 8443)),
        ('connection to server at "db7.example", port 5433 failed', ("db7.example", 5433)),
        ("redis://:x@cache2:6380/0 is away", ("cache2", 6380)),
        ("postgresql://depot@db7.example/stock: no answer", ("db7.example", 5432)),
        ("https://api.example/v2/rates: timed out", ("api.example", 443)),
        ("ConnectionRefusedError: ('127.0.0.1', 9700)", ("127.0.0.1", 9700)),
        ("connect to host [::1]:8080 refused", ("::1", 8080)),
        ("cannot resolve host mail.example", ("mail.example", None)),
    ],
)
def test_whom_it_failed_to_reach_is_read_in_every_spelling(
    line: str, target: tuple[str, int | None]
) -> None:
    told = signature.read(line)
    assert (told["host"], told["port"]) == target
    assert told["target"] == (f"{target[0]}:{target[1]}" if target[1] else target[0])


def test_a_time_of_day_is_no_target() -> None:
    assert signature.read("2031-04-02 08:15:59 ERROR no bread")["target"] is None


@pytest.mark.parametrize(
    ("line", "path"),
    [
        ('open "/srv/depot/a b.csv" failed: No such file', "/srv/depot/a b.csv"),
        ("/usr/bin/depot: cannot open /etc/depot/site.conf: denied", "/etc/depot/site.conf"),
        ("cannot reach https://api.example/v2/rates", None),
    ],
)
def test_the_last_path_is_what_it_is_about(line: str, path: str | None) -> None:
    assert signature.read(line)["path"] == path


def test_names_users_and_values_are_read() -> None:
    assert signature.read('password authentication failed for user "till"')["user"] == "till"
    assert signature.read('database "stock" does not exist')["name"] == "stock"
    assert signature.read("HTTP Error 418: no tea")["value"] == "418"


@pytest.mark.parametrize(
    ("line", "pid"),
    [
        ("Apr  2 08:15:59 web1 depot[711]: error", 711),
        ("711:M 02 Apr 2031 08:15:59.010 # error", 711),
        ("error [711]", None),
    ],
)
def test_the_process_that_wrote_it_is_read(line: str, pid: int | None) -> None:
    assert signature.read(line)["pid"] == pid


AT = 1_932_970_559.0  # 2031-04-03 08:15:59


@pytest.mark.parametrize(
    "text",
    [
        "2031-04-03 08:15:59,123 ERROR",
        "2031/04/03 08:15:59 [error] 7#7",
        "2031-04-03T08:15:59Z",
        "3 Apr 2031 08:15:59",
        "[03/Apr/2031:08:15:59 +0000]",
        "notAfter=Apr  3 08:15:59 2031 GMT",
    ],
)
def test_a_moment_is_read_in_every_form(text: str) -> None:
    assert signature.moment(text) == AT


@pytest.mark.parametrize("text", ["", "no time", "2031-13-41 08:15:59", "12:00", "x" * 200])
def test_what_is_no_moment_is_none(text: str) -> None:
    assert signature.moment(text) is None


def test_a_very_long_line_is_read_quickly_in_its_beginning() -> None:
    told = signature.read("connect to 192.0.2.9:81: Connection refused " + "a/" * 100_000)
    assert (told["kind"], told["port"]) == ("refused", 81)
