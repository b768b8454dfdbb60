"""The page's language and time zone, and our own sentences in the person's language."""

import re
from collections.abc import Iterator
from functools import cache
from zoneinfo import ZoneInfo, available_timezones

from babel.dates import LOCALTZ
from flask import Flask, has_request_context, request
from flask_babel import Babel, get_locale, gettext

from walissh import wiring
from walissh.config import Lang, asset_dir
from walissh.web import auth
from walissh.web.reasons import REASONS
from walissh.web.sentences import JOINED, SENTENCES

LANGUAGES: tuple[Lang, ...] = ("zh", "en")
NAMES = {"zh": "中文", "en": "English"}
LANG_COOKIE = "lang"
ZONE_COOKIE = "zone"


def install(app: Flask) -> None:
    """Translate the pages of *app*."""
    app.config["BABEL_TRANSLATION_DIRECTORIES"] = str(asset_dir("translations"))
    Babel(app, locale_selector=language, timezone_selector=time_zone)
    app.jinja_env.globals.update(page_lang=page_lang, language_names=NAMES)
    app.jinja_env.filters["sentence"] = sentence


def language() -> Lang:
    """Return the language for this request.

    The person's own choice, else the one chosen on the sign-in page, else WALISSH_LANG,
    else what the browser asks for, else English.
    """
    if not has_request_context():
        return wiring.settings().lang or "en"
    someone = auth.visitor()
    chosen = (someone.lang if someone else None) or request.cookies.get(LANG_COOKIE)
    if chosen in LANGUAGES:
        return chosen
    asked = request.accept_languages.best_match(["en", "zh", "zh-CN", "zh-TW", "zh-HK"])
    return wiring.settings().lang or ("zh" if asked and asked.startswith("zh") else "en")


def time_zone() -> str | None:
    """Return the browser's zone as its cookie tells it, else the server's; None: unknown."""
    name = request.cookies.get(ZONE_COOKIE, "") if has_request_context() else ""
    return next((each for each in (name, str(LOCALTZ)) if each in _zones()), None)


def zone() -> ZoneInfo:
    """Return the zone in which this request's days begin."""
    return ZoneInfo(time_zone() or "UTC")


def page_lang() -> str:
    """Return the value of ``lang`` for the page's own words."""
    return "zh-CN" if str(get_locale() or "en").startswith("zh") else "en"


def sentence(text: str) -> str:
    """Return a sentence that was raised or stored in English in the page's language.

    Sentences stay English where they are raised, for logs and programs; the page finds
    the pattern each one was made of and says it again. Unknown ones stay as they are.
    """
    if not text or page_lang() == "en":
        return text
    return _joined(text) or _said(text) or text


def _said(text: str) -> str | None:
    """Return *text* translated, with the reasons that stand in it; None if unknown."""
    found = _find(text, SENTENCES)
    if found is None:
        return None
    return str(gettext(found[0], **{name: _reason(value) for name, value in found[1].items()}))


def _joined(text: str) -> str | None:
    found = _find(text, JOINED)
    if found is None:
        return None
    before = _said(found[1]["sentence"])
    return before and str(gettext(found[0], **{**found[1], "sentence": before}))


def _reason(text: str) -> str:
    """Return a piece of a sentence translated; a sentence may be one, without its stop."""
    found = _find(text, REASONS)
    if found is not None:
        source, values = found
        return str(gettext(source, **{name: _reason(each) for name, each in values.items()}))
    whole = _said(f"{text}.") if " " in text else None
    return whole.rstrip("。") if whole else text


def _find(text: str, sources: tuple[str, ...]) -> tuple[str, dict[str, str]] | None:
    """Return the first of *sources* that *text* was made of, and its values."""
    for pattern, source in _patterns(sources):
        found = pattern.fullmatch(text)
        if found:
            return source, found.groupdict()
    return None


@cache
def _zones() -> frozenset[str]:
    return frozenset(available_timezones())


@cache
def _patterns(sources: tuple[str, ...]) -> tuple[tuple[re.Pattern[str], str], ...]:
    return tuple((re.compile(_as_pattern(each), re.DOTALL), each) for each in sources)


def _as_pattern(source: str) -> str:
    return "".join(_pieces(source))


def _pieces(source: str) -> Iterator[str]:
    """Yield the source as a pattern: each ``%(name)s`` takes any text, "%%" is one sign."""
    for plain, name in re.findall(r"((?:[^%]|%%)+)|%\((\w+)\)s", source):
        much = ".*" if name == "sentence" else ".*?"  # a sentence is all but the last words
        yield f"(?P<{name}>{much})" if name else re.escape(plain.replace("%%", "%"))
