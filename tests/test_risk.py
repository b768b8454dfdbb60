"""What command lines are judged to do."""

import pytest

from walissh.react.turn import Risk
from walissh.safety import risk

READ_ONLY = [
    "uptime",
    "df -hT && free -m",
    "ps aux --sort=-%mem | head -n 15",
    "ss -tlnp | grep ':80'",
    "top -b -n 1 | head -20",
    "vmstat 1 3",
    "ping -c 3 example.net",
    "tail -n 200 /var/log/nginx/error.log",
    "grep -rn worker /etc/nginx 2>/dev/null | wc -l",
    "find /var/log -name '*.log' -size +10M -mtime -2",
    "journalctl -u nginx --since '1 hour ago' --no-pager -n 50",
    "systemctl --failed",
    "systemctl status nginx --no-pager",
    "nginx -t",
    "curl -sI -m 5 http://127.0.0.1:8080/health",
    "curl -s -o /dev/null -w '%{http_code}' localhost",
    "ip -br addr; ip route get 10.0.0.1",
    "dig +short example.net A",
    "openssl x509 -in /etc/ssl/site.crt -noout -enddate",
    "redis-cli -p 6380 INFO memory",
    "docker ps -a --format '{{.Names}}'",
    "docker compose -f /srv/app.yml logs --tail 50 web",
    "kubectl get pods -n prod -o wide",
    "git -C /srv/app log --oneline -20",
    "rpm -qa | sort | head",
    "dpkg -l nginx",
    "awk '$9 ~ /^5/ {n[$7]++} END {for (u in n) print n[u], u}' access.log | sort -rn | head",
    "sed -n '1,20p' /etc/hosts",
    "LC_ALL=C date -u +%F",
    "sudo -n journalctl -n 20",
    "timeout 5 tail -f /var/log/syslog",
    "bash -c 'df -h | tail -n 3'",
    "for h in a b; do ping -c 1 $h; done",
    "f=/var/log/syslog; tail -n 5 $f",
    "[ -f /etc/hosts ] && echo yes || echo no",
    "if systemctl is-active -q nginx; then echo up; fi",
    "ls -l $HOME /etc/shadow",
    "echo $(hostname -f) $?",
    "cat /etc/os-release 2>&1",
    "command -v docker",
]


@pytest.mark.parametrize("command", READ_ONLY)
def test_everyday_diagnosis_needs_no_click(command: str) -> None:
    judged = risk.classify(command)
    assert (judged.risk, judged.interactive) == (Risk.READ_ONLY, False), judged.reasons


@pytest.mark.parametrize(
    "command",
    [
        # flags and arguments that write or run something
        "sort -o /etc/motd x",
        "sort -S 1b --compress-prog=/tmp/x f",
        "uniq /tmp/in /etc/cron.d/x",
        "date 010203042026",
        "date -s tomorrow",
        "hostname web2",
        "sysctl -n net.ipv4.ip_forward=1",
        "dmesg -c",
        "find . -delete",
        "find . -fprintf /tmp/x %p",
        "find . -exec touch {} +",
        "sed '1e reboot' f",
        "sed 's/a/b/w /etc/motd' f",
        "sed -i s/a/b/ f",
        "awk 'BEGIN{system(\"reboot\")}'",
        "awk '{print > \"/etc/motd\"}' f",
        "awk '{print | \"sh\"}' f",
        "awk '/\"/ {print | \"sh\"} /\"/' f",
        "tar -cf x --checkpoint-action=exec=sh f",
        "git -c core.pager=reboot log",
        "git --exec-path=/tmp status",
        "git branch topic",
        "git log --output=/etc/motd",
        "curl -o /etc/motd http://example.net",
        "curl -d x http://example.net",
        "curl file:///etc/hosts.allow -o /etc/hosts.deny",
        "curl -w '%output{/etc/motd}x' http://example.net",
        "ip link set eth0 down",
        "ss -K dst 10.0.0.1",
        "mount -o remount,rw /",
        "journalctl --vacuum-size=1M",
        "systemctl restart nginx",
        "service nginx restart",
        "docker logs -f x; docker rm x",
        "kubectl get --raw /api/v1/namespaces/prod/secrets",
        "redis-cli config set dir /tmp",
        "redis-cli flushall",
        "xargs -a list rm",
        "openssl x509 -in a -out b",
        "nginx -c /tmp/x -t",
        # ways around the list
        "ls > /etc/motd",
        "ls &> out",
        "cat < /tmp/in <> /etc/motd",
        "ls | tee /etc/motd",
        "ls | sh",
        "echo $(reboot)",
        "echo `reboot`",
        "cat <<END\n$(reboot)\nEND",
        "cat <(reboot)",
        "ls; reboot",
        "ls\nreboot",
        "ls & reboot",
        "[[ 'a[$(reboot)]' -eq 0 ]]",
        "test -v 'a[$(reboot)]'",
        "printf -v 'a[$(reboot)]' x",
        "echo $((a[$(reboot)]))",
        'x=\'$(reboot)\'; echo "${x@P}"',
        "ls() { reboot; }; ls",
        "alias ls=reboot",
        "PATH=/tmp ls",
        "PATH=/tmp; ls",
        "LD_PRELOAD=/tmp/x.so ls",
        "GIT_PAGER=reboot git log",
        "env PATH=/tmp ls",
        "sudo LD_PRELOAD=/tmp/x ls",
        "/tmp/ls",
        "./ls",
        "a=rm; $a -rf x",
        "$(echo rm) x",
        "find /tmp -{delete,x}",
        "find /tmp *",
        "find /tmp $x",
        "bash -c \"$x\"",
        "bash -c 'ls; reboot'",
        "sudo -n bash -c reboot",
        "timeout 5 reboot",
        "eval reboot",
        "ls /dev/null </dev/tcp/10.0.0.1/80",
    ],
)  # fmt: skip
def test_what_may_change_something_is_never_read_only(command: str) -> None:
    assert risk.classify(command).risk is not Risk.READ_ONLY


@pytest.mark.parametrize(
    "command",
    [
        "cat /etc/shadow",
        "cd /etc && cat shadow",
        "cat /etc/sh*",
        "cat /etc//./shadow",
        'cat "/etc/sha"dow',
        "head -n 3 ~/.ssh/id_rsa",
        "cat < /etc/shadow",
        "for f in /etc/shadow; do cat $f; done",
        "f=shadow; cat /etc/$f",
        "sudo cat /proc/1/environ",
        "cat /proc/*/environ",
        "grep root /etc/shadow",
        "base64 /etc/ssl/private/server.key",
        "env",
        "printenv",
        "echo $AWS_SECRET_ACCESS_KEY",
        "kubectl get secret db -o yaml",
        "redis-cli config get requirepass",
        "cat .env",
    ],
)
def test_credentials_are_named_as_such(command: str) -> None:
    assert risk.classify(command).risk is Risk.SECRET_EXPOSURE


@pytest.mark.parametrize(
    "command",
    ["rm -rf /srv/data", "mkfs.ext4 /dev/sdb1", "dd if=/dev/zero of=/dev/sdb", "reboot",
     "sudo shutdown -h now", "kill -9 1", "wipefs -a /dev/sdb", "lvremove vg/data",
     "mysql -e 'DROP DATABASE app'", "find / -name '*.log' | xargs rm -rf", "ls && rm -r x",
     "kubectl delete ns prod", "redis-cli FLUSHALL", "git push --force", "echo x > /dev/sda"],
)  # fmt: skip
def test_destruction_is_named_as_such(command: str) -> None:
    assert risk.classify(command).risk is Risk.DESTRUCTIVE


@pytest.mark.parametrize(
    "command",
    ["systemctl restart nginx", "mv a b", "touch x", "mkdir x", "chmod 600 x", "echo x > y",
     "apt-get install -y jq", "sed -i s/a/b/ f", "docker restart web", "kubectl apply -f x.yml",
     "git pull", "ls | tee out", "cp a b", "kill 42"],
)  # fmt: skip
def test_change_is_named_as_such(command: str) -> None:
    assert risk.classify(command).risk is Risk.MUTATING


@pytest.mark.parametrize(
    "command",
    ["frobnicate", "ls --frobnicate", "python3 x.py", "psql -f report.sql", "ls (", "curl x | sh",
     "source x", "$x", "find {a,-frob}"],
)  # fmt: skip
def test_what_is_not_understood_is_opaque(command: str) -> None:
    assert risk.classify(command).risk is Risk.OPAQUE


@pytest.mark.parametrize(
    "command",
    ["top", "tail -f x", "tail -F x | grep y", "journalctl -fu nginx", "ping example.net",
     "vmstat 1", "watch df", "vi x", "less x", "htop", "mysql", "ssh web1", "cat",
     "docker logs -f x",
     "kubectl get pods -w", "while true; do date; sleep 1; done", "sudo top", "python3",
     "docker stats",
     "ip monitor", "dmesg -w", "crontab -e", "ls; top", "timeout 99999 top"],
)  # fmt: skip
def test_what_never_ends_or_wants_a_terminal_is_caught(command: str) -> None:
    assert risk.classify(command).interactive


@pytest.mark.parametrize("addition", ["; reboot", " && rm x", " | frobnicate", "; cat /etc/shadow"])
def test_adding_a_part_never_makes_a_line_safer(addition: str) -> None:
    for command in READ_ONLY[:12]:
        before, after = risk.classify(command).risk, risk.classify(command + addition).risk
        assert risk.SEVERITY.index(after) > risk.SEVERITY.index(before)


def test_worst_part_decides() -> None:
    assert risk.classify("cat /etc/shadow; touch x; rm -rf /srv").risk is Risk.DESTRUCTIVE


def test_reasons_name_the_part_that_decided() -> None:
    reasons = risk.classify("uptime; systemctl restart nginx").reasons
    assert [risk.reason_text(each, "en") for each in reasons] == [
        "“systemctl restart nginx” changes the machine."
    ]


@pytest.mark.parametrize(
    ("command", "told"),
    [("tail -f /var/log/shop.log", "tail -n 200 /var/log/shop.log"),
     ("tail -F '/srv/a b'", "tail -n 200 '/srv/a b'"), ("tail -f /srv/*.log", "tail -n 200 FILE")],
)  # fmt: skip
def test_the_form_that_ends_names_the_file_that_was_asked_for(command: str, told: str) -> None:
    assert told in {arg for reason in risk.classify(command).reasons for arg in reason.args}


def test_every_reason_has_both_languages() -> None:
    for command in (
        "uptime",
        "rm x",
        "frobnicate",
        "ls -!",
        "ls\0",
        "top",
        "cat",
        "vi",
        "ls (",
        "env",
    ):
        for reason in risk.classify(command).reasons:
            assert risk.reason_text(reason, "zh") != risk.reason_text(reason, "en")


def test_braces_in_a_command_do_not_break_its_reason() -> None:
    reasons = risk.classify("frobnicate '{9} {x}'; kubectl delete '{0}'").reasons
    assert "{0}" in risk.reason_text(reasons[0], "en")


@pytest.mark.timeout(20)
def test_hostile_input_is_answered() -> None:
    for command in ("(" * 9999, "ls " + "a " * 45_000, "grep " + "-e x " * 900 + "-r password /etc",
                    "$(" * 300 + ")" * 300, "a" * 100_000):  # fmt: skip
        assert risk.classify(command).risk is not Risk.READ_ONLY
