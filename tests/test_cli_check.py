"""``walissh check`` on a real server: hosts, playbooks, exit codes, and what it leaves behind."""

import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from flask import Flask

from tests.cli import CommandLine, Result
from tests.model_script import Call, Say
from tests.scripted_model import ScriptedModel
from tests.services import clean_environment
from tests.sshd import Sshd
from walissh.brain import playbook
from walissh.brain.report import Blind, Outlook
from walissh.cli.checked import Checked, Status, worst
from walissh.cli.inquiry import Inquiry
from walissh.react.host import Auth, Host
from walissh.ssh.pool import Pool
from walissh.store import audit
from walissh.store.people import Person

OWN = """
name: shop
title: {zh: 商店, en: the shop}
words: {zh: [商店], en: [shop]}
start: [shop_mark]
probes:
  shop_mark:
    why: {zh: 看标记, en: look at the mark}
    variants: [{run: cat MARK, regex: '^(?P<state>\\w+)$'}]
    facts: {state: 'rows[0].state'}
findings:
  shop.down:
    severity: critical
    role: cause
    when: shop_mark.state == 'down'
    text: {zh: '商店关了（{shop_mark.state}）。', en: 'The shop is {shop_mark.state}.'}
    evidence: [{probe: shop_mark}]
    fix: {zh: 打开它, en: open it}
    verify: {zh: 再看, en: look again}
  shop.slow:
    severity: warning
    when: shop_mark.state == 'slow'
    text: {zh: '商店慢。', en: 'The shop is slow.'}
    evidence: [{probe: shop_mark}]
  shop.open_fact:
    severity: fact
    when: shop_mark.state == 'open'
    text: {zh: '商店开着。', en: 'The shop is open.'}
    evidence: [{probe: shop_mark}]
"""


ASKS = """
name: lamp
title: {zh: 灯, en: the lamp}
words: {zh: [灯], en: [lamp]}
start: [lamp_lit]
probes:
  lamp_lit: {why: {zh: 点灯, en: light it}, variants: [{run: touch LAMP, empty: true}]}
"""
SLEEPS = """
name: nap
title: {zh: 睡, en: a nap}
words: {zh: [睡], en: [nap]}
start: [nap_taken]
probes:
  nap_taken: {why: {zh: 等, en: wait}, variants: [{run: sleep 61.7}]}
"""
TABLES = ("chat_session", "chat_message", "turn", "command_run", "long_term_memory")


@dataclass(frozen=True, slots=True)
class Shop:
    """An installation with the host web1 and three playbooks of its own."""

    command_line: CommandLine
    folder: Path

    def is_said(self, word: str) -> None:
        """Have the shop's file say *word*."""
        (self.folder / "mark").write_text(word + "\n")

    def check(self, *arguments: str, playbook: str = "shop", **environment: str) -> Result:
        """Run ``walissh check``."""
        return self.command_line.run("check", *arguments, "--playbook", playbook, **environment)

    def add(self, name: str, sshd: Sshd, *more: str, port: int = 0, trust: bool = True) -> None:
        """Add a host that is the test's own server, or another port of this machine."""
        target = f"{sshd.user}@127.0.0.1:{port or sshd.port}"
        self.command_line.run("host", "add", name, target, "--key", str(self.folder / "id"), *more)
        if trust:
            shown = sshd.host_key.fingerprint
            self.command_line.run("host", "trust", name, "--fingerprint", shown)


@pytest.fixture(scope="module")
def shop(
    memory_dir: Path, empty_database: Path, tmp_path_factory: pytest.TempPathFactory, sshd: Sshd
) -> Shop:
    """One installation for all: a check leaves nothing in it."""
    home, folder = Path(tempfile.mkdtemp(dir=memory_dir)), tmp_path_factory.mktemp("shop")
    shutil.copy(empty_database, home / "walissh.db")
    (home / "playbooks").mkdir()
    for name, text in (("shop", OWN), ("lamp", ASKS), ("nap", SLEEPS)):
        placed = text.replace("MARK", str(folder / "mark")).replace("LAMP", str(folder / "lit"))
        (home / "playbooks" / f"{name}.yaml").write_text(placed)
    (folder / "id").write_text(sshd.client_key.private)
    made = Shop(CommandLine(home), folder)
    made.add("web1", sshd, "--group", "shops")
    made.add("web2", sshd, "--group", "shops")
    made.add("strange", sshd, "--group", "lost", trust=False)
    made.add("dead", sshd, "--group", "lost", port=1, trust=False)
    return made


@pytest.mark.parametrize(
    ("word", "code", "line"),
    [
        ("down", 2, "web1: CRITICAL ("),
        ("slow", 1, "web1: WARNING ("),
        ("open", 0, "web1: OK ("),
        ("???", 3, "web1: UNKNOWN: nothing gave a usable result"),
    ],
)
def test_the_exit_code_is_that_of_a_monitoring_plugin(
    shop: Shop, word: str, code: int, line: str
) -> None:
    shop.is_said(word)
    result = shop.check("web1")
    assert (result.code, result.err) == (code, "")
    assert result.out.splitlines()[1].startswith(line)


def test_the_report_is_short_and_in_the_language_of_the_installation(shop: Shop) -> None:
    shop.is_said("down")
    lines = shop.check("web1", WALISSH_LANG="zh").out.splitlines()
    assert lines[0] == "严重：1 台主机（严重 1）"
    assert lines[2:] == [
        "  严重：商店关了（`down`）。",
        f"    证据：cat {shop.folder / 'mark'}：down",
        "    修复（未执行）：打开它",
        "    之后核实：再看",
    ]


def test_the_json_says_what_each_finding_rests_on(shop: Shop) -> None:
    shop.is_said("down")
    result = shop.check("web1", "web9", "--format", "json")
    report = json.loads(result.out)
    assert result.code == 2 and report["status"] == "critical" and report["seconds"] > 0
    one, missing = report["hosts"]
    (finding,) = one["findings"]
    (evidence,) = finding.pop("evidence")
    assert finding == {
        "name": "shop.down",
        "severity": "critical",
        "text": "The shop is `down`.",
        "fix": "open it",
        "verify": "look again",
        "sure": 80,
        "steps": [],
        "silent": [],
    }
    assert evidence.pop("command_id")
    command = f"cat {shop.folder / 'mark'}"
    assert evidence == {"command": command, "lines": [1, 1], "text": "down"}
    assert (one["host"], one["commands"], one["unseen"], one["error"]) == ("web1", 1, [], "")
    assert (missing["status"], missing["findings"]) == ("unknown", [])
    assert "no host of this name" in missing["error"]


def test_a_lost_host_is_one_clear_line_and_holds_up_no_other(shop: Shop) -> None:
    shop.is_said("open")
    result = shop.check("dead", "strange", "--group", "shops")
    lines = result.out.splitlines()
    assert result.code == 3 and lines[0] == "UNKNOWN: hosts 4 (UNKNOWN 2, OK 2)"
    assert lines[1].startswith("dead: UNKNOWN: dead: ") and "refused" in lines[1]
    assert lines[2].startswith("strange: UNKNOWN: strange: ") and "not trusted" in lines[2]
    assert [each.partition(" (")[0] for each in lines[3:]] == ["web1: OK", "web2: OK"]


class Faulty(Inquiry):
    """Has a fault of its own on one host."""

    def _check(self, host: Host) -> Checked:
        return {"web2": Checked("web2", found=Outlook((), (), (), ()))}[host.name]


def test_an_unforeseen_fault_on_one_host_is_told_and_holds_up_no_other() -> None:
    ann = Person("ann", "ann", "admin", None, has_password=False)
    two = [Host(name, "ann", name, "192.0.2.1", 22, "ops", Auth.KEY) for name in ("web1", "web2")]
    nothing = playbook.catalogue([])
    faulty = Faulty(Flask("walissh"), ann, nothing, (), threading.Event(), Pool(), "en")
    lost, other = [faulty.check(each) for each in two]
    assert lost.error == "a fault of WaliSSH itself, nothing is known: KeyError('web1')"
    assert (lost.status, other.status) == (Status.UNKNOWN, Status.OK)


@pytest.mark.parametrize("is_full", [pytest.param(True, marks=pytest.mark.slow), False])
def test_a_report_that_nobody_can_read_is_unknown(shop: Shop, is_full: bool) -> None:
    command = [sys.executable, "-m", "walissh", "check", "nowhere", "--playbook", "shop"]
    environment = clean_environment(WALISSH_HOME=str(shop.command_line.home))
    reading, writing = os.pipe()
    os.close(reading)
    with Path("/dev/full").open("w") as full, os.fdopen(writing, "w") as closed:
        result = subprocess.run(
            command,
            env=environment,
            stdout=full if is_full else closed,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert result.returncode == 3
    assert result.stderr.startswith("walissh: the report cannot be written: ")


@pytest.mark.parametrize(
    ("answered", "status"), [(1, Status.UNKNOWN), (2, Status.OK), (9, Status.OK)]
)
def test_a_host_that_answers_less_than_half_is_not_called_fine(
    answered: int, status: Status
) -> None:
    unseen = (Blind("a", "look", "refused", ran=True), Blind("b", "read", "refused", ran=True))
    assert Checked("web1", found=Outlook((), (), (), unseen, answered)).status is status


def test_critical_weighs_more_than_unknown_and_unknown_more_than_a_warning() -> None:
    assert worst([Status.OK, Status.CRITICAL, Status.UNKNOWN]) is Status.CRITICAL
    assert worst([Status.WARNING, Status.UNKNOWN]) is Status.UNKNOWN
    assert worst([]) is Status.UNKNOWN


def test_what_would_need_approval_is_left_out_and_named(shop: Shop) -> None:
    result = shop.check("web1", "--format", "json", playbook="lamp")
    (one,) = json.loads(result.out)["hosts"]
    command = f"touch {shop.folder / 'lit'}"
    assert result.code == 3 and not (shop.folder / "lit").exists()
    assert (one["left_out"], one["commands"]) == ([command], 0)
    (unseen,) = one["unseen"]
    assert unseen["reason"] == "it would need approval, not run"


def test_it_leaves_the_audit_trail_and_nothing_else(shop: Shop) -> None:
    def rows(table: str) -> list[tuple[object, ...]]:
        with sqlite3.connect(shop.command_line.home / "walissh.db") as connection:
            return connection.execute(f"SELECT * FROM {table}").fetchall()

    shop.is_said("open")
    before = len(rows("audit_event"))
    shop.check("--group", "shops")
    kinds = sorted(str(each[3]) for each in rows("audit_event")[before:])
    assert kinds == ["command_finished"] * 2 + ["command_running"] * 2
    with shop.command_line.app().app_context():
        assert audit.first_broken() is None, "two hosts write one chain"
    assert {table: rows(table) for table in TABLES} == {table: [] for table in TABLES}


@pytest.mark.slow
def test_a_trail_that_cannot_be_written_is_told_and_nothing_runs(
    shop: Shop, tmp_path: Path
) -> None:
    home = tmp_path / "home"
    shutil.copytree(shop.command_line.home, home, ignore=shutil.ignore_patterns("*.sock"))
    with sqlite3.connect(home / "walissh.db") as connection:
        connection.execute("ALTER TABLE audit_event RENAME TO elsewhere")
    result = CommandLine(home).run("check", "web1", "--playbook", "shop")
    assert result.code == 3 and "the audit trail cannot be written" in result.out


@pytest.mark.slow
def test_no_model_is_asked_whatever_is_configured(shop: Shop) -> None:
    shop.is_said("open")
    assert shop.check("web1", OPENAI_BASE_URL="http://127.0.0.1:9/v1").code == 0


@pytest.mark.slow
def test_a_model_that_asks_for_a_playbook_gets_its_report(
    shop: Shop, scripted_model: ScriptedModel
) -> None:
    shop.is_said("down")
    asks = Call(("run_playbook", {"name": "shop", "host": "web1"}))
    scripted_model.script(asks, Say("It is down [1]."))
    told = ("chat", "--ephemeral", "web1", "why is nothing sold?")
    result = shop.command_line.run(*told, OPENAI_BASE_URL=scripted_model.url)
    assert result.code == 0 and f"web1 $ cat {shop.folder / 'mark'}\n" in result.out
    assert f"[1] web1 $ cat {shop.folder / 'mark'} (lines 1-1)\n" in result.out
    (report,) = scripted_model.requests[1].tool_results
    assert "cause (80 % sure): The shop is `down`." in report
    assert len(scripted_model.requests) == 2


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--nonsense"], "No such option"),
        (["web1", "--format", "xml"], "xml"),
        ([], "No host is meant"),
        (["web1", "--playbook", "bakery"], "no playbook bakery. Use one of: "),
        (["--all", "--user", "nobody"], "nobody named nobody"),
    ],
)
def test_what_could_not_begin_is_unknown_and_no_finding(
    shop: Shop, arguments: list[str], words: str
) -> None:
    result = shop.command_line.run("check", *arguments)
    assert (result.code, result.out) == (3, "") and words in result.err


def test_a_program_gets_json_for_what_could_not_begin_too(shop: Shop) -> None:
    result = shop.command_line.run("check", "--format", "json")
    report = json.loads(result.out)
    assert result.code == 3 and report["status"] == "unknown" and "No host" in report["error"]


@pytest.mark.slow
def test_without_a_playbook_it_is_the_overview(shop: Shop) -> None:
    result = shop.command_line.run("check", "web1", "--format", "json")
    (one,) = json.loads(result.out)["hosts"]
    assert one["error"] == "" and 5 <= one["commands"] <= 25
    assert any(each["name"].startswith("memory.") for each in one["facts"])


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_cleanly(shop: Shop, number: signal.Signals) -> None:
    command = [sys.executable, "-m", "walissh", "check", "web1", "--playbook", "nap"]
    environment = clean_environment(WALISSH_HOME=str(shop.command_line.home))
    with subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        until(asleep)
        process.send_signal(number)
        out, err = process.communicate(timeout=20)
    assert (process.returncode, err) == (3, "")
    assert out.splitlines()[1] == "web1: UNKNOWN: stopped before it ended"
    until(lambda: not asleep())


def asleep() -> bool:
    found = subprocess.run(["pgrep", "-f", "^sleep 61.7"], check=False, stdout=subprocess.DEVNULL)
    return found.returncode == 0


def until(true: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 20
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.1)
