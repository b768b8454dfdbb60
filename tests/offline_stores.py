"""A machine with a store on it, told by parts of the commands that look at it."""

# ruff: noqa: E501  output is as wide as machines write it
from collections.abc import Mapping

from tests import offline_talk as talk
from tests.offline_talk import Ended, Machine, Talk

CLOCK = Ended(0, "1772000400 2026-02-25 06:20:00 UTC+0000 UTC")
PS_HEAD = "    PID    PPID USER             STAT  NI %CPU %MEM   RSS ELAPSED COMMAND\n"
SS_HEAD = """Netid State  Recv-Q Send-Q Local Address:Port Peer Address:PortProcess
tcp   LISTEN 0      128        0.0.0.0:22        0.0.0.0:*    users:(("sshd",pid=90,fd=3))
"""
REDIS_PS = "    310       1 redis            Ssl    0  0.4  0.1 17724  9000 /usr/bin/redis-server 127.0.0.1:6379\n"
REDIS_SS = 'tcp   LISTEN 0      511        127.0.0.1:6379      0.0.0.0:*    users:(("redis-server",pid=310,fd=6))\n'
PG_PS = "    420       1 postgres         Ss     0  0.1  0.1 27724  9000 /usr/lib/postgresql/16/bin/postgres -D /var/lib/postgresql/16/main\n"
PG_SS = 'tcp   LISTEN 0      244        127.0.0.1:5432      0.0.0.0:*    users:(("postgres",pid=420,fd=6))\n'
MYSQL_PS = "    530       1 mysql            Ssl    0  0.1  2.1 97724  9000 /usr/sbin/mariadbd\n"
MYSQL_SS = 'tcp   LISTEN 0      80         127.0.0.1:3306      0.0.0.0:*    users:(("mariadbd",pid=530,fd=21))\n'
REDIS_CONF = """/etc/redis/redis.conf:1:bind 127.0.0.1
/etc/redis/redis.conf:2:port 6379
/etc/redis/redis.conf:3:dir /var/lib/redis
/etc/redis/redis.conf:4:logfile /var/log/redis/redis-server.log
"""
PG_CONF = """/etc/postgresql/16/main/postgresql.conf:1:data_directory = '/var/lib/postgresql/16/main'
/etc/postgresql/16/main/postgresql.conf:2:port = 5432
/etc/postgresql/16/main/postgresql.conf:3:max_connections = 40
/etc/postgresql/16/main/pg_hba.conf:4:local all all peer
/etc/postgresql/16/main/pg_hba.conf:5:host library clerk 127.0.0.1/32 scram-sha-256
socket /var/run/postgresql/.s.PGSQL.5432
end
"""
INFO = """redis_version:7.2.4
config_file:/etc/redis/redis.conf
connected_clients:3
maxclients:10000
used_memory:1048576
used_memory_human:1.00M
maxmemory:0
maxmemory_human:0B
maxmemory_policy:noeviction
loading:0
rdb_last_bgsave_status:ok
aof_last_write_status:ok
rejected_connections:0
evicted_keys:0
role:master
db0:keys=120,expires=60,avg_ttl=0
end
"""
PG_FINE = """set|max_connections|40|/etc/postgresql/16/main/postgresql.conf|3|configuration file
rec|f
act|900|clerk|library|loans|127.0.0.1|idle|0|3|Client||commit
db|postgres|-1|t|0
db|library|-1|t|1
role|postgres|-1|t|f|
role|clerk|-1|t|f|
arch|0||f
bk|1|clerk|library|127.0.0.1|idle
end
"""
APP_LOG = "/var/log/loans/loans.log"


def store_machine(
    store: str, error: str = "", more: Mapping[str, str] | None = None, *, runs: bool = True
) -> Machine:
    """Return a machine with *store*; *error* is the last line of its application's log."""
    ps, ss = {
        "redis": (REDIS_PS, REDIS_SS),
        "postgres": (PG_PS, PG_SS),
        "mysql": (MYSQL_PS, MYSQL_SS),
    }[store]
    own = {"redis": "redis/redis-server.log", "postgres": "postgresql/main.log"}.get(store, "")
    logs = f"1772000390.1 900 640 loans:adm {APP_LOG}\n"
    logs += f"1772000380.1 900 640 {store}:adm /var/log/{own}\n" if own else ""
    app = "    777       1 loans            Ss     0  0.1  0.1 11764  9000 /usr/bin/python3 /opt/loans/app.py\n"
    fixed = {
        "date '+%s": CLOCK.output,
        "--ppid 2": PS_HEAD + app + (ps if runs else ""),
        "ss -tulpn": SS_HEAD + (ss if runs else ""),
        "find /var/log /opt": logs,
        "LC_ALL=C df -P": "Filesystem 1024-blocks Used Available Capacity Mounted on\n/dev/vda 1000000 200000 800000 20% /\n",
        "tail -n 300": f"==> {APP_LOG} <==\n{error}\n" if error else "==> {APP_LOG} <==\n",
        "for d in /etc/redis": REDIS_CONF if store == "redis" else "",
        "for d in /etc/postgresql": PG_CONF if store == "postgres" else "end\n",
        " info 2>&1": INFO,
        "timeout 6 psql": PG_FINE,
        "tail -n 200": "",
        "tail -n 250": "",
        "/run/redis*.pid": "end\n",
        "config get dir": "end\n",
        "dport = :": "end\n",
        "stat -c 'mode": "end\n",
        "PG(HOST": "/etc/loans/app.ini:3:host = 127.0.0.1\n/etc/loans/app.ini:4:user = clerk\n/etc/loans/app.ini:5:password =\nend\n",
        "/dev/tcp/": "bash: connect: Connection refused\nexit=1\n",
        "getent ahostsv4 127.0.0.1": "127.0.0.1 STREAM\nend\n",
    }
    given = more or {}
    told = {**given, **{part: text for part, text in fixed.items() if part not in given}}
    return talk.machine("", {part: Ended(0, output) for part, output in told.items()})


def causes(machine: Machine, question: str) -> tuple[str, str]:
    """Return the lines that name the cause of *question*, zh and en; "" where there is none.

    The machine is looked at once: the second answer is told from the same results.
    """
    asked = Talk({"db1": machine}, "en")
    en = asked.ask(question)
    asked.messages.pop()
    asked.language = "zh"
    zh = asked.next_reply().text
    return _line(zh, "**根因"), _line(en, "**Root cause")


def _line(answer: str, words: str) -> str:
    return next((line for line in answer.splitlines() if words in line), "")
