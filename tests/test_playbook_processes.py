"""Processes, their limits and locks: the cause is named, with the lines that prove it."""

import pytest

from tests.offline_ailing import NOW_S, ailing, cause_of, cited, listens, ps
from tests.offline_talk import Machine

SINCE = "2026-11-30 11:59:50"


def detail(pid: int, **known: object) -> str:
    """Return what is asked of one process in detail."""
    usual = {
        "state": "S",
        "threads": 1,
        "vm_kib": 90_000,
        "peak_kib": 91_000,
        "nofile": 1024,
        "nproc": 7000,
        "space": "unlimited",
        "fsize": "unlimited",
        "fds": 8,
        "tasks": 3,
        "user": "app",
        "wait": 0,
        "cwd": "/",
        "kinds": "1 socket",
    }
    fields = {**usual, **known}
    return f"{pid} " + " ".join(f"{name}={value}" for name, value in fields.items()) + "\n"


def test_children_that_are_never_reaped_use_up_the_process_limit() -> None:
    parent = ps(300, "/usr/bin/python3 /opt/planner/planner.py", user="plan")
    dead = [ps(400 + n, "[step] <defunct>", parent=300, user="plan", stat="Z") for n in range(12)]
    given = ailing(
        [parent, *dead],
        {
            "/var/log/planner/planner.log": f"{SINCE} ERROR planner[300]: step not started: "
            "[Errno 11] Resource temporarily unavailable"
        },
        more={
            "/proc/$p/limits": detail(300, nproc=14, tasks=14, user="plan"),
            "Limit(AS|NOFILE": "/opt/planner/go.sh:2:ulimit -u 14\n",
        },
    )
    said = cause_of(
        given,
        zh="任务计划程序 planner 一个任务都起不来了，为什么？",
        en="The planner cannot start a single job any more. Why?",
    )
    for text in said.values():
        assert all(part in text for part in ("/opt/planner/planner.py", "12", "14", "wait()"))
    assert "僵尸" in said["zh"]
    assert "zombie" in said["en"]
    assert any("ps --ppid 2" in each for each in cited(given, "Why does the planner do nothing?"))


def leaking(fds: int) -> str:
    return detail(310, nofile=256, fds=fds, kinds="240 socket, 6 /opt/relay/relay.py")


@pytest.mark.parametrize(("fds", "named"), [(255, True), (12, False)])
def test_descriptors_are_the_cause_only_while_they_are_used_up(fds: int, named: bool) -> None:
    given = ailing(
        [ps(310, "/usr/bin/python3 /opt/relay/relay.py")],
        {"/var/log/relay/relay.log": f"{SINCE} ERROR relay[310]: accept: Too many open files"}
        if named
        else {"/var/log/relay/relay.log": f"{SINCE} INFO relay[310]: accepted"},
        more={
            "/proc/$p/limits": leaking(fds),
            "Limit(AS|NOFILE": "/opt/relay/start.sh:3:ulimit -n 256\n",
        },
    )
    said = cause_of(
        given,
        zh="relay 不再接受新连接，请查原因。",
        en="The relay accepts no new connections. What is the cause?",
    )
    for text in said.values():
        assert all(part in text for part in ("255", "256", "240 socket", "nofile")) is named


def test_a_suspended_process_answers_nobody() -> None:
    given = ailing([ps(320, "/usr/bin/python3 /opt/rating/rating.py", stat="T")])
    said = cause_of(
        given,
        zh="评分服务 rating 没反应，请求都挂着。",
        en="The rating service hangs and answers no request.",
    )
    for text in said.values():
        assert all(part in text for part in ("PID 320", "SIGSTOP", "kill -CONT 320"))
    assert any("ps --ppid 2" in each for each in cited(given, "Why does rating hang?"))


def test_an_editor_in_the_background_is_no_cause() -> None:
    given = ailing([ps(321, "vim notes.txt", stat="T", user="ann")])
    said = cause_of(given, zh="服务没反应，为什么？", en="A service hangs. Why?")
    assert said == {"zh": "", "en": ""}


def test_two_instances_of_one_program_do_everything_twice() -> None:
    given = ailing(
        [
            ps(330, "/usr/bin/python3 /opt/pager/pagerd.py", user="app", age_s=900),
            ps(331, "python3 pagerd.py --try", user="ann", age_s=90_000),
        ],
        more={"/proc/$p/limits": detail(330) + detail(331, cwd="/home/ann/try")},
    )
    said = cause_of(
        given,
        zh="每条告警都收到两次，pagerd 重启过还是一样。",
        en="Every alarm arrives twice, even after pagerd was restarted.",
    )
    for text in said.values():
        assert all(part in text for part in ("pagerd.py", "330", "331", "ann", "/home/ann/try"))


def test_workers_of_one_parent_are_not_two_instances() -> None:
    workers = [ps(341 + n, "/usr/bin/python3 /opt/web/web.py", parent=340) for n in range(4)]
    given = ailing([ps(340, "/usr/bin/python3 /opt/web/web.py"), *workers])
    said = cause_of(
        given, zh="每封邮件都收到两次，web 有问题？", en="Each mail arrives twice; is it web?"
    )
    assert said == {"zh": "", "en": ""}


STALE = f"gone pid=4711 at={NOW_S - 3600} user=root /run/meterd.pid text=4711 cmd=\n"
CHECK = "/etc/init.d/meterd:21:        if [ -f $PIDFILE ]; then\n"


def test_a_pid_file_of_a_dead_process_stops_the_start() -> None:
    given = ailing(more={"grep -aHsm1": STALE, "O_EXCL|flock": CHECK})
    said = cause_of(
        given,
        zh="meterd 起不来，/etc/init.d/meterd start 没有效果。",
        en="meterd does not come up; /etc/init.d/meterd start has no effect.",
    )
    for text in said.values():
        assert all(part in text for part in ("/run/meterd.pid", "4711", "/etc/init.d/meterd:21"))
    commands = cited(given, "meterd does not come up. Why?")
    assert any("grep -aHsm1" in each for each in commands)
    assert any("O_EXCL|flock" in each for each in commands)


def test_a_lock_made_by_mkdir_is_removed_with_its_folder() -> None:
    lock = f"gone pid=4711 at={NOW_S - 10_800} user=app /var/lib/intake/import.lock/owner"
    given = ailing(
        logs={"/var/log/intake/import.log": f"{SINCE} import already runs, import.lock exists"},
        more={
            "grep -aHsm1": f"{lock} text=4711 cmd=\n",
            "O_EXCL|flock": '/opt/intake/import:4:mkdir "/var/lib/intake/import.lock" || exit 1\n',
        },
    )
    said = cause_of(
        given, zh="intake 的导入 import 为什么不运行了？", en="Why does import of intake not run?"
    )
    assert "rm -r /var/lib/intake/import.lock`" in said["zh"]
    assert "rm -r /var/lib/intake/import.lock`" in said["en"]
    assert "3 小时前" in said["zh"]
    assert "3 hours ago" in said["en"]


def test_a_pid_file_of_a_living_process_is_no_cause() -> None:
    alive = f"alive pid=350 at={NOW_S - 60} user=root /run/meterd.pid text=350 cmd=meterd\n"
    given = ailing(
        [ps(350, "/usr/sbin/meterd")], more={"grep -aHsm1": alive, "O_EXCL|flock": CHECK}
    )
    said = cause_of(given, zh="meterd 起不来吗？", en="Does meterd not start?")
    assert said == {"zh": "", "en": ""}


def test_a_lock_without_a_holder_skips_every_run() -> None:
    given = ailing(
        logs={
            "/var/log/stocksync/sync.log": f"{SINCE} another sync is active, "
            "lock /var/lib/stocksync/sync.lock is held, skipping"
        },
        more={
            "grep -aHsm1": f"none pid= at={NOW_S - 90_000} user=app "
            "/var/lib/stocksync/sync.lock text= cmd=\n"
        },
    )
    said = cause_of(
        given,
        zh="stocksync 库存同步不再跑了，为什么？",
        en="The stock sync (stocksync) no longer runs. Why?",
    )
    assert "/var/lib/stocksync/sync.lock" in said["zh"]
    assert "残留" in said["zh"]
    assert "stale" in said["en"]


def test_a_limit_in_the_start_script_is_why_memory_runs_out() -> None:
    given = ailing(
        [ps(360, "/bin/bash /opt/forecast/run.sh")],
        {"/var/log/forecast/forecast.log": f"{SINCE} CRITICAL forecast[9001] MemoryError()"},
        more={"Limit(AS|NOFILE": "/opt/forecast/run.sh:3:ulimit -v 350000\n"},
    )
    said = cause_of(
        given,
        zh="预测服务 forecast 起不来，机器内存还很多。",
        en="The service forecast does not come up although memory is free.",
    )
    for text in said.values():
        assert all(part in text for part in ("/opt/forecast/run.sh:3", "ulimit -v 350000"))


def test_a_file_stops_growing_at_the_limit_of_its_writer() -> None:
    given = ailing(
        [ps(370, "/usr/bin/python3 /opt/dump/dump.py")],
        {"/var/log/dump/dump.log": f"{SINCE} ERROR dump: row 812: File too large"},
        more={"/proc/$p/limits": detail(370, fsize=4_194_304)},
    )
    said = cause_of(
        given, zh="dump 的导出总是不完整，为什么？", en="The dump is incomplete. Why does it fail?"
    )
    for text in said.values():
        assert "4096 KiB" in text
        assert "RLIMIT_FSIZE" in text or "ulimit -f" in text


def test_an_old_process_in_a_deleted_directory_still_answers() -> None:
    given = ailing(
        [ps(380, "python3 ./basket.py", user="deploy")],
        {
            "/var/log/basket/basket.log": f"{SINCE} CRITICAL basket[9002] 2.5: "
            "cannot listen on 8610: Address already in use"
        },
        ports=[listens(8610, 380)],
        more={"/proc/$p/limits": detail(380, cwd="/srv/basket/releases/2.4 (deleted)")},
    )
    said = cause_of(
        given,
        zh="basket 2.5 已经发布，端口 8610 上还是 2.4，为什么？",
        en="basket 2.5 was released but port 8610 still serves 2.4. Why?",
    )
    for text in said.values():
        assert all(part in text for part in ("PID 380", "8610", "/srv/basket/releases/2.4"))
    assert "旧进程" in said["zh"]
    assert "old process" in said["en"]


QUESTIONS = [
    ("进程是不是有问题？", "Is anything wrong with the processes?"),
    ("服务卡住了吗？", "Is a job stuck?"),
    ("为什么起不来？锁住了吗？", "Why does it not start, is it locked?"),
    ("句柄用完了吗？", "Are there too many open files?"),
]


@pytest.mark.parametrize(("zh", "en"), QUESTIONS)
def test_a_machine_in_order_has_no_cause(zh: str, en: str) -> None:
    given = ailing(
        [ps(390, "/usr/bin/python3 /opt/shelf/shelf.py")],
        {"/var/log/shelf/shelf.log": f"{SINCE} INFO shelf[390]: 12 rows"},
        more={
            "/proc/$p/limits": detail(390),
            "ls -l /proc/[0-9]*/fd": "390 log /var/log/shelf/shelf.log \n",
            "grep -aHsm1": f"alive pid=390 at={NOW_S} user=app /run/shelf.pid text=390 "
            "cmd=/usr/bin/python3 /opt/shelf/shelf.py\n",
        },
    )
    assert cause_of(given, zh=zh, en=en) == {"zh": "", "en": ""}


PIPE = "/run/intake/out.pipe"


def at_a_pipe(*processes: str) -> Machine:
    """Return a machine whose program waits for another at a named pipe."""
    return ailing(
        [ps(395, "/usr/bin/python3 /opt/intake/intaked.py"), *processes],
        {
            "/var/log/intake/intaked.log": f"{SINCE} INFO intaked: handing over to {PIPE}",
            "/var/log/intake/sender.log": f"{SINCE} CRITICAL sender: invalid target, exiting",
        },
        more={
            "-type p": f"app 644 {PIPE}\n",
            f"-- {PIPE}": f'/opt/intake/intaked.py:7:PIPE = "{PIPE}"\n'
            f'/opt/intake/sender.py:9:with open("{PIPE}") as pipe:\n',
        },
    )


def test_a_writer_hangs_at_a_pipe_that_nobody_reads() -> None:
    said = cause_of(
        at_a_pipe(), zh="intaked 的请求都挂着不返回。", en="Requests to intaked hang. Why?"
    )
    for text in said.values():
        assert all(part in text for part in (PIPE, "/opt/intake/sender.py", "invalid target"))
    assert any("-type p" in each for each in cited(at_a_pipe(), "Requests to intaked hang. Why?"))


def test_a_pipe_with_both_ends_is_no_cause() -> None:
    given = at_a_pipe(ps(396, "/usr/bin/python3 /opt/intake/sender.py"))
    said = cause_of(given, zh="intaked 的请求都挂着不返回。", en="Requests to intaked hang. Why?")
    assert not any(PIPE in text for text in said.values())
