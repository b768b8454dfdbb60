"""Time: zones that are not the meant ones, and clocks that are off."""

from tests.offline_ailing import ailing, cause_of, ps
from tests.offline_talk import Machine

ZH = "月结任务 settle 应该在北京时间早上 6 点跑，最近却晚了好几个小时，时间为什么不对？"
EN = "The job settle should run at 6 a.m. Beijing time, but it runs hours late. Why?"
NOW = "now 1796040000 UTC+0000 UTC\n/usr/share/zoneinfo/Etc/UTC\n"


def host(code: str, sync: str = NOW) -> Machine:
    """Return a machine whose job server is configured with *code*."""
    return ailing(
        [ps(320, "/usr/bin/python3 /opt/settled/settled.py", user="jobs")],
        {"/var/log/settled/settled.log": "2026-11-30 11:00:00 INFO settled: settle started"},
        more={
            "readlink -f /etc/localtime": sync,
            "grep -rnHsIE": f"/etc/settled/settled.conf:3:{code}\n",
            "for z in": "zone Europe/Lisbon UTC+0000 WET 12:00\n"
            "zone Asia/Shanghai UTC+0800 CST 20:00\n"
            "zone UTC UTC+0000 UTC 12:00\n",
            "grep -HsIan -m1": "end\n",
            "/etc/crontab": "end\n",
        },
    )


def test_a_zone_that_is_not_the_meant_one_is_named_with_its_line() -> None:
    said = cause_of(host("timezone = Europe/Lisbon"), zh=ZH, en=EN)
    for text in said.values():
        assert all(part in text for part in ("settled.conf", "Europe/Lisbon", "Asia/Shanghai", "8"))
    assert "时区" in said["zh"]
    assert "time zone" in said["en"]


def test_an_offset_of_utc_stays_as_the_machine_prints_it() -> None:
    said = cause_of(host("timezone = Europe/Lisbon"), zh=ZH, en=EN)
    assert "UTC+0000" in said["zh"]
    assert "UTC+0800" in said["en"]


def test_the_meant_zone_is_no_cause() -> None:
    assert cause_of(host("timezone = Asia/Shanghai"), zh=ZH, en=EN) == {"zh": "", "en": ""}


def test_a_clock_that_is_off_is_named_with_its_seconds() -> None:
    sync = f"{NOW}System time     : 412.5 seconds slow of NTP time\n"
    said = cause_of(
        host("timezone = Asia/Shanghai", sync),
        zh="签名服务说令牌还没生效，是不是时钟的问题？",
        en="The signer says tokens are not yet valid. Is the clock wrong?",
    )
    assert "412.5" in said["zh"]
    assert "behind" in said["en"]
