"""Searches for passwords and keys are told from searches in logs of logins and lists of names."""

import pytest

from walissh.react.turn import Risk
from walissh.safety import risk


@pytest.mark.parametrize(
    "command",
    [
        "grep requirepass /etc/keydb/keydb.conf",
        "awk '/password/ {print $2}' /srv/shop/settings.toml",
        "sed -n '/api_key/p' /opt/shop/conf.php",
        "grep -n '口令' /srv/shop/说明.ini",
        "zgrep -i 'passwd=' /var/log/shop/*.gz",
        "cat /srv/shop/settings.toml | grep -i secret",
        "docker inspect shop | grep -i passphrase",
        "crontab -l | grep -i pass",
        "journalctl -u shop | grep -oP 'token=\\K\\S+'",
        "git log -p | grep -i password",
        "grep rootpw /root/install.cfg",
        "cat /etc/network/interfaces | grep wpa-psk",
        "docker inspect shop | jq '.[0].Config.Env'",
        "jq -r .mail.password /srv/shop/settings.json",
        "curl -s localhost:2379/v2/keys/shop/secrets",
        "snap get shop admin.password",
    ],
)
def test_a_search_for_passwords_shows_secrets(command: str) -> None:
    assert risk.classify(command).risk is Risk.SECRET_EXPOSURE


@pytest.mark.parametrize(
    "command",
    [
        "grep 'Failed password' /var/log/auth.log",
        "journalctl -u sshd --no-pager | grep -i password",
        "tail -n 200 /var/log/secure | grep -i password",
        "grep -i passwordauthentication /etc/ssh/sshd_config",
        "grep -n ssl_certificate_key /etc/nginx/nginx.conf",
        "grep PASS_MAX_DAYS /etc/login.defs",
        "grep -c password /var/log/shop/access.log",
        "kubectl get pods -n prod | grep token-service",
        "chage -l root | grep -i password",
        "dpkg -l | grep -i secret",
        "cat notes.txt | grep bypass",
        "grep -n proxy_pass /etc/nginx/conf.d/shop.conf",
        "docker inspect shop | jq '.[0].State'",
        "grep -rn 'timed out' /var/log/shop --include='*.log'",
    ],
)
def test_a_word_of_a_login_or_a_name_is_no_password(command: str) -> None:
    judged = risk.classify(command)
    assert judged.risk is Risk.READ_ONLY, judged.reasons


def test_a_pattern_that_names_files_of_secrets_counts() -> None:
    judged = risk.classify("grep -r . /opt/shop --include='.env*'")
    assert judged.risk is Risk.SECRET_EXPOSURE


def test_options_of_what_xargs_starts_are_its_own() -> None:
    assert risk.classify("ls | xargs -r sed -i s/a/b/").risk is not Risk.READ_ONLY
    assert risk.classify("ls /etc/cron.d | xargs -I{} grep -l shop /etc/cron.d/{}").risk is (
        Risk.READ_ONLY
    )


@pytest.mark.parametrize(
    "path",
    [
        "/etc/varnish/secrets/initialPassword",
        "/etc/mosquitto/passwd",
        "/etc/vsftpd/ftpusers.passwd",
        "/root/backup_pass.txt",
        "/srv/shop/config/database.yml",
        "/etc/nginx/htpasswd.staff",
        "/root/.config/containers/auth.json",
    ],
)
def test_what_programs_keep_their_accounts_in_is_no_plain_file(path: str) -> None:
    assert risk.classify(f"cat {path}").risk is Risk.SECRET_EXPOSURE


@pytest.mark.parametrize(
    "path", ["/etc/passwd", "/etc/pam.d/common-password", "/srv/shop/password_reset.py", "pass.log"]
)
def test_a_file_that_only_sounds_like_passwords_is_plain(path: str) -> None:
    assert risk.classify(f"cat {path}").risk is Risk.READ_ONLY


@pytest.mark.parametrize(
    "command",
    ["journalctl -b -1 -u shop", "tar -df /srv/a.tar -C /", "yamllint a.yaml", "ncdu --version"],
)
def test_what_only_compares_checks_or_looks_back_is_not_asked_for(command: str) -> None:
    judged = risk.classify(command)
    assert (judged.risk, judged.interactive) == (Risk.READ_ONLY, False), judged.reasons


@pytest.mark.parametrize(
    "command",
    [
        "systemctl start poweroff.target",
        "boom(){ boom|boom& };boom",
        "unset 'm[$(reboot)]'",
        "h$@alt -f; r$@m -rf /srv/shop",
        "fdisk /dev/sdq <<< d",
    ],
)
def test_what_destroys_in_a_roundabout_way_is_named(command: str) -> None:
    assert risk.classify(command).risk is Risk.DESTRUCTIVE
