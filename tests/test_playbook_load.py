"""What burns the CPU and what eats the memory: named, with the lines that prove it."""

import pytest

from tests.offline_ailing import ailing, cause_of, cited, ps
from tests.offline_talk import Ended, Machine, Talk, machine

SINCE = "2026-11-30 11:59:5"
UPTIME = " 12:00:00 up 9 days,  1:02,  1 user,  load average: {load}, {load}, 0.60\n"
VMSTAT = """procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu-----
 r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st
 2  0      0 900000  60000 900000    0    0     2     4  100  200  9  1 89  1  0
 2  0  0 900000  60000 900000 {swap}  0  0  0  100  200 {us}  1 {idle} {wa} {st}
"""
TOP = "{pid:>7} app       20   0   90000  11000   6000 R  {cpu}  0.1   9:30.12 {args}\n"
MEMINFO = """MemTotal:        8000000 kB
MemFree:          {free} kB
MemAvailable:     {free} kB
Buffers:           20000 kB
Cached:           300000 kB
Shmem:              1000 kB
SUnreclaim:        40000 kB
SwapTotal:             0 kB
SwapFree:              0 kB
"""
PS_AUX = """USER         PID %CPU %MEM    VSZ   RSS TTY      STAT START   TIME COMMAND
app          {pid}  2.0 70.0 6500000 {rss} ?        Sl   08:00   1:00 {args}
root           1  0.0  0.1  20000  9000 ?        Ss   Nov21   0:10 /sbin/init
"""


def vmstat(*, us: int = 5, idle: int = 90, wa: int = 0, st: int = 0, swap: int = 0) -> str:
    return VMSTAT.format(us=us, idle=idle, wa=wa, st=st, swap=swap)


def loaded(load: float = 1.5, **seconds: int) -> dict[str, str]:
    return {
        "LC_ALL=C uptime": UPTIME.format(load=load),
        "nproc": "2\n",
        "vmstat 1 2": vmstat(**seconds),
    }


BURNING = ps(600, "/usr/bin/python3 /opt/digest/make.py", stat="R", cpu=96.0)
TOP_BURNING = TOP.format(pid=600, cpu=97.3, args="/usr/bin/python3 /opt/digest/make.py")


def test_a_retry_without_a_pause_burns_a_core() -> None:
    given = ailing(
        [BURNING],
        {
            "/var/log/digest/make.log": f"{SINCE}9 ERROR make[600]: "
            "page 17 cannot be parsed, retrying"
        },
        more={
            **loaded(us=50, idle=48),
            "top -b -c": TOP_BURNING,
            "cat /opt/digest/make.py": "12:while pages:\n17:    except ValueError:\n",
        },
    )
    said = cause_of(
        given, zh="这台机器很卡，是什么在占 CPU？", en="The machine is sluggish: what uses the CPU?"
    )
    for text in said.values():
        assert all(part in text for part in ("/opt/digest/make.py", "97.3%", "page 17", "PID 600"))
    commands = cited(given, "What uses the CPU?")
    assert any("top -b -c" in each for each in commands)
    assert any("tail -n 300" in each for each in commands)


def test_a_program_that_spins_is_named_though_its_log_is_silent() -> None:
    given = ailing([BURNING], more={**loaded(us=50, idle=48), "top -b -c": TOP_BURNING})
    said = cause_of(given, zh="CPU 为什么这么高？", en="Why is the CPU load so high?")
    for text in said.values():
        assert all(part in text for part in ("/opt/digest/make.py", "97.3%", "kill 600"))


def test_runs_that_pile_up_are_counted() -> None:
    heap = [ps(610 + n, "/bin/bash /opt/stats/hourly.sh", cpu=24.0, age_s=60 * n) for n in range(6)]
    given = ailing(heap, more=loaded(load=6.5, us=95, idle=2))
    said = cause_of(given, zh="负载为什么这么高？", en="Why is the load so high?")
    for text in said.values():
        assert all(part in text for part in ("6", "/opt/stats/hourly.sh", "144%", "flock"))


def test_a_busy_hypervisor_is_told_when_the_machine_itself_is_idle() -> None:
    given = ailing(
        [ps(620, "/usr/bin/python3 /opt/shelf/shelf.py")],
        more={
            **loaded(us=10, idle=20, st=60),
            "top -b -c": TOP.format(
                pid=620, cpu="2.0", args="/usr/bin/python3 /opt/shelf/shelf.py"
            ),
        },
    )
    said = cause_of(given, zh="CPU 很慢，为什么？", en="Why is the CPU so slow?")
    for text in said.values():
        assert "60%" in text
        assert "steal" in text


def test_a_quiet_machine_burns_nothing() -> None:
    given = ailing(
        [ps(630, "/usr/bin/python3 /opt/shelf/shelf.py")],
        {"/var/log/shelf/shelf.log": f"{SINCE}1 ERROR shelf[630]: no such title"},
        more={
            **loaded(load=0.2),
            "top -b -c": TOP.format(
                pid=630, cpu="1.0", args="/usr/bin/python3 /opt/shelf/shelf.py"
            ),
        },
    )
    said = cause_of(given, zh="是什么在占 CPU？", en="What uses the CPU?")
    assert said == {"zh": "", "en": ""}


def with_memory(free: int, rss: int, more: dict[str, str] | None = None) -> Machine:
    return ailing(
        [ps(640, "/usr/bin/java -jar /opt/search/search.jar")],
        more={
            **loaded(),
            "/proc/meminfo": MEMINFO.format(free=free),
            "--sort=-rss": PS_AUX.format(
                pid=640, rss=rss, args="/usr/bin/java -jar /opt/search/search.jar"
            ),
            **(more or {}),
        },
    )


@pytest.mark.parametrize(("free", "named"), [(300_000, True), (5_000_000, False)])
def test_one_process_eats_the_memory_only_if_little_is_left(free: int, named: bool) -> None:
    said = cause_of(
        with_memory(free, 5_600_000), zh="内存为什么不够？", en="What uses up the memory?"
    )
    for text in said.values():
        assert all(part in text for part in ("search.jar", "PID 640", "5.3 GiB")) is named


def test_the_killer_is_told_when_it_killed_what_was_asked_for() -> None:
    kill = "[811.2] Out of memory: Killed process 640 (searchd) total-vm:6500000kB\n"
    given = with_memory(5_000_000, 9_000, {"LC_ALL=C dmesg": kill})
    said = cause_of(
        given, zh="searchd 被杀了，是内存吗？", en="searchd was killed; is it the memory?"
    )
    for text in said.values():
        assert all(part in text for part in ("searchd", "640", "OOM"))


def test_a_group_reached_its_own_limit() -> None:
    group = "/sys/fs/cgroup/system.slice/searchd.service"
    kills = f"{group}/memory.events:oom_kill 4\n{group}/memory.max:536870912\n"
    given = with_memory(5_000_000, 9_000, {"memory.events": kills})
    said = cause_of(given, zh="searchd 内存不足？", en="Is searchd out of memory?")
    for text in said.values():
        assert all(part in text for part in ("searchd.service", "512 MiB", "4"))


def test_a_kernel_that_promises_no_more_refuses_though_memory_is_free() -> None:
    given = ailing(
        logs={"/var/log/render/render.log": f"{SINCE}1 ERROR render[77]: Cannot allocate memory"},
        more={
            **loaded(),
            "overcommit_memory": "2\nCommitLimit:     4000000 kB\nCommitted_AS:    3990000 kB\n",
            "/proc/meminfo": MEMINFO.format(free=6_000_000),
        },
    )
    said = cause_of(
        given, zh="render 内存分配失败，为什么？", en="Why does render run out of memory?"
    )
    for text in said.values():
        assert "overcommit_memory" in text


def test_a_machine_without_tools_names_no_cause() -> None:
    bare = machine("", {"uptime": Ended(127, "sh: uptime: not found\n")})
    answer = Talk({"web1": bare}).ask("why is the cpu load high and the memory full?")
    assert "Root cause" not in answer
