"""Markdown of an untrusted author."""

from html.parser import HTMLParser

import pytest

from walissh.react.turn import Citation
from walissh.web import markdown

CITED = (Citation(1, "abc", 2, 3), Citation(2, "def", 1, 1))


def test_marks_lead_to_the_lines_they_rest_on() -> None:
    html = markdown.render("It is down [1][2].", CITED)
    assert html.count('class="cite-link"') == 2
    assert 'href="#L-abc-2"' in html and 'data-last="3"' in html


def test_a_mark_that_rests_on_nothing_stays_text() -> None:
    assert "see [7]" in markdown.render("see [7]", CITED)


def test_a_mark_in_code_stays_code() -> None:
    html = markdown.render("`a[1]`\n\n```\nb[1]\n```", CITED)
    assert "cite" not in html


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "[x](javascript:alert(1))",
        "[x](data:text/html,<script>alert(1)</script>)",
        "![x](http://evil.example/?secret)",
        "<javascript:alert(1)>",
        '[x](http://a "onmouseover=alert(1)")',
        "```<script>\nx\n```",
    ],
)
def test_nothing_that_runs_or_loads_gets_through(text: str) -> None:
    for tag, attributes in elements(markdown.render(text)):
        assert tag in {"p", "a", "pre", "code"}
        assert set(attributes) <= {"href", "rel", "title", "class", "tabindex"}
        assert not attributes.get("href", "").startswith(("javascript", "data"))


class Elements(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, {name: value or "" for name, value in attrs}))


def elements(html: str) -> list[tuple[str, dict[str, str]]]:
    parser = Elements()
    parser.feed(html)
    return parser.found


def test_tables_and_coloured_code_survive() -> None:
    html = markdown.render("| a | b |\n|---|---|\n| 1 | 2 |\n\n```bash\necho hi\n```")
    assert "<td>1</td>" in html and '<span class="nb">echo</span>' in html


def test_growing_text_is_not_coloured() -> None:
    assert "<span" not in markdown.render_growing("```bash\necho hi\n```")


def test_growing_text_drives_nothing_out_of_memory() -> None:
    markdown.render("kept")
    before = markdown.render.cache_info()
    for length in range(20):
        markdown.render_growing("word " * length)
    assert markdown.render.cache_info() == before


def test_an_unknown_language_is_plain_code() -> None:
    assert "a &lt; b" in markdown.render("```nonsense\na < b\n```")


def test_deep_nesting_and_broken_text_do_not_raise() -> None:
    for text in ("> " * 2000 + "x", "[" * 5000, "*" * 5000, "\x00\ud800", "`" * 999):
        assert isinstance(str(markdown.render(text)), str)


def test_headings_stand_below_those_of_the_page() -> None:
    html = markdown.render("# one\n\n## two\n\n###### six")
    assert "<h3>one</h3>" in html and "<h4>two</h4>" in html and "<h6>six</h6>" in html


@pytest.mark.parametrize(
    "url", ["/sign-in/x", "//evil.example", "hosts", "http:/hosts", "?a", "\\\\evil", "ftp://x/"]
)
def test_a_link_into_this_site_is_its_text(url: str) -> None:
    assert markdown.render(f"[go]({url})") == "<p>go</p>\n"


@pytest.mark.parametrize("url", ["https://x.example/", "HTTP://x.example/", "mailto:a@b.c", "#L-1"])
def test_a_link_away_or_within_the_page_stays(url: str) -> None:
    assert f'href="{url}"' in markdown.render(f"[go]({url})")


def test_marks_of_memories_lead_to_what_the_turn_was_given() -> None:
    html = markdown.render("Done [m1], as [m1, m2] say; not [m3].", (), ("m1", "m2"), "t1")
    assert html.count('href="#recalled-t1-m1"') == 2
    assert 'href="#recalled-t1-m2"' in html
    assert "[m3]" in html
