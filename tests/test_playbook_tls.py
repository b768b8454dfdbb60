"""Certificates: what is served, what lies on disk, who cannot speak to whom."""

# ruff: noqa: E501  lines of openssl

import pytest

from tests.offline_talk import Ended, Talk, machine

HOST = {
    "date '+%s": Ended(0, "1772445600 2026-03-02 10:00:00 UTC+0000 UTC\n"),
    "-showcerts": Ended(
        0,
        " 0 s:CN = stall.example.com\n   i:CN = Example CA\nVerify return code: 10 (certificate has expired)\n",
    ),
    "openssl x509 -noout -subject -issuer": Ended(
        0,
        "subject=CN = stall.example.com\nissuer=CN = Example CA\nnotBefore=Jan  1 00:00:00 2025 GMT\n"
        "notAfter=Jan  1 00:00:00 2026 GMT\nserial=0A1B\n    DNS:stall.example.com\n",
    ),
    "ssl_certificate": Ended(0, ""),
}


@pytest.mark.parametrize(("language", "title"), [("zh", "根因（"), ("en", "Root cause (")])
def test_an_expired_certificate_is_told_with_its_date(language: str, title: str) -> None:
    question = (
        "https://stall.example.com/ 打不开，证书有问题吗"
        if language == "zh"
        else "why is https://stall.example.com/ not secure"
    )
    talk = Talk({"web1": machine("", HOST)}, "zh" if language == "zh" else "en")
    cause = talk.ask(question).partition(title)[2].splitlines()[0]
    assert "Jan  1 00:00:00 2026 GMT" in cause
    assert "UTC+0000" in cause
    assert "[[c0de" in cause
