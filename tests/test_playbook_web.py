"""The web: from the address that fails to the cause, with the lines that prove it."""

# ruff: noqa: E501  lines of logs are as long as they are

from collections.abc import Sequence

import pytest

from tests.offline_ailing import cause_of, listens, ps
from tests.offline_site import FRONT, URL, WEB_CONF, Site, error, upstream_error
from tests.offline_talk import Talk

APP = ps(70, "/usr/bin/python3 /opt/tea-room/serve.py", user="tea")
APP_PORT = listens(7300, 70)
REFUSED = upstream_error("connect() failed (111: Connection refused) while connecting to upstream")
ZH, EN = f"网站 {URL} 打不开了，报错，请找出原因。", f"{URL} is broken and shows an error. Why?"


def named(site: Site, *parts: str, zh: str = ZH, en: str = EN) -> None:
    """Both languages name all *parts* in their cause, which cites what proves it."""
    for text in cause_of(site.machine(), zh=zh, en=en).values():
        assert [part for part in parts if part not in text] == [], text
        assert "[[c0de" in text


def cause_commands(site: Site, question: str = EN) -> Sequence[str]:
    """Return the commands that the cause of an English answer cites."""
    talk = Talk({"web1": site.machine()}, "en")
    cause = next(p for p in talk.ask(question).split("\n\n") if "Root cause (" in p)
    return [talk.commands[int(each[:4], 16) - 1][1] for each in cause.split("[[c0de")[1:]]


STOPPED = Site(
    502,
    errors=REFUSED,
    logs={
        "/var/log/tea-room/serve.log": "2026-11-30 11:59:40 INFO serve[70]: received SIGTERM, shutting down"
    },
)


def test_an_upstream_that_was_stopped_is_named_with_its_last_words() -> None:
    named(STOPPED, "7300", "/etc/nginx/conf.d/tea.conf:2", "SIGTERM", "/var/log/tea-room/serve.log")
    commands = " ".join(cause_commands(STOPPED))
    assert "tail -n 12" in commands
    assert "ss -tulpn" in commands


def test_an_upstream_that_crashed_is_named_with_its_error() -> None:
    log = {
        "/var/log/tea-room/serve.log": "Traceback (most recent call last):\nKeyError: 'TEA_TOKEN'"
    }
    named(Site(502, errors=REFUSED, logs=log), "7300", "KeyError: 'TEA_TOKEN'")


def test_an_application_on_another_port_than_nginx_asks_is_a_mismatch() -> None:
    lines = "/etc/tea-room/serve.conf:3:port = 7303\n"
    site = Site(
        502,
        errors=REFUSED,
        processes=[APP],
        ports=[FRONT, listens(7303, 70)],
        more={"-exec grep -nHwE": lines},
    )
    named(
        site, "7300", "7303", "/opt/tea-room/serve.py", "/etc/tea-room/serve.conf:3", "tea.conf:2"
    )


def test_an_application_on_another_address_than_nginx_asks_is_named() -> None:
    bound = APP_PORT.replace("0.0.0.0:7300", "192.0.2.4:7300")
    site = Site(502, errors=REFUSED, processes=[APP], ports=[FRONT, bound])
    named(site, "192.0.2.4:7300", "127.0.0.1:7300", "/opt/tea-room/serve.py")


def test_a_program_that_holds_the_port_keeps_nginx_from_starting() -> None:
    notice = ps(33, "/usr/bin/python3 /srv/notice/page.py", user="root")
    site = Site(
        503,
        nginx=(),
        errors="2026/11/30 11:00:00 [emerg] 9#9: bind() to 0.0.0.0:80 failed (98: Address already in use)",
        processes=[notice],
        ports=[listens(80, 33)],
    )
    named(site, "80", "/srv/notice/page.py", "33", "Address already in use")


@pytest.mark.parametrize("front", ["nginx: ", "2026/11/30 11:59:00 "])
def test_a_broken_configuration_is_named_by_file_and_line(front: str) -> None:
    check = f'{front}[emerg] unknown directive "lisen" in /etc/nginx/conf.d/tea.conf:5\n'
    named(Site(check=check), "/etc/nginx/conf.d/tea.conf", "5", "unknown directive")


def test_an_upstream_name_that_does_not_resolve_is_named() -> None:
    check = 'nginx: [emerg] host not found in upstream "pot.example.com" in /etc/nginx/conf.d/tea.conf:2\n'
    named(Site(0, nginx=(), ports=[], check=check), "pot.example.com", "/etc/nginx/conf.d/tea.conf")


def test_a_stopped_nginx_is_named() -> None:
    log = "2026/11/30 11:58:00 [notice] 50#50: signal 15 (SIGTERM) received from 1, exiting"
    named(Site(0, nginx=(), ports=[], errors=log), "80", "signal 15")


WALK = """f: /srv/tea/files/list.html
drwxr-xr-x root root /
drwxr-xr-x root root srv
drwx------ tea  tea  tea
"""
ID = "uid=33(www-data) gid=33(www-data) groups=33(www-data)\n"


def test_a_folder_that_the_worker_may_not_enter_is_the_cause_of_a_403() -> None:
    said = 'open() "/srv/tea/files/list.html" failed (13: Permission denied), client: 192.0.2.9'
    walk = WALK + "drwxr-xr-x tea  tea  files\n-rw-r--r-- tea  tea  list.html\n" + ID
    site = Site(403, errors=error(said), more={"namei -l": walk})
    named(site, "`/srv/tea`", "700", "tea", "www-data", "403")


def test_a_dangling_link_on_the_way_is_the_cause_of_a_404() -> None:
    said = (
        'open() "/srv/tea/files/list.html" failed (2: No such file or directory), client: 192.0.2.9'
    )
    walk = (
        "f: /srv/tea/files/list.html\ndrwxr-xr-x root root /\ndrwxr-xr-x root root srv\n"
        "drwxr-xr-x root root tea\nlrwxrwxrwx root root files -> /srv/tea/build-9/files\n"
        "drwxr-xr-x root root   /\ndrwxr-xr-x root root   srv\ndrwxr-xr-x root root   tea\n"
        "                         build-9 - No such file or directory\n" + ID
    )
    site = Site(404, errors=error(said), more={"namei -l": walk})
    named(site, "/srv/tea/files", "build-9", "404")


def test_an_upload_over_the_limit_names_the_limit_and_its_line() -> None:
    said = (
        "client intended to send too large body: 9437184 bytes, client: 192.0.2.9, server: tea.example.com,"
        ' request: "POST /send HTTP/1.1", host: "tea.example.com"'
    )
    named(Site(errors=error(said)), "9437184", "3m", "/etc/nginx/conf.d/tea.conf:7", "413")


def test_connections_that_are_used_up_name_the_limit() -> None:
    said = error("64 worker_connections are not enough while connecting to upstream", "alert")
    held = "".join(f"0 0 127.0.0.1:{41000 + n} 127.0.0.1:7300\n" for n in range(20))
    site = Site(500, errors=said, processes=[APP], ports=[FRONT, APP_PORT], more={"ss -tnH": held})
    named(site, "worker_connections", "64", "/etc/nginx/nginx.conf:2", "/opt/tea-room/serve.py")


SOCKET_CONF = WEB_CONF.replace("127.0.0.1:7300", "unix:/run/tea/room.sock")
SOCKET_WALK = "f: /run/tea/room.sock\ndrwxr-xr-x root root /\ndrwxr-xr-x root root run\n"


@pytest.mark.parametrize(
    ("walk", "parts"),
    [
        (
            "drwxr-xr-x tea  tea  tea\nsrw------- tea  tea  room.sock\n",
            ("600", "www-data", "rw-------"),
        ),
        (
            "drwxr-xr-x tea  tea  tea\n                     room.sock - No such file or directory\n",
            (),
        ),
    ],
)
def test_a_socket_that_cannot_be_used_is_named(walk: str, parts: tuple[str, ...]) -> None:
    said = upstream_error("connect() to unix:/run/tea/room.sock failed (13: Permission denied)",
                          to="http://unix:/run/tea/room.sock:/")  # fmt: skip
    site = Site(502, conf=SOCKET_CONF, errors=said, more={"namei -l /run": SOCKET_WALK + walk + ID})
    named(site, "/run/tea/room.sock", *parts)


def test_a_slow_page_is_followed_through_two_services_to_the_address_that_is_away() -> None:
    middle = ps(80, "/usr/bin/python3 /opt/weather/ask.py", user="tea")
    site = Site(
        504,
        errors=upstream_error("upstream timed out (110: Connection timed out)"),
        processes=[APP, middle],
        ports=[FRONT, APP_PORT, listens(7400, 80)],
        logs={
            "/var/log/tea-room/serve.log": "2026-11-30 11:59:50 INFO serve[70]: asking http://127.0.0.1:7400/now",
            "/var/log/weather/ask.log": "2026-11-30 11:59:52 ERROR ask[80]: station 198.51.100.7:8800 failed: timed out",
        },
        more={
            "lsof": "python3 70 tea 3w REG 8,1 99 5 /var/log/tea-room/serve.log\n",
            "bash 198.51.100.7 8800": "exit=124\n",
            "getent": "198.51.100.7 STREAM\nend\n",
        },
    )
    named(
        site, "/opt/tea-room/serve.py", "127.0.0.1:7400", "/opt/weather/ask.py", "198.51.100.7:8800"
    )


def test_an_error_of_the_application_is_quoted_from_its_own_log() -> None:
    site = Site(
        500,
        processes=[APP],
        ports=[FRONT, APP_PORT],
        logs={
            "/var/log/tea-room/serve.log": "2026-11-30 11:59:54 ERROR serve[70]: order 12\nZeroDivisionError: division by zero"
        },
        more={"lsof": "python3 70 tea 3w REG 8,1 99 5 /var/log/tea-room/serve.log\n"},
    )
    named(site, "/opt/tea-room/serve.py", "ZeroDivisionError", "/var/log/tea-room/serve.log")


def test_a_path_alone_is_asked_of_the_machine_itself() -> None:
    talk = Talk({"web1": STOPPED.machine()}, "en")
    talk.ask("/partner/v2/orders gives 502, why?")
    assert any("http://localhost/partner/v2/orders" in each for _, each in talk.commands)


def test_a_path_of_a_file_is_not_asked_as_a_page() -> None:
    talk = Talk({"web1": STOPPED.machine()}, "en")
    talk.ask("nginx gives 502 and /var/log/nginx/error.log is full of errors, why?")
    assert not any("http://localhost/var" in each for _, each in talk.commands)


@pytest.mark.parametrize("language", ["zh", "en"])
def test_a_site_in_order_has_no_cause(language: str) -> None:
    site = Site(
        processes=[APP],
        ports=[FRONT, APP_PORT],
        logs={"/var/log/tea-room/serve.log": "2026-11-30 11:59:54 INFO serve[70]: GET / 200"},
    )
    answer = Talk({"web1": site.machine()}, "zh" if language == "zh" else "en").ask(
        ZH if language == "zh" else EN
    )
    assert "根因（" not in answer
    assert "Root cause (" not in answer
