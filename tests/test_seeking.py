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
