"""What of a machine's own listings lasts: real disks, chosen ports, programs that stay."""

import pytest

from walissh.memory.entry import MemoryType
from walissh.memory.extract import facts


def environment(text: str, command: str) -> dict[str, str]:
    """Return subject to value of what was learned about the environment."""
    found = facts.from_tool(text, command=command, host="web7", rc=0)
    return {each.subject: each.value for each in found if each.type is MemoryType.ENVIRONMENT_FACT}


# --- disks ----------------------------------------------------------------------------

DF_TYPES = """Filesystem     Type      Size  Used Avail Use% Mounted on
udev           devtmpfs  7.8G     0  7.8G   0% /dev
/dev/vdb3      xfs       120G   70G   50G  59% /srv
/dev/loop7     squashfs   64M   64M     0 100% /snap/frob/19
nas3:/vol/a    nfs4      2.0T  1.1T  900G  55% /home
overlay        overlay   120G   70G   50G  59% /var/lib/docker/overlay2/ab/merged
box9           9p        100G   10G   90G  10% /mnt/host
hostfs         virtiofs  100G   10G   90G  10% /opt/shared
tmpfs          tmpfs     1.6G     0  1.6G   0% /run/user/1000"""


def test_only_file_systems_on_disks_and_servers_are_disks() -> None:
    assert environment(DF_TYPES, "df -hT") == {
        "disk /srv": "/dev/vdb3 on /srv xfs, 120G",
        "disk /home": "nas3:/vol/a on /home nfs4, 2.0T",
    }


@pytest.mark.parametrize(
    "row",
    [
        "sandbox_tools   4.0K  4.0K     0 100% /mnt/tools/v1",
        "none            100K  4.0K   96K   4% /mnt/extra",
        "lxcfs            16G     0   16G   0% /var/lib/lxcfs",
        "/dev/sda2        98G   61G   33G  66% /etc/hosts",
        "shm              64M  1.1M   63M   2% /dev/shm",
    ],
)
def test_a_pseudo_file_system_without_its_type_is_no_disk(row: str) -> None:
    assert environment(f"Filesystem Size Used Avail Use% Mounted on\n{row}", "df -h") == {}


@pytest.mark.parametrize(
    ("command", "head", "value"),
    [
        ("df", "1K-blocks", "/dev/sdb on /srv, 2048000 KiB"),
        ("df -B1", "1B-blocks", "/dev/sdb on /srv, 2048000 bytes"),
        ("df -m", "1M-blocks", "/dev/sdb on /srv, 2048000 MiB"),
    ],
)
def test_the_unit_of_a_disk_is_the_one_printed(command: str, head: str, value: str) -> None:
    text = f"Filesystem {head} Used Available Use% Mounted on\n/dev/sdb 2048000 5 6 1% /srv"
    assert environment(text, command) == {"disk /srv": value}


@pytest.mark.parametrize(
    ("command", "value"),
    [("free", "15918 KiB"), ("free -mt", "15918 MiB"), ("free --mega", "15918 MB")],
)
def test_a_total_without_a_unit_gets_the_one_asked_for(command: str, value: str) -> None:
    text = "       total   used   free\nMem:   15918   9800   1204\nSwap:      0      0      0"
    assert environment(text, command) == {"memory total": value}


def test_kernel_file_systems_are_no_mounts() -> None:
    text = (
        "sysfs on /sys type sysfs (rw)\nproc on /proc type proc (rw)\n"
        "cgroup2 on /sys/fs/cgroup type cgroup2 (rw)\nportal on /home/x/doc type fuse.portal (rw)\n"
        "/dev/sda2 on / type ext4 (rw)"
    )
    assert environment(text, "mount") == {"mount /": "/dev/sda2 on / type ext4"}


# --- ports ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("port", "who"),
    [
        (0, "frobd"),
        (36917, "frobd"),
        (8123, "pytest"),
        (9222, "chrome"),
        (6011, "sshd"),
        (15432, "ssh"),
        (68, "dhclient"),
    ],
)
def test_a_port_that_nobody_chose_for_long_is_no_fact(port: int, who: str) -> None:
    row = f'tcp LISTEN 0 128 127.0.0.1:{port} 0.0.0.0:* users:(("{who}",pid=91,fd=9))'
    assert environment(row, "ss -tulpn") == {}


def test_a_well_known_high_port_is_a_fact() -> None:
    row = 'tcp LISTEN 0 70 127.0.0.1:33060 0.0.0.0:* users:(("mysqld",pid=9,fd=2))'
    assert environment(row, "ss -tlnp") == {"port 33060": "33060 mysqld on 127.0.0.1"}


def test_the_port_published_by_chance_is_no_fact() -> None:
    row = "aa11 frob:1.0 x 3 days ago Up 3 days 0.0.0.0:49153->8000/tcp frob"
    assert not environment(f"HEAD\n{row}", "docker ps")


def test_an_address_is_no_port() -> None:
    found = environment("bind 127.0.0.1 -::1\nport 6390", "cat /etc/redis/redis.conf")
    assert "port 127" not in found
    assert found["port 6390"] == "6390 redis (port)"


# --- processes ------------------------------------------------------------------------

PS_EF = """UID   PID PPID C STIME TTY     TIME     CMD
root    1    0 0 Jan01 ?   00:01:11 /sbin/init
frob  901    1 4 Jan02 ?   00:00:20 /usr/bin/frobd --port 7070 --data-dir /srv/frob
ann   902    1 4 10:00 ?   00:00:08 /usr/bin/postgres -D /tmp/try/d -p 55474
ann   903    1 4 10:00 ?   00:00:02 python -m pytest --data /srv/x --port 7171
ann   904    1 4 10:00 ?   00:00:02 chromium --user-data-dir=/tmp/p1 --port=9229
ann   905  904 0 10:00 p/0 00:00:00 tail -f /var/log/frob.log
ann   906  904 0 10:00 p/0 00:00:00 mysqldump --port=3306 shop"""


def test_of_processes_only_those_that_stay_teach() -> None:
    assert environment(PS_EF, "ps -ef") == {
        "port 7070": "7070 frobd",
        "data dir frobd": "/srv/frob",
    }


@pytest.mark.parametrize(
    ("command", "row"),
    [
        ("ps aux | grep frob", "frob 901 0.1 0.2 100 200 ? Ssl Jan02 9:01 /usr/bin/frobd -p=1 "
         "--port 7070"),
        ("ps -ef | grep frob", "frob 901 1 4 Jan02 ? 1-02:11:09 /usr/bin/frobd --port 7070"),
        ("ps -eo pid,user,lstart,args | tail -1",
         "901 frob Mon Jan  5 10:00:00 2026 /usr/bin/frobd --port 7070"),
        ("pgrep -af frob", "901 /usr/bin/frobd --port 7070"),
        ("ps aux | grep frob", "frob 901 0.1 0.2 100 200 ? Sl Jan02 9:01 python3 /opt/frobd.py "
         "--port 7070"),
        ("ps aux | grep frob", "frob 901 0.1 0.2 100 200 ? Sl Jan02 9:01 /usr/bin/java -Xss1m "
         "-jar /opt/frobd.jar --port 7070"),
    ],
)  # fmt: skip
def test_a_process_is_known_by_its_program_not_by_its_numbers(command: str, row: str) -> None:
    assert environment(row, command)["port 7070"] == "7070 frobd"


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ("*/5 * * * * [ -d /srv/x ] && /srv/x/sync.sh --token=abc", "*/5 * * * * /srv/x/sync.sh"),
        ("0 3 * * 0 cd /srv/r && python3 weekly.py", "0 3 * * 0 weekly.py"),
        ("10 3 * * * test -e /run/systemd/system || /usr/lib/frob/scrub -A",
         "10 3 * * * /usr/lib/frob/scrub"),
    ],
)  # fmt: skip
def test_a_job_is_what_runs_not_what_is_asked_before(line: str, value: str) -> None:
    assert list(environment(line, "crontab -l").values()) == [value]


# --- names ----------------------------------------------------------------------------


def test_an_address_of_a_bridge_or_a_container_s_name_is_none() -> None:
    assert list(environment("10.9.0.12 172.17.0.1 172.18.0.1", "hostname -I").values()) == [
        "10.9.0.12"
    ]
    assert environment("3f2a1b9c0d4e", "hostname") == {}


def test_of_a_whole_list_of_packages_only_known_ones_are_kept() -> None:
    rows = [f"ii  libfrob{n}  1.{n}-1  amd64  a library" for n in range(12)]
    text = "\n".join([*rows, "ii  nginx  1.22.1-9  amd64  small, powerful server"])
    found = facts.from_tool(text, command="dpkg -l | head -30", host="web7", rc=0)
    assert [each.subject for each in found] == ["nginx"]


def test_a_limit_of_a_process_number_says_nothing_tomorrow() -> None:
    text = "Max open files            1024                 4096                 files"
    assert environment(text, "cat /proc/2231/limits | grep open") == {}
    assert environment(text, "cat /proc/self/limits") == {"nofile limit": "1024"}


def test_two_values_of_one_subject_stand_beside_each_other() -> None:
    text = "backend b\n    server one 10.0.0.21:8080 check\n    server two 10.0.0.22:8080 check"
    assert environment(text, "cat /etc/haproxy/haproxy.cfg") == {
        "haproxy server": "one 10.0.0.21:8080 check",
        "haproxy server two": "two 10.0.0.22:8080 check",
    }


def test_a_script_with_a_plain_name_is_called_after_its_folder() -> None:
    row = "901 /usr/bin/node /srv/frobshop/index.js --port 7001"
    assert environment(row, "pgrep -af node") == {"port 7001": "7001 frobshop"}
