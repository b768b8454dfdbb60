"""What one talk teaches, the next one knows: over kill -9 of everything, and for one person."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.api_client import ApiClient
from tests.scripted_model import Asked, Call, Say, ScriptedModel
from tests.services import Installation, alive, running_up, until
from tests.stories.conftest import model_settings
from walissh.config import Settings

CONCLUSION = (
    "502 的根因是 Redis 的 maxclients 只有 1，连接数用满，应用连不上 Redis。"
    "已把 maxclients 调到 10000，现在恢复正常 [1]。"
)
CLIENT = """#!{python}
import sys
import redis
server = redis.Redis.from_url({address!r})
for name, value in server.info(sys.argv[-1]).items():
    print(f"{{name}}:{{value}}")
"""


def redis_cli(folder: Path, installation: Installation) -> Path:
    """Put a `redis-cli` into *folder* that asks the installation's own, real server."""
    program = folder / "redis-cli"
    address = Settings.from_env(installation.environment).redis_address
    program.write_text(CLIENT.format(python=sys.executable, address=address))
    program.chmod(0o755)
    return program


def run(command: str) -> tuple[str, dict[str, str]]:
    return "run_command", {"host": "this-machine", "command": command, "reason": "to see"}


def kill_all(installation: Installation) -> None:
    """End up and all its parts with -9, and wait until they are gone."""
    pids = installation.processes()
    for pid in pids:
        os.kill(pid, signal.SIGKILL)
    installation.process.wait()
    until(lambda: not any(alive(pid) for pid in pids), what="the end of all parts")


def sign_in(page: Page, installation: Installation) -> None:
    printed = installation.command("sign-in-link").stdout
    found = re.search(r"http://\S+", printed)
    assert found, printed
    page.goto(found[0])
    skip = page.get_by_role("button", name="Skip")
    if skip.count():
        skip.click()


def ask(page: Page, installation: Installation, question: str) -> None:
    """Ask in a new talk on the demo host."""
    page.goto(f"{installation.url}/hosts")
    page.get_by_role("link", name="this-machine").first.click()
    page.get_by_role("link", name="Ask about it").click()
    ask_on(page, question)


def ask_on(page: Page, question: str) -> None:
    page.get_by_label("Your question").fill(question)
    page.get_by_role("button", name="Send").click()


def remembered(asked: Asked) -> str:
    """Return the section of long-term memory that the model was given."""
    system = str(asked.messages[0]["content"])
    _, found, after = system.partition("[长期记忆]")
    return after.split("\n\n[", 1)[0] if found else ""


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("memory")


@pytest.fixture(scope="module")
def model() -> Iterator[ScriptedModel]:
    server = ScriptedModel().start()
    yield server
    server.stop()


@pytest.mark.slow
def test_the_next_talk_knows_the_case_the_version_and_the_wish_and_no_one_else_does(
    home: Path,
    model: ScriptedModel,
    page: Page,
) -> None:
    with running_up(home / "home", "--demo-host", **model_settings(model)) as first:
        program = redis_cli(home, first)
        model.script(
            Call(run(f"{program} info server")),
            Say(CONCLUSION),
        )
        sign_in(page, first)
        ask(page, first, "网站报 502，查一下原因。以后执行命令都加 sudo")
        approve_if_asked(page)
        expect(page.locator(".answer")).to_contain_text("maxclients")
        version = redis_version(program)
        until(lambda: learned(first), what="the after-work of the turn")
        page.goto("about:blank")
        kill_all(first)

    model.forget()
    with running_up(home / "home", "--demo-host", **model_settings(model)) as second:
        model.script(Say("上次是把 maxclients 调到 10000 [m1]。"), Say("Redis 正常。"))
        sign_in(page, second)
        ask(page, second, "上次那个 502 是怎么解决的？")
        expect(page.locator(".answer")).to_contain_text("依据")
        case = remembered(model.requests[-1])
        assert "maxclients" in case and "USER_PREFERENCE" in case and "sudo" in case

        ask_on(page, "看下 redis 状态")
        expect(page.locator(".answer").last).to_contain_text("Redis 正常")
        status = remembered(model.requests[-1])
        assert version in status and "sudo" in status

        stranger = ApiClient.of(second, user="bob")
        model.script(Say("不知道。"))
        session = stranger.call("POST", "/sessions", {}).body["id"]
        ended = stranger.wait(stranger.ask(session, "上次那个 502 是怎么解决的？"))
        assert ended["recalled"] == []
        told = str(model.requests[-1].messages)
        assert "maxclients" not in told and "sudo" not in told and version not in told
        assert stranger.get("/memories")["items"] == []
        page.goto("about:blank")
    assert model.refusals == []


def approve_if_asked(page: Page) -> None:
    """A program at an unknown place waits for a click."""
    expect(page.locator(".card").first).to_be_visible()
    approve = page.get_by_role("button", name="Approve")
    expect(approve.or_(page.locator(".answer")).first).to_be_visible()
    if approve.count():
        approve.first.click()


def redis_version(program: Path) -> str:
    told = subprocess.run([program, "server"], capture_output=True, text=True, check=True)
    found = re.search(r"redis_version:(\S+)", told.stdout)
    assert found, told.stdout
    return found[1]


def learned(installation: Installation) -> bool:
    kinds = {each["type"] for each in ApiClient.of(installation).get("/memories")["items"]}
    return kinds >= {"USER_PREFERENCE", "SOFTWARE_FACT", "TROUBLESHOOTING_CASE"}
