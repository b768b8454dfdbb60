"""Versions: which program a line speaks of, and which numbers are no versions."""

import pytest

from walissh.memory.entry import Found, MemoryType
from walissh.memory.extract import facts


def software(text: str, command: str, **where: object) -> dict[str, str]:
    """Return program to version of what was learned as software."""
    found: list[Found] = facts.from_tool(text, command=command, host="web7", **where)  # type: ignore[arg-type]
    return {each.subject: each.value for each in found if each.type is MemoryType.SOFTWARE_FACT}


@pytest.mark.parametrize(
    ("command", "text", "name", "version"),
    [
        ("frobd --version", "frobd 3.2.1-rc2 (build 5521)", "frobd", "3.2.1-rc2"),
        ("nginx -v", "nginx version: nginx/1.27.4", "nginx", "1.27.4"),
        ("caddy version", "v2.9.1 h1:abcdef=", "caddy", "2.9.1"),
        ("less --version | head -1", "less 643 (GNU regular expressions)", "less", "643"),
        ("udevadm --version", "255", "systemd", "255"),
        ("mkfs.ext4 -V", "mke2fs 1.47.2 (1-Jan-2025)", "e2fsprogs", "1.47.2"),
        ("ssh -V", "OpenSSH_9.9p1 Debian-3, OpenSSL 3.4.0 22 Oct 2024", "openssh", "9.9p1"),
        ("gcc --version", "gcc (Debian 14.2.0-8) 14.2.0", "gcc", "14.2.0"),
        ("jq -V", "jq-1.7.1", "jq", "1.7.1"),
        ("git lfs version", "git-lfs/3.6.1 (GitHub; linux amd64; go 1.23.3)", "git lfs", "3.6.1"),
        ("perl -v", "This is perl 5, version 40, subversion 1 (v5.40.1)", "perl", "5.40.1"),
        ("java -version", 'openjdk version "21.0.6" 2025-01-21', "java", "21.0.6"),
        ("/opt/acme/bin/widgetd -V", "Acme Widget, release 11.4 build 202", "widgetd",
         "11.4"),
    ],
)  # fmt: skip
def test_a_version_query_names_its_program(
    command: str, text: str, name: str, version: str
) -> None:
    assert software(text, command) == {name: version}


def test_a_wrapper_does_not_hide_the_program() -> None:
    text = "Redis server v=7.4.2 sha=00000000:0 malloc=jemalloc-5.3.0 bits=64"

    assert software(text, "sudo -u redis timeout 5 redis-server -v") == {"redis": "7.4.2"}


def test_a_program_in_a_container_is_told_apart_from_the_hosts() -> None:
    text = "Redis server v=7.4.2 sha=00000000:0"

    found = software(text, "docker exec -it cache redis-server -v")

    assert found == {"redis in container cache": "7.4.2"}


def test_a_program_on_another_host_is_no_fact_of_this_one() -> None:
    assert software("mysql  Ver 8.4.4 for Linux on x86_64", "ssh db9 mysql --version") == {}
    assert software("8.4.4", "mysql -h db9 -Ne 'select version()'") == {}


def test_a_client_asks_the_server_of_its_own_host() -> None:
    assert software("8.4.4", "mysql -h web7 -Ne 'select version()'") == {"mysql": "8.4.4"}


def test_a_fork_is_called_by_its_own_name() -> None:
    assert software("11.4.5-MariaDB-log", "mysql -Ne 'select @@version'") == {
        "mariadb": "11.4.5-MariaDB-log"
    }


def test_programs_of_a_chain_each_get_their_line() -> None:
    text = "nginx version: nginx/1.27.4\nPHP 8.4.3 (cli) (built: Jan 1 2025)\nv22.13.1"

    found = software(text, "nginx -v 2>&1; php -v | head -1; node -v")

    assert found == {"nginx": "1.27.4", "php": "8.4.3", "node": "22.13.1"}


def test_of_a_failed_chain_only_named_lines_before_the_failure_count() -> None:
    text = "nginx version: nginx/1.27.4\nbash: frobd: command not found"

    assert software(text, "nginx -v; frobd --version", rc=127) == {"nginx": "1.27.4"}


@pytest.mark.parametrize("rc", [1, 2, 126, 127, 124, 137])
def test_a_failed_command_teaches_nothing(rc: int) -> None:
    assert software("frobd 3.2.1", "frobd --version", rc=rc) == {}


def test_a_refusal_without_exit_code_teaches_nothing() -> None:
    assert software("bash: frobd-2.1: command not found", "frobd-2.1 --version") == {}


def test_the_clients_half_counts_when_the_server_did_not_answer() -> None:
    text = "Client:\n Version:    27.5.1\n API version: 1.47\nCannot connect to the Docker daemon"

    assert software(text, "docker version", rc=1) == {"docker": "27.5.1"}


def test_client_and_server_of_a_cluster_are_two_programs() -> None:
    text = "Client Version: v1.32.1\nKustomize Version: v5.5.0\nServer Version: v1.31.4"

    assert software(text, "kubectl version") == {"kubectl": "1.32.1", "kubernetes": "1.31.4"}


@pytest.mark.parametrize(
    ("command", "text"),
    [
        ("npm view express version", "5.0.1"),
        ("apt list --upgradable", "nginx/noble 1.27.4-1 amd64 [upgradable from: 1.27.3-1]"),
        ("curl -sI https://shop.example.com", "HTTP/2 200\nserver: nginx/1.27.4"),
        ("curl -s https://api.example.com/releases/latest | jq -r .tag", "v3.3.0"),
        ("cat requirements.txt", "django==5.1.5\ncelery>=5.0"),
        ("cat Dockerfile", "FROM redis:7.4.2"),
        ("grep -i version README.md", "Needs redis version 6.2 or newer"),
        ("tail -1 /var/log/nginx/access.log", '10.2.0.9 - - "GET / HTTP/1.1" 200 "curl/8.12.0"'),
        ("docker images", "redis   7.4.2   aaaaaaaaaaaa   2 years ago   105MB"),
        ("docker run --rm redis:7 redis-server -v", "Redis server v=7.4.2"),
        ("nmap -sV 10.2.0.9", "22/tcp open ssh OpenSSH 9.9p1"),
        ("git tag | tail -1", "v2.3.1"),
        ("ping -c1 10.2.0.1", "64 bytes from 10.2.0.1: icmp_seq=1 ttl=64 time=0.3 ms"),
        ("frobd --version | wc -c", "12.5"),
        ("yum info nginx", "Available Packages\nName : nginx\nVersion : 1.27.4"),
        ("helm search repo redis", "NAME CHART VERSION\nx/redis 20.6.3 7.4.2"),
    ],
)
def test_what_is_offered_wanted_or_elsewhere_is_not_installed(command: str, text: str) -> None:
    assert software(text, command) == {}


def test_a_newer_version_that_is_advertised_is_not_learned() -> None:
    text = "Frob v1.6.6\n\nYour version is out of date! The latest version is 1.7.0."

    assert software(text, "frob version") == {"frob": "1.6.6"}


# --- packages -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("command", "text", "found"),
    [
        ("dpkg -l curl", "ii  curl  8.12.1-1  amd64  transfers data\nrc  old  1.0-1  amd64  gone",
         {"curl": "8.12.1-1"}),
        ("rpm -q python3-pip", "python3-pip-23.3.2-2.fc41.noarch",
         {"python3-pip": "23.3.2-2.fc41"}),
        ("apk info -v | grep redis", "redis-7.4.2-r0", {"redis": "7.4.2-r0"}),
        ("pip show flask | head -2", "Name: Flask\nVersion: 3.1.0", {"flask": "3.1.0"}),
        ("npm ls -g --depth=0", "/usr/lib\n├── pm2@5.4.3", {"pm2": "5.4.3"}),
        ("gem list | grep puma", "puma (6.6.0)", {"puma": "6.6.0"}),
        ("dpkg-query -W -f='${Version}\\n' nginx", "1.27.4-1", {"nginx": "1.27.4-1"}),
        ("docker ps", "3f2a  grafana/grafana:11.5.1  \"/run.sh\"  2 weeks ago",
         {"grafana": "11.5.1"}),
    ],
)  # fmt: skip
def test_installed_packages_are_facts(command: str, text: str, found: dict[str, str]) -> None:
    assert software(text, command) == found


def test_of_a_policy_only_the_installed_version_counts() -> None:
    text = (
        "keepalived:\n  Installed: {}\n  Candidate: 1:2.3.2-1\n  Version table:\n     1:2.3.2-1 500"
    )

    assert software(text.format("1:2.3.1-1"), "apt-cache policy keepalived") == {
        "keepalived": "2.3.1-1"
    }
    assert software(text.format("(none)"), "apt-cache policy keepalived") == {}


def test_of_a_long_list_only_well_known_packages_are_kept() -> None:
    rows = [f"ii  libthing{n}  1.{n}-1  amd64  a library" for n in range(500)]
    rows.insert(250, "ii  nginx  1.27.4-1  amd64  a web server")

    assert software("\n".join(rows), "dpkg -l") == {"nginx": "1.27.4-1"}


# --- services -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("command", "text", "found"),
    [
        ("redis-cli info server", "redis_version:7.4.2\nuptime_in_seconds:99", {"redis": "7.4.2"}),
        ("curl -s localhost:3000/api/health", '{"database":"ok","version":"11.5.1"}',
         {"grafana": "11.5.1"}),
        ("curl -sI http://127.0.0.1", "HTTP/1.1 200 OK\nServer: nginx/1.27.4", {"nginx": "1.27.4"}),
        ("echo srvr | nc localhost 2181", "Zookeeper version: 3.9.3-abc, built on 2024",
         {"zookeeper": "3.9.3"}),
        ("vault status", "Key  Value\nSealed  false\nVersion  1.18.4", {"vault": "1.18.4"}),
    ],
)  # fmt: skip
def test_a_service_of_this_host_says_who_it_is(
    command: str, text: str, found: dict[str, str]
) -> None:
    assert software(text, command) == found
