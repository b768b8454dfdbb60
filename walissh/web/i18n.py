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
from walissh.web.sentences import SENTENCES

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
    for pattern, source in _patterns():
        found = pattern.fullmatch(text)
        if found:
            return str(gettext(source, **found.groupdict()))
    return text


@cache
def _zones() -> frozenset[str]:
    return frozenset(available_timezones())


@cache
def _patterns() -> tuple[tuple[re.Pattern[str], str], ...]:
    return tuple((re.compile(_as_pattern(each), re.DOTALL), each) for each in SENTENCES)


def _as_pattern(source: str) -> str:
    return "".join(_pieces(source))


def _pieces(source: str) -> Iterator[str]:
    """Yield the source as a pattern: each ``%(name)s`` takes any text, "%%" is one sign."""
    for plain, name in re.findall(r"((?:[^%]|%%)+)|%\((\w+)\)s", source):
        yield f"(?P<{name}>.*?)" if name else re.escape(plain.replace("%%", "%"))
