"""One ``walissh up`` with the demo host and no key: what it is, and what it does at once."""

import os
import signal
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.api_client import ApiClient
from tests.services import Installation, begin_up, refused, running_up, status, until, walissh
from tests.stories.test_first_question import QUESTION
from walissh.service import home

PARTS = {"redis", "web", "turns", "commands", "upkeep", "demo-host"}


@pytest.fixture(scope="module")
def installation(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    """One installation for all tests here, which leave it alive."""
    with running_up(tmp_path_factory.mktemp("up") / "home", "--demo-host") as running:
        yield running


def test_the_link_is_the_only_line_printed(installation: Installation) -> None:
    assert installation.link.startswith(f"{installation.url}/sign-in/")
    assert installation.process.stdout is not None
    descriptor = installation.process.stdout.fileno()
    os.set_blocking(descriptor, False)
    with pytest.raises(BlockingIOError):
        os.read(descriptor, 1)


@pytest.mark.parametrize("path", ["/healthz", "/readyz"])
def test_it_is_ready_when_it_says_so(installation: Installation, path: str) -> None:
    assert status(installation.url + path) == 200


def test_every_part_is_a_process_of_its_own(installation: Installation) -> None:
    assert set(installation.parts()) == PARTS


def test_home_is_private(installation: Installation) -> None:
    assert stat.S_IMODE(installation.home.stat().st_mode) == 0o700
    assert stat.S_IMODE((installation.home / "redis" / "appendonlydir").stat().st_mode) == 0o700


def test_a_second_up_on_the_same_home_is_refused(installation: Installation) -> None:
    second = begin_up(installation.home)
    out, err = second.process.communicate(timeout=60)
    assert (second.process.returncode, out) == (2, "")
    assert f"already runs on {installation.home} (process {installation.process.pid})" in err
    assert len(err.splitlines()) == 1
    assert status(installation.url + "/readyz") == 200


def test_a_port_in_use_is_refused(installation: Installation, tmp_path: Path) -> None:
    line = refused(begin_up(tmp_path / "other", port=installation.port))
    assert f"127.0.0.1:{installation.port} is already in use" in line


def test_doctor_finds_all_well(installation: Installation) -> None:
    result = installation.command("doctor")
    assert result.returncode == 0, result.stdout + result.stderr
    assert "All is well." in result.stdout


def test_other_commands_know_the_address_that_was_given_to_up(installation: Installation) -> None:
    elsewhere = {**installation.environment, "WALISSH_BIND": "127.0.0.1:1"}
    link = walissh("sign-in-link", environment=elsewhere).stdout
    assert link.startswith(f"{installation.url}/sign-in/")


def test_nothing_of_the_logs_tells_the_link(installation: Installation) -> None:
    assert installation.link.rpartition("/")[2] not in installation.logs()


def test_with_no_key_the_answer_cites_three_real_outputs(installation: Installation) -> None:
    api = ApiClient.of(installation)
    turn = api.wait(api.ask(api.session(), QUESTION), limit_s=60)
    assert turn["status"] == "done", turn["error"]
    cited = {each["command_id"] for each in turn["citations"]}
    ran = {each["id"]: each for each in api.commands(turn["id"])}
    assert len(cited) >= 3
    assert all(ran[each]["status"] == "finished" for each in cited)


def test_a_part_that_dies_is_started_again(installation: Installation) -> None:
    before = installation.parts()
    for pid in before.values():
        os.kill(pid, signal.SIGKILL)
    until(lambda: _all_new(before, installation.parts()), limit_s=30, what="the restart")
    until(lambda: status(installation.url + "/readyz") == 200, limit_s=30, what="readiness")
    until(home.demo_ready(installation.home).exists, limit_s=30, what="the demo host")


def _all_new(before: dict[str, int], after: dict[str, int]) -> bool:
    return set(after) == PARTS and not set(before.values()) & set(after.values())
