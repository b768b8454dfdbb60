"""Both languages are whole, and no template speaks for itself."""

import re
from pathlib import Path

import pytest
from babel.messages.extract import extract_from_dir
from babel.messages.pofile import read_po
from flask import Flask
from flask_babel import Babel, force_locale

from tests import raised
from tests.raised import VALUE, Text
from walissh.config import asset_dir
from walissh.web import i18n
from walissh.web.reasons import REASONS
from walissh.web.sentences import JOINED, SENTENCES

METHODS = [("walissh/web/**.py", "python"), ("templates/**.html", "jinja2")]
NOT_WORDS = {"WaLiSSH", "/", "n", "j", "k", "w", "a", "e", "d", "i", "g", "h", "m", "r", "?"}


def catalogue(lang: str) -> dict[object, object]:
    path = asset_dir("translations") / lang / "LC_MESSAGES" / "messages.po"
    with path.open("rb") as file:
        return {each.id: each.string for each in read_po(file) if each.id}


def used() -> set[object]:
    found: set[object] = set()
    for root, methods in (
        (asset_dir("templates"), "**.html"),
        (Path(i18n.__file__).parent, "**.py"),
    ):
        how = "jinja2" if methods == "**.html" else "python"
        for _, _, message, _, _ in extract_from_dir(root, [(methods, how)]):
            found.add(message)
    return found


@pytest.mark.parametrize("lang", i18n.LANGUAGES)
def test_no_word_of_the_page_is_untranslated(lang: str) -> None:
    known = catalogue(lang)
    missing = [each for each in used() if each not in known]
    empty = [each for each, text in known.items() if not all(text if text else [""])]
    assert (missing, empty) == ([], [])


@pytest.mark.parametrize("lang", i18n.LANGUAGES)
def test_the_compiled_catalogue_is_fresh(lang: str) -> None:
    from babel.support import Translations

    compiled = Translations.load(str(asset_dir("translations")), [lang])
    for source, text in catalogue(lang).items():
        if isinstance(source, str):
            assert compiled.gettext(source) == text


def test_translations_name_the_same_values() -> None:
    for source, text in catalogue("zh").items():
        sources, texts = ([source], [text]) if isinstance(source, str) else (source, text)
        wanted = set(re.findall(r"%\(\w+\)s", " ".join(map(str, sources))))  # type: ignore[call-overload]
        for each in texts:  # type: ignore[union-attr]
            assert set(re.findall(r"%\(\w+\)s", each)) == wanted, source


def test_no_template_holds_bare_text() -> None:
    bare = {}
    for path in asset_dir("templates").rglob("*.html"):
        text = re.sub(r"\{#.*?#\}|\{%.*?%\}|\{\{.*?\}\}", " ", path.read_text(), flags=re.DOTALL)
        text = text.replace("· WaLiSSH", "").replace("page-talk", "").replace("page-alone", "")
        text = re.sub(r"<(code|script)\b.*?</\1>|<!doctype html>", " ", text, flags=re.DOTALL)
        text = re.sub(r"<[^<>]*>|&\w+;", "\n", text)
        words = {each.strip() for each in text.splitlines() if re.search(r"[A-Za-z]{2}", each)}
        if words - NOT_WORDS:
            bare[path.name] = words - NOT_WORDS
    assert bare == {}


def test_no_template_switches_escaping_off() -> None:
    for path in asset_dir("templates").rglob("*.html"):
        assert not re.search(r"\|\s*safe|autoescape|style=|\son\w+=", path.read_text()), path


def said(text: str, lang: str) -> str:
    app = Flask("test")
    app.config["BABEL_TRANSLATION_DIRECTORIES"] = str(asset_dir("translations"))
    Babel(app)
    with app.test_request_context(), force_locale(lang):
        return i18n.sentence(text)


def test_a_raised_sentence_is_said_in_the_pages_language() -> None:
    assert said("There is a host named web-1 already.", "zh") == "已经有一台名为 web-1 的主机。"
    assert said("There is a host named web-1 already.", "en").startswith("There is")


def test_an_unknown_sentence_stays_as_it_is() -> None:
    assert said("Something else happened 100% of the time.", "zh").startswith("Something")


def test_values_with_percent_signs_stay_whole() -> None:
    text = "Redis did not answer: 100%(x)s of %d"
    assert said(text, "zh") == "Redis 没有响应：100%(x)s of %d"


def test_every_known_sentence_finds_itself() -> None:
    for source in SENTENCES:
        text = re.sub(r"%\((\w+)\)s", r"<\1>", source)
        assert said(text, "zh") != text, source


def unknown(texts: list[Text], sources: tuple[str, ...]) -> list[str]:
    """Return the texts that none of *sources* fits, with where they stand."""
    patterns = [re.compile(i18n._as_pattern(each), re.DOTALL) for each in sources]
    known = {re.sub(r"%\(\w+\)s", VALUE, each) for each in JOINED}
    return [
        f"{each.where}: {each.text}"
        for each in texts
        if each.text not in known and not any(one.fullmatch(each.text) for one in patterns)
    ]


def test_every_sentence_that_may_be_raised_is_known_here() -> None:
    texts = raised.sentences()
    assert len(texts) > 80
    assert unknown(texts, SENTENCES) == []


def test_every_reason_that_may_stand_in_one_is_known_here() -> None:
    texts = raised.reasons()
    assert len(texts) > 25
    assert unknown(texts, REASONS) == []


def test_a_sentence_that_nobody_knows_is_found() -> None:
    assert unknown([Text("□ burns. Call for help.", "here")], SENTENCES) != []


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            "web1: no connection to 10.0.0.5 port 22 (Connection refused). Nothing was run. Check"
            " that the machine is up, and its address and port on the host page.",
            "连接被拒绝",
        ),
        (
            'The model server at http://h/v1 answered 401: "bad key. go away". Check'
            " OPENAI_API_KEY.",
            "返回了 401：“bad key. go away”。请检查 OPENAI_API_KEY。",
        ),
        (
            "The model server at http://h/v1 did not begin to answer: nothing for 60 s. Try again"
            " later. 5 秒后重试。",
            "没有开始回答：60 秒内没有任何内容。请稍后再试。5 秒后重试。",
        ),
        (
            "web1: the stored key cannot be used: The passphrase does not open this private key."
            " Nothing was run. Check the user and the log-in on the host page.",
            "口令打不开这个私钥。什么都没有执行",
        ),
        (
            "web1: it refused to let 'ops' in. Tried: password. The host offers: publickey. It"
            " asked: Code:. Nothing was run. Check the user and the log-in on the host page.",
            "它问过：Code:",
        ),
        ("config, line 3: a quote is not closed.", "config 第 3 行"),
    ],
)
def test_reasons_are_translated_where_they_stand(text: str, words: str) -> None:
    said_in_chinese = said(text, "zh")
    assert words in said_in_chinese
    assert not re.search(r"Nothing was|Check |Try |The ", said_in_chinese)
