"""Whole installations, with a scripted model behind the real client."""

import shutil
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, Response, expect, sync_playwright

from tests.scripted_model import ScriptedModel
from tests.services import Installation, missing, running_up

PATIENCE_MS = 60_000


@pytest.fixture(scope="package")
def story_model() -> Iterator[ScriptedModel]:
    """The model behind `with_model`, at one address for all stories."""
    server = ScriptedModel().start()
    yield server
    server.stop()


@pytest.fixture
def scripted_model(story_model: ScriptedModel) -> Iterator[ScriptedModel]:
    """The same model, which has forgotten what came before this test."""
    story_model.forget()
    yield story_model
    for fault in story_model.faults:
        raise fault


@pytest.fixture(scope="package")
def with_model(
    tmp_path_factory: pytest.TempPathFactory, story_model: ScriptedModel
) -> Iterator[Installation]:
    """A whole ``walissh up`` with the demo host, for all stories that leave it alive.

    It runs one command at a time, so that a second one has to queue.
    """
    home = tmp_path_factory.mktemp("with-model") / "home"
    settings = {**model_settings(story_model), "WALISSH_COMMAND_THREADS": "1"}
    with running_up(home, "--demo-host", **settings) as running:
        yield running


def model_settings(model: ScriptedModel) -> dict[str, str]:
    """Return the environment that points to the scripted model."""
    return {"OPENAI_BASE_URL": model.url, "WALISSH_MODEL": "scripted", "OPENAI_API_KEY": "any"}


# --- the browser ----------------------------------------------------------------------


@pytest.fixture(scope="package")
def chromium() -> Iterator[Browser]:
    """A headless Chromium."""
    path = shutil.which("chromium") or shutil.which("chromium-browser")
    if path is None:
        missing("chromium is not installed: the page cannot be tried in a browser")
    expect.set_options(timeout=PATIENCE_MS)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=path, args=["--no-sandbox", "--disable-dev-shm-usage"]
        )
        yield browser
        browser.close()


@pytest.fixture
def page(chromium: Browser) -> Iterator[Page]:
    """A page in English that must not complain: no script error, no broken rule of the CSP."""
    context = chromium.new_context(locale="en-US", viewport={"width": 1440, "height": 900})
    page = context.new_page()
    page.set_default_timeout(PATIENCE_MS)
    complaints: list[str] = []
    page.on("console", lambda message: _note(complaints, message))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("response", lambda response: _note_failure(complaints, response))
    yield page
    context.close()
    assert complaints == []


def _note(complaints: list[str], message: ConsoleMessage) -> None:
    if message.type == "error":
        complaints.append(message.text)


def _note_failure(complaints: list[str], response: Response) -> None:
    if response.status >= 400:
        complaints.append(f"{response.status} {response.url}")
