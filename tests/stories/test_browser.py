"""The whole path in a real browser: sign in, add a server, ask, watch, read, find it again."""

import os
import re
import signal
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.scripted_model import Call, Say, ScriptedModel
from tests.services import Installation, running_up
from tests.sshd import Sshd
from tests.stories.conftest import PATIENCE_MS, model_settings

QUESTION = "why does the shop answer 502?"


@dataclass(frozen=True, slots=True)
class Stack:
    """One running installation for all stories here; each has its own host and session."""

    installation: Installation
    model: ScriptedModel

    def sign_in(self, page: Page) -> None:
        """Open a fresh one-time link."""
        printed = self.installation.command("sign-in-link").stdout
        found = re.search(r"http://\S+", printed)
        assert found, printed
        page.goto(found[0])


@pytest.fixture(scope="module")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    """A whole ``walissh up`` whose model is scripted."""
    model = ScriptedModel().start()
    home = tmp_path_factory.mktemp("browser") / "home"
    with running_up(home, **model_settings(model)) as installation:
        yield Stack(installation, model)
    model.stop()


def add_host(page: Page, server: Sshd, name: str) -> None:
    """Add the server through the form and trust the key it shows."""
    page.get_by_role("link", name="Add a server").first.click()
    page.get_by_label("Name", exact=True).fill(name)
    page.get_by_label("Address").fill("127.0.0.1")
    page.get_by_label("Port").fill(str(server.port))
    page.get_by_label("User").fill(server.user)
    page.get_by_label("Private key", exact=True).fill(server.client_key.private)
    page.get_by_role("button", name="Add", exact=True).click()
    expect(page.locator(".key-seen")).to_contain_text(server.host_key.fingerprint)
    page.get_by_role("button", name="Trust this key").click()
    expect(page.locator(".check-line")).to_contain_text("ok")


def ask(page: Page, question: str = QUESTION) -> None:
    """Ask about the host that the page shows."""
    page.get_by_role("link", name="Ask about it").click()
    page.wait_for_load_state()  # Enter sends once our script has run
    page.get_by_label("Your question").fill(question)
    page.keyboard.press("Enter")


def run(host: str, command: str) -> tuple[str, dict[str, str]]:
    return "run_command", {"host": host, "command": command, "reason": "to see"}


def test_from_the_link_to_an_answer_that_is_found_again(
    stack: Stack, sshd: Sshd, page: Page
) -> None:
    stack.model.script(
        Call(
            run("shop1", "echo nothing listens on 8000"),
            run("shop1", "uptime"),
            say="I look at the ports.",
        ),
        Say("The upstream is **down**: nothing listens on 8000 [1]."),
    )
    stack.sign_in(page)
    add_host(page, sshd, "shop1")
    ask(page)
    answer = page.locator(".answer")
    expect(answer.locator("strong")).to_have_text("down")
    expect(page.locator(".card")).to_have_count(2)
    expect(page.locator(".thought")).to_contain_text("I look at the ports.")

    answer.locator(".cite-link").click()
    expect(page.locator(".lit")).to_have_text("nothing listens on 8000\n")

    shown = page.locator(".turns").inner_text()
    page.reload()
    expect(page.locator(".answer strong")).to_have_text("down")
    assert _words(page.locator(".turn .question, .turn .answer").all_inner_texts()) <= _words(
        [shown]
    )

    page.goto(stack.installation.url)
    page.keyboard.press("Escape")
    page.keyboard.press("/")
    page.keyboard.type("shop answer")
    page.locator(".session").first.click()
    expect(page.locator(".question")).to_have_text(QUESTION)
    assert stack.model.refusals == []


@pytest.mark.slow
def test_a_command_waits_for_its_click_and_its_card_fills_as_it_runs(
    stack: Stack, sshd: Sshd, page: Page, tmp_path: Path
) -> None:
    go_on = tmp_path / "go-on"
    waits = f"for i in $(seq 300); do [ -e {go_on} ] && break; sleep 0.1; done"
    command = f"echo one; echo two; {waits}; echo three; touch /dev/null"
    stack.model.script(Call(run("shop2", command)), Say("All lines came."))
    stack.sign_in(page)
    add_host(page, sshd, "shop2")
    ask(page)
    card = page.locator(".card-awaiting_approval")
    expect(card).to_contain_text(sshd.host_key.fingerprint)
    expect(page).to_have_title(re.compile("^! waits for you"))

    page.keyboard.press("Escape")
    page.keyboard.press("w")
    page.keyboard.press("a")
    live = page.locator(".output-live")
    expect(live).to_have_text("one\ntwo\n")
    expect(page).to_have_title(re.compile("^● running"))
    page.reload()  # comes back in the middle: nothing missing, nothing twice
    expect(live).to_have_text("one\ntwo\n")
    expect(page.locator(".runs")).to_contain_text("echo one")

    go_on.touch()
    expect(page.locator(".answer")).to_contain_text("All lines came.")
    lines = page.locator(".output .line").all_text_contents()
    assert lines == ["one\n", "two\n", "three\n"]


@pytest.mark.slow
def test_a_wrong_host_name_is_told_in_the_card(stack: Stack, sshd: Sshd, chromium: Browser) -> None:
    stack.model.script(Call(run("shop6", "rm -rf /nonexistent")))
    page = chromium.new_context(locale="en-US").new_page()
    page.set_default_timeout(PATIENCE_MS)
    stack.sign_in(page)
    add_host(page, sshd, "shop6")
    ask(page)
    name = page.locator(".approve .confirm")
    name.fill("shop9")
    name.press("Enter")
    expect(page.locator(".card .error")).to_contain_text("“shop9” is not the name of this host.")
    expect(name).to_be_focused()
    expect(page.locator("#notice")).to_be_hidden()
    page.locator(".status").get_by_role("button", name="Stop").click()
    expect(page.locator(".card")).to_contain_text("stopped, not run")
    page.context.close()


@pytest.mark.slow
def test_another_tab_sees_the_question_and_its_answer(stack: Stack, sshd: Sshd, page: Page) -> None:
    stack.model.script(Say("First."), Say("Second."))
    stack.sign_in(page)
    add_host(page, sshd, "shop3")
    ask(page)
    expect(page.locator(".answer")).to_have_text("First.")
    other = page.context.new_page()
    other.goto(page.url)
    page.get_by_label("Your question").fill("and now?")
    page.keyboard.press("Enter")
    expect(other.locator(".answer").nth(1)).to_have_text("Second.")
    expect(other.locator("#spoken")).to_have_text("done: Second.")
    expect(page.locator(".turn")).to_have_count(2)
    expect(page.locator(".answer").nth(1)).to_have_text("Second.")


@pytest.mark.slow
def test_the_page_goes_on_after_the_web_part_was_killed(
    stack: Stack, sshd: Sshd, chromium: Browser, tmp_path: Path
) -> None:
    go_on = tmp_path / "go-on"
    waits = f"for i in $(seq 300); do [ -e {go_on} ] && break; sleep 0.1; done"
    command = f"echo one; {waits}; echo two; touch /dev/null"
    stack.model.script(Call(run("shop5", command)), Say("It went on."))
    page = chromium.new_context(locale="en-US").new_page()
    page.set_default_timeout(PATIENCE_MS)
    stack.sign_in(page)
    add_host(page, sshd, "shop5")
    ask(page)
    page.locator(".approve button").click()
    expect(page.locator(".output-live")).to_have_text("one\n")

    os.kill(stack.installation.parts()["web"], signal.SIGKILL)
    go_on.touch()
    expect(page.locator(".answer")).to_have_text("It went on.")
    assert page.locator(".output .line").all_text_contents() == ["one\n", "two\n"]
    page.context.close()


@pytest.mark.slow
def test_with_javascript_off_a_reload_shows_the_answer(
    stack: Stack, sshd: Sshd, chromium: Browser
) -> None:
    stack.model.script(Call(run("shop4", "touch /dev/null")), Say("Done as you said."))
    context = chromium.new_context(java_script_enabled=False, locale="en-US")
    page = context.new_page()
    page.set_default_timeout(PATIENCE_MS)
    stack.sign_in(page)
    add_host_without_script(page, sshd)
    page.get_by_role("link", name="Ask about it").click()
    page.get_by_label("Your question").fill(QUESTION)
    page.get_by_role("button", name="Send").click()
    reload_until(page, "button:has-text('Approve')")
    page.locator(".approve button").click()
    reload_until(page, ".status-done")
    assert "Done as you said." in page.locator(".answer").inner_text()
    context.close()


def add_host_without_script(page: Page, server: Sshd) -> None:
    """As `add_host`, reloading where a script would have asked again."""
    page.get_by_role("link", name="Add a server").first.click()
    page.get_by_label("Name", exact=True).fill("shop4")
    page.get_by_label("Address").fill("127.0.0.1")
    page.get_by_label("Port").fill(str(server.port))
    page.get_by_label("User").fill(server.user)
    page.get_by_label("Private key", exact=True).fill(server.client_key.private)
    page.get_by_role("button", name="Add", exact=True).click()
    reload_until(page, "button:has-text('Trust this key')")
    page.get_by_role("button", name="Trust this key").click()
    reload_until(page, ".check-line .mark-ok")


def reload_until(page: Page, selector: str) -> None:
    """Reload until the page shows it."""
    for _ in range(60):
        if page.locator(selector).count():
            return
        page.wait_for_timeout(300)
        page.reload()
    pytest.fail(f"{selector} never came: {page.locator('main').inner_text()}")


def _words(texts: list[str]) -> set[str]:
    return set(" ".join(texts).split())
