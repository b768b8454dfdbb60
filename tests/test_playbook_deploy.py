"""Deployments: the link that was never switched is named, with the script that did it."""

from tests.offline_ailing import ailing, cause_of

LINKS = """1796039900.0 d deploy /srv/blog/releases/v7/v8 -> /srv/blog/releases/v8
1796000000.0 d deploy /srv/blog/current -> /srv/blog/releases/v7
"""
SCRIPT = '/srv/blog/ship.sh:5:ln -sf "$new" /srv/blog/current\n'
ZH, EN = (
    "blog 发布了 v8，可是页面还是 v7，为什么？",
    "The blog was deployed as v8 but still shows v7. Why?",
)


def test_a_link_made_inside_the_old_release_is_named_with_its_script() -> None:
    given = ailing(more={"-type l": LINKS, "(ln +-": SCRIPT})
    for text in cause_of(given, zh=ZH, en=EN).values():
        assert "/srv/blog/current" in text
        assert "/srv/blog/releases/v7" in text
        assert "/srv/blog/ship.sh:5" in text
        assert "[[c0de" in text


def test_a_link_that_was_switched_is_no_cause() -> None:
    given = ailing(
        more={"-type l": "1796039900.0 d deploy /srv/blog/current -> /srv/blog/releases/v8\n"}
    )
    assert cause_of(given, zh=ZH, en=EN) == {"zh": "", "en": ""}
