"""Secrets of ten kinds come in by every door, and none is anywhere but sealed."""

from pathlib import Path

import pytest

from tests.api_client import ApiClient
from tests.scripted_model import Call, Say, ScriptedModel
from tests.services import Installation

pytestmark = pytest.mark.slow  # a whole installation, and all its files are read

PRINTED = {
    "password": "Plum7788!kk",
    "token": "ghp_" + "kQ7mV2sL9xRt" * 3,
    "cloud key": "AKIA" + "QX7MV2SL9XRT4ZWB",
    "connection": "Quince!55ab",
    "hash": "$6$kQ7mV2sL$9xRtkQ7mV2sL9xRtkQ7mV2sL",
    "header": "kQ7mV2sL9xRtZkQ7mV2sL9",
    "json": "Fig&Date_2031",
    "chinese": "Medlar@7755",
    "cookie": "9f1c3e5a7b9d1f3e5c7a9b1d",
    "private key": "MHcCAQEEIkQ7mV2sL9xRtkQ7mV2sL9xRtkQ7mV2sL9xRtkQ7mV2sL9xRtkQ7mV2s",
}
FILE = f"""DB_PASSWORD={PRINTED["password"]}
remote https://x.example/ {PRINTED["token"]}
aws_access_key_id = {PRINTED["cloud key"]}
url: postgres://app:{PRINTED["connection"]}@db:5432/app
root:{PRINTED["hash"]}:19000:0:99999:7:::
> Authorization: Bearer {PRINTED["header"]}
{{"user": "bob", "password": "{PRINTED["json"]}"}}
数据库密码：{PRINTED["chinese"]}，请勿外传
Set-Cookie: sessionid={PRINTED["cookie"]}; Path=/
-----BEGIN EC PRIVATE KEY-----
{PRINTED["private key"]}
-----END EC PRIVATE KEY-----
all is well
"""
TYPED, PROPOSED, ANSWERED = "Damson!1927", "Loquat#3344", "Tayberry$6161"
PLANNED, REMEMBERED, TITLED = "Sorb!Apple81", "Greengage_7x", "Bilberry=22k"


def call(command: str) -> tuple[str, dict[str, str]]:
    return "run_command", {"host": "this-machine", "command": command, "reason": "to see"}


def everything(installation: Installation) -> bytes:
    """Return all bytes of the installation's files: database, working memory, logs."""
    files = [each for each in installation.home.rglob("*") if each.is_file()]
    return b"\n".join(each.read_bytes() for each in files)


def test_no_door_lets_a_secret_in(
    with_model: Installation, scripted_model: ScriptedModel, tmp_path: Path
) -> None:
    file = tmp_path / "settings.txt"
    file.write_text(FILE, "utf-8")
    echo = f"echo connected # password={PROPOSED}"
    scripted_model.script(
        Call(
            ("update_plan", {"goal": f"use password={PLANNED}", "items": ["look"]}),
            ("remember", {"type": "ENVIRONMENT_FACT", "subject": "db",
                          "content": f"password={REMEMBERED}"}),
            call(f"cat {file}"),
            call(echo),
        ),
        Say(f"I would set password={ANSWERED}."),
    )  # fmt: skip
    api = ApiClient.of(with_model)
    session = api.session()
    api.call("PATCH", f"/sessions/{session}", {"title": f"password={TITLED}"})
    turn = api.wait(api.ask(session, f"the db password is {TYPED}, is the file right?"))
    assert turn["status"] == "done", turn["error"]
    shown = "".join(each["output_head"] for each in api.commands(turn["id"]))
    assert "all is well" in shown and "connected" in shown and "‹secret:" in shown
    exported = with_model.command("session", "export", session, "-").stdout
    sent = "".join(str(each) for each in scripted_model.requests)
    told = f"{exported}{sent}{turn}{api.messages(session)}{api.commands(turn['id'])}"
    kept = everything(with_model)
    secrets = {**PRINTED, "typed": TYPED, "proposed": PROPOSED, "answered": ANSWERED,
               "planned": PLANNED, "remembered": REMEMBERED, "titled": TITLED}  # fmt: skip
    leaks = {
        kind: (value in told, value.encode() in kept)
        for kind, value in secrets.items()
        if value in told or value.encode() in kept
    }
    assert leaks == {}
