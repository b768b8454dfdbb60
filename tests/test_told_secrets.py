"""Secrets told in talk: by a label and a value, or by a name and what goes with it."""

import pytest

from walissh.memory.extract import pref_secrets

TOLD = [
    ("sudo 密码 plum7788", "plum7788"),
    ("root 口令 Kx99mmm", "Kx99mmm"),
    ("my db pw is winterapples", "winterapples"),
    ("The pin is 9921", "9921"),
    ("passphrase of my key: silver teapot", "silver teapot"),
    ('the passphrase is "old barn owl", keep it', "old barn owl"),
    ("助记词是 apple banana cherry", "apple banana cherry"),
    ("sign in with root/Teap0t!42", "Teap0t!42"),
    ("用 deploy/Hello@2024 登录 db3", "Hello@2024"),
    ("credentials for the switch: netops / Sw!tch2020x", "Sw!tch2020x"),
    ("creds: app:Zx9!kkal2", "Zx9!kkal2"),
    ("basic auth is admin/admin", "admin/admin"),
    ("username: grafana, password: dashes4all", "dashes4all"),
    ("user=app pass=plainword", "plainword"),
    ("recovery code for the wiki: 8fj2-kk3l", "8fj2-kk3l"),
    ("邮箱授权码 abcdqwer", "abcdqwer"),
    ("the wifi psk is homesweethome", "homesweethome"),
    ("remember teapot42x as the root password", "teapot42x"),
]

ONLY_TALK = [
    "Never print passwords",
    "change the password policy",
    "密码要定期更换",
    "密码长度至少 12 位",
    "密码错误三次就锁定",
    "compare a/b with src/main",
    "yes and/or no",
    "connect with web1/web2 at once",
    "sign in with google/github",
    "connect to db1:5432",
    "log in with the read/write account",
    "authenticate against ad01/ad02",
    "用 nginx/1.18.0 的配置",
    "登录后先看 /var/log/secure",
    "chown files to root/root after login",
    "tokens are rejected after a reboot",
    "my passphrase is long",
    "the PIN pad is broken",
    "credentials live in vault",
    "login shell is /bin/bash",
]


@pytest.mark.parametrize(("text", "secret"), TOLD)
def test_a_secret_that_is_told_is_seen_and_named(text: str, secret: str) -> None:
    assert pref_secrets.kind_told(text)
    hidden = text
    for value in pref_secrets.values(text):
        hidden = hidden.replace(value, "")
    assert secret not in hidden


@pytest.mark.parametrize("text", ONLY_TALK)
def test_talk_of_secrets_names_and_paths_tells_none(text: str) -> None:
    assert pref_secrets.kind_told(text) is None


def test_a_secret_far_down_in_a_paste_is_seen() -> None:
    text = "an ordinary line of a log\n" * 300 + "the admin password is winterapples"
    assert "winterapples" in pref_secrets.values(text)
