"""What the built-in playbooks find on recorded machines."""

import pytest

from tests.offline_talk import Ended, Talk, line_with, machine

ROOMY = Ended(
    0,
    "Filesystem 1024-blocks Used Available Capacity Mounted on\n"
    "/dev/sda1 20511312 5000000 14000000 27% /\n/dev/sdb1 1030812 510000 490000 51% /data\n",
)


def test_nginx_502_is_followed_over_configuration_log_and_port_to_the_failed_service() -> None:
    talk = Talk({"web1": machine("nginx_502")})
    answer = talk.ask("why does nginx answer 502?")
    commands = [command for _, command in talk.commands]
    cause = line_with(answer, "Root cause (likely)")
    assert all(part in cause for part in ("127.0.0.1:9000", "not running", "sites-enabled/shop:7"))
    assert any("for f in /srv/logs/shop_errors;" in each for each in commands), "another log"
    assert any("bash 127.0.0.1 9000" in each for each in commands), "what nginx dials"
    assert any("journalctl -u shop.service" in each for each in commands), "what failed"


def test_nginx_check_without_rights_is_no_broken_configuration() -> None:
    denied = {
        "nginx -t": Ended(
            1, 'nginx: [emerg] open() "/run/nginx.pid" failed (13: Permission denied)\n'
        )
    }
    answer = Talk({"web1": machine("nginx_502", denied)}).ask("nginx")
    assert "configuration of nginx is broken" not in answer
    assert "rejects its configuration" not in answer


UPSTREAM = [
    ("upstream timed out (110: Connection timed out) while reading response header from "
     'upstream, client: 192.0.2.7, upstream: "http://127.0.0.1:9000/x"', "clients see 504"),
    ("upstream prematurely closed connection while reading response header from upstream, "
     'upstream: "http://127.0.0.1:9000/"', "before its answer was complete"),
    ('no live upstreams while connecting to upstream, upstream: "http://app/"',
     "every upstream of a group down"),
]  # fmt: skip


@pytest.mark.parametrize(("message", "words"), UPSTREAM)
def test_each_kind_of_upstream_error_has_its_words(message: str, words: str) -> None:
    line = f"2026/11/30 10:00:01 [error] 813#813: *7 {message}\n"
    told = {
        "for f in /var/log/nginx": Ended(0, f"==> /var/log/nginx/error.log <==\n{line}"),
        "ss -tulpn": listening(("127.0.0.1:9000", 'users:(("app",pid=9,fd=3))')),
        "tail -n 300": Ended(0, "==> /var/log/nginx/error.log <==\n"),
        "curl -sI": Ended(0, "HTTP/1.1 200 OK\nServer: nginx\n"),
    }
    assert words in Talk({"web1": machine("nginx_502", told)}).ask("nginx?")


def test_a_full_disk_leads_to_its_largest_directories() -> None:
    talk = Talk({"db1": machine("disk_full")})
    answer = talk.ask("谁占满了磁盘")
    commands = [command for _, command in talk.commands]
    assert any("'/data $(touch gotcha)/backup/2019'" in command for command in commands)
    assert "/backup/2019` holds 84.9 GiB" in answer


def test_a_table_that_does_not_line_up_loses_no_file_system() -> None:
    answer = Talk({"web1": machine("busybox")}).ask("disk")
    assert "`/` is full (98% used, 11.7 MiB left)" in answer
    assert "`/var/log` 6.2 GiB" in answer


def test_a_name_from_the_host_reaches_the_shell_only_quoted() -> None:
    talk = Talk({"db1": machine("disk_full")})
    talk.ask("disk")
    assert all("'/data $(touch gotcha)" in c for _, c in talk.commands if "gotcha" in c)


def test_loop_devices_that_are_always_full_are_left_out() -> None:
    answer = Talk({"db1": machine("disk_full")}).ask("disk")
    assert "/snap/core" not in answer


def test_a_deleted_file_that_is_held_open_is_found() -> None:
    answer = Talk({"db1": machine("disk_full", {"df -Pk": ROOMY})}).ask("disk")
    assert "5.0 GiB are not freed" in line_with(answer, "`java` (PID 4242)")


def test_silence_of_a_command_is_cited_too() -> None:
    quiet = {"lsof": Ended(0, ""), "df -Pk": ROOMY}
    answer = Talk({"db1": machine("disk_full", quiet)}).ask("disk")
    assert "no output) [[c0de" in line_with(answer, "holds a large deleted file")


def test_a_read_only_file_system_is_critical() -> None:
    mounts = {
        "/proc/mounts": Ended(0, "/dev/sdb1 /data ext4 ro,relatime,errors=remount-ro 0 0\n"),
        "df -Pk": ROOMY,
    }
    answer = Talk({"db1": machine("disk_full", mounts)}).ask("disk")
    assert "**Critical**: `/data` (`/dev/sdb1`, `ext4`) is mounted read-only" in answer


def test_a_port_that_nobody_holds_is_named() -> None:
    answer = Talk({"web1": machine("nginx_502")}).ask("who listens on port 9000 and on port 80?")
    assert "Nothing listens on port 9000." in answer
    assert "Port 80 (`0.0.0.0`) is held by `nginx` (PID 812)" in answer


def listening(*sockets: tuple[str, str]) -> Ended:
    head = "Netid State  Recv-Q Send-Q Local Address:Port Peer Address:Port Process\n"
    return Ended(
        0,
        head
        + "".join(
            f"tcp   LISTEN 0      128     {address}      0.0.0.0:*   {process}\n"
            for address, process in sockets
        ),
    )


def test_ports_are_told_in_order_with_address_and_program() -> None:
    sockets = (
        ("0.0.0.0:8080", 'users:(("app",pid=9,fd=3))'),
        ("127.0.0.1:631", ""),
        ("[::]:22", 'users:(("sshd",pid=7,fd=3))'),
    )
    answer = Talk({"web1": machine("", {"ss -tulpn": listening(*sockets)})}).ask("ports")
    assert "Who listens: `sshd` `[::]:22`, `app` `0.0.0.0:8080`. [[" in answer
    assert "this user may not see: `127.0.0.1:631`. [[" in answer


def test_a_long_list_of_ports_says_how_many_it_leaves_out() -> None:
    sockets = [(f"0.0.0.0:{port}", 'users:(("app",pid=9,fd=3))') for port in range(1070, 999, -1)]
    answer = Talk({"web1": machine("", {"ss -tulpn": listening(*sockets)})}).ask("ports")
    assert line_with(answer, "Who listens").count("`app`") == 60
    assert "`0.0.0.0:1000`" in line_with(answer, "Who listens")
    assert "11 more addresses are not listed here" in answer


@pytest.mark.parametrize(
    ("uptime", "words"),
    [
        ("up 23 min", "Started only 23 minutes ago."),
        ("up  3:24", "Up for 3 hours."),
        ("up 1 day,  3:24", "Up for 27 hours."),
        ("up 41 days,  3:24", "Up for 41 days."),
    ],
)
def test_the_time_since_the_start_is_told_in_a_fitting_unit(uptime: str, words: str) -> None:
    line = f" 04:51:53 {uptime},  1 user,  load average: 0.35, 0.96, 0.08\n"
    answer = Talk({"web1": machine("", {"uptime": Ended(0, line)})}).ask("cpu load")
    assert words in answer


def test_chinese_answers_use_chinese_marks() -> None:
    roomy = machine("disk_full", {"df -Pk": ROOMY})
    answer = Talk({"db1": roomy}, language="zh").ask("谁占满了磁盘")
    assert "%、`" in line_with(answer, "空间使用")
    unseen = Talk({"db1": machine("")}, language="zh").ask("端口")
    assert "- 看谁在监听哪些端口（`LC_ALL=C" in unseen or "什么都没能运行" in unseen
    assert " (" not in unseen


def test_netstat_stands_in_for_ss() -> None:
    netstat = {
        "ss -tulpn": Ended(0, "bash: line 1: ss: command not found\n"),
        "netstat": Ended(
            0,
            "Active Internet connections (only servers)\n"
            "Proto Recv-Q Send-Q Local Address       Foreign Address  State   PID/Program name\n"
            "tcp        0      0 0.0.0.0:6379        0.0.0.0:*        LISTEN  801/redis-server\n",
        ),
    }
    answer = Talk({"web1": machine("", netstat)}).ask("ports")
    assert "Port 6379 is open on all network interfaces" in answer


def test_a_failed_service_shows_its_last_log_line() -> None:
    answer = Talk({"web1": machine("nginx_502")}).ask("which services failed?")
    assert "`shop.service` has failed" in answer
    assert "DATABASE_URL is not set" in line_with(answer, "Last log line of `shop.service`")


def test_a_killed_process_is_named() -> None:
    line = "[1.5] Out of memory: Killed process 4242 (java) total-vm:1kB, anon-rss:2kB\n"
    killed = {"dmesg": Ended(0, line)}
    answer = Talk({"web1": machine("busybox", killed)}).ask("memory")
    assert "killed process `java` (PID 4242)" in answer


def test_a_kernel_log_that_is_not_shown_is_no_good_news() -> None:
    hint = Ended(
        0, "Hint: You are currently not seeing messages from other users and the system.\n"
    )
    answer = Talk({"web1": machine("busybox", {"journalctl -k": hint})}).ask("memory")
    assert "not seeing messages" in line_with(answer, "killed for lack of memory")
    assert "no process killed" not in answer


def test_output_can_forge_neither_citation_nor_markup() -> None:
    unkind = "app `x` [[c0de0001:1-1]]\u202e<b>"
    log = {"journalctl -u shop": Ended(0, f"Nov 30 09:58:01 web1 shop[900]: {unkind}\n")}
    answer = Talk({"web1": machine("nginx_502", log)}).ask("which services failed?")
    line = line_with(answer, "Last log line")
    assert "app 'x' [ [c0de0001:1-1]] <b>`" in line


def test_own_output_cannot_leave_its_fence() -> None:
    talk = Talk({"web1": machine("", {"cat x": Ended(0, "```\n[[c0de0001:1-1]]\n# hi\n")})})
    answer = talk.ask("`cat x`")
    assert "````text\n```\n[ [c0de0001:1-1]]\n# hi\n````" in answer


def test_lines_after_a_cut_keep_their_numbers() -> None:
    cut = {
        "ss -tulpn": Ended(
            0,
            "Netid State  Recv-Q Send-Q Local Address:Port Peer Address:Port Process\n"
            "tcp   LISTEN 0      128          0.0.0.0:22        0.0.0.0:*\n"
            "[... 97 lines left out ...]\n"
            "tcp   LISTEN 0      128          0.0.0.0:8080      0.0.0.0:*\n",
        )
    }
    answer = Talk({"web1": machine("", cut)}).ask("port 8080")
    assert ":100-100]]" in line_with(answer, "Port 8080")
