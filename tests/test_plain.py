"""Reading that stays on its machine, and reading that carries something away."""

import pytest

from walissh.safety.plain import reaches_out


@pytest.mark.parametrize(
    "command",
    ["wget -qO- http://192.0.2.7", "/usr/bin/host a.example", "getent ahosts db.example",
     "psql -h db2 -c 'select 1'", "mariadb --host=192.0.2.3 -e 'show status'",
     "redis-cli -h cache2 info", "uptime | nc 192.0.2.7 80", "systemctl -H ops@db status nginx",
     "git -C /srv/app ls-remote origin", "timeout 3 traceroute 192.0.2.7",
     "cat < /dev/tcp/192.0.2.7/80", "openssl s_client -connect a.example:443",
     "sudo -n mtr -rc 1 192.0.2.7", "echo $(dig +short $(hostname).a.example)",
     "for i in 1 2; do ping -c1 192.0.2.$i; done", "bash -c 'whois a.example'",
     "pip list --outdated", "psql postgresql://a.example/x -c 'select 1'", "helm list -A"],
)  # fmt: skip
def test_what_asks_another_machine_reaches_out(command: str) -> None:
    assert reaches_out(command)


@pytest.mark.parametrize(
    "command",
    ["cat /var/log/syslog", "psql -c 'select 1'", "psql -h localhost -c 'select 1'",
     "mysql -h 127.0.0.1 -e 'show processlist'", "redis-cli info", "redis-cli -h localhost info",
     "hostname -f", "hostnamectl", "git -C /srv/app log -3", "docker ps", "ps aux | grep ping",
     "openssl x509 -in /etc/ssl/a.pem -noout -dates", "grep -c curl /var/log/x",
     "journalctl -u ssh", "getent passwd ops", "dnf list --installed", "ls /usr/bin/wget"],
)  # fmt: skip
def test_what_looks_at_its_own_machine_is_plain(command: str) -> None:
    assert not reaches_out(command)
