"""The first sign-in: one screen that asks what to remember, and may be skipped."""

from collections.abc import Iterator
from dataclasses import dataclass

from flask import Blueprint, Response, render_template, request, url_for
from flask_babel import force_locale, gettext
from werkzeug.wrappers import Response as AnyResponse

from walissh.config import Lang
from walissh.errors import ConflictError, InvalidError
from walissh.memory import core
from walissh.memory.entry import Found, MemoryType
from walissh.memory.words import is_han
from walissh.store import core_memory, memories, people
from walissh.store.people import Person
from walissh.web import auth, errors, i18n, remembering
from walissh.web.pages import answers

RULES = "rules"
LANGUAGE = {"zh": "Chinese", "en": "English"}
SUDO = ("yes", "no", "ask")
LENGTHS = ("short", "normal", "detailed")
NEVER = ("never", "do not", "don't", "不要", "别", "禁止", "绝不", "千万不", "永远不", "勿")
"""How a line begins that says by itself what must not be done."""

blueprint = Blueprint("welcome", __name__)


def first_stop(someone: Person, wanted: str) -> str:
    """Return where a browser goes after signing in: the first time, to be asked.

    Whoever follows a link deeper into the site is not held up.
    """
    asked = wanted != "/" or people.welcomed(someone.id)
    return wanted if asked else url_for("welcome.page")


@blueprint.get("/welcome")
def page() -> str | AnyResponse:
    """Ask."""
    return auth.guard_page() or _page({})


@blueprint.post("/welcome")
def keep() -> AnyResponse:
    """Keep what was answered; what was left open is not kept."""
    refused = auth.guard_page()
    if refused is not None:
        return refused
    me = auth.person()
    try:
        kept = _keep(me)
    except (InvalidError, ConflictError) as error:
        page = _page(request.form.to_dict(), i18n.sentence(str(error)))
        return Response(page, errors.status_of(error))
    people.mark_welcomed(me.id)
    return _onward(me, kept)


@blueprint.post("/welcome/skip")
def skip() -> AnyResponse:
    """Ask no more."""
    refused = auth.guard_page()
    if refused is not None:
        return refused
    people.mark_welcomed(auth.person().id)
    return answers.go(url_for("home.page"))


def _page(typed: dict[str, str], error: str = "") -> str:
    return render_template(
        "welcome/page.html", typed=typed, error=error, sudo=SUDO, lengths=LENGTHS
    )


@dataclass(frozen=True, slots=True)
class Kept:
    """What came of the form: whether anything was kept, and the rules that it wrote."""

    anything: bool
    rules: tuple[str, ...]


def _keep(me: Person) -> Kept:
    lang = _language()
    if request.form.get("language"):
        people.set_language(me.id, lang)
    rules = _write_rules(me, tuple(_rules(request.form.get("never", ""))))  # may be refused
    with force_locale(lang):
        wanted = list(_preferences(request.form.get("language", "")))
    for found in wanted:
        memories.add_or_update(me.id, found, remembering.by_person("web"))
    return Kept(bool(rules or wanted), rules)


def _write_rules(me: Person, wanted: tuple[str, ...]) -> tuple[str, ...]:
    """Add the rules that do not stand there yet; return all that were wanted."""
    before = core_memory.get(me.id, RULES)
    there = before.content.split("\n") if before.content else []
    new = [each for each in dict.fromkeys(wanted) if each not in there]
    if new:
        text = "\n".join([*there, *new])
        core_memory.put(me.id, RULES, text, by=me.id, base_version=before.version)
    return wanted


def _onward(me: Person, kept: Kept) -> AnyResponse:
    """Lead on: to the rules where one of the new ones cannot be checked, else home."""
    unbound = remembering.rules_of("\n".join(kept.rules), me.id).unbound
    with force_locale(_language()):
        if unbound:
            said = gettext("This line cannot be checked as a rule: %(line)s", line=unbound[0].text)
            return answers.go(url_for("memory_core.page", _anchor=RULES), said=said)
        said = gettext("It is remembered. You find it under Memory.")
    return answers.go(url_for("home.page"), said=said if kept.anything else "")


def _language() -> Lang:
    """Return the language that was chosen, else that of the page."""
    chosen = request.form.get("language", "")
    return next((each for each in i18n.LANGUAGES if each == chosen), i18n.language())


def _rules(text: str) -> Iterator[str]:
    """Yield a rule for each line; one that names only a thing forbids to touch it."""
    for line in core.checked(text).split("\n"):
        said = line.strip(" \t-*·•")
        if said and not said.lower().startswith(NEVER):
            said = f"绝不要碰 {said}" if _is_chinese(said) else f"never touch {said}"
        if said:
            yield said


def _is_chinese(text: str) -> bool:
    """Tell whether a line is Chinese; a bare name or path is of the page's language."""
    if any(map(is_han, text)):
        return True
    return _language() == "zh" and " " not in text


def _preferences(lang: str) -> Iterator[Found]:
    if lang in LANGUAGE:
        name = i18n.NAMES[lang]
        words = gettext("Answer in %(language)s.", language=name)
        yield _preference("output language", LANGUAGE[lang], words)
    sudo, length = request.form.get("sudo", ""), request.form.get("length", "")
    if sudo in SUDO:
        yield _preference("sudo", sudo, sudo_words()[sudo])
    if length in LENGTHS:
        yield _preference("answer length", length, length_words()[length])


def _preference(subject: str, value: str, content: str) -> Found:
    return Found(MemoryType.USER_PREFERENCE, subject, value, content)


def sudo_words() -> dict[str, str]:
    """Return what each answer about sudo is kept as."""
    return {
        "yes": gettext("Use sudo where a command needs it."),
        "no": gettext("Do not use sudo."),
        "ask": gettext("Ask before you use sudo."),
    }


def length_words() -> dict[str, str]:
    """Return what each answer about the length is kept as."""
    return {
        "short": gettext("Answer in a few sentences."),
        "normal": gettext("Answer at normal length."),
        "detailed": gettext("Answer in detail, with the reasoning."),
    }
