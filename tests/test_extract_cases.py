"""Which conclusions are a case, and what is its cause and its remedy."""

import time

import pytest

from walissh.memory.entry import Found, MemoryType
from walissh.memory.extract import cases


def only(text: str) -> Found:
    (case,) = cases.from_assistant(text)
    return case


@pytest.mark.parametrize(
    ("text", "cause", "fix"),
    [
        (
            "Grafana was blank because its datasource password had been rotated. "
            "Updated the datasource and reloaded it; panels draw again.",
            "its datasource password had been rotated",
            "Updated the datasource and reloaded it",
        ),
        (
            "Zookeeper lost quorum since two nodes shared the same myid. "
            "Gave zk2 its own id. Quorum is back.",
            "two nodes shared the same myid",
            "Gave zk2 its own id",
        ),
        (
            "Traced the 500s to a PHP extension that was not loaded. "
            "Installed php8.2-mbstring and reloaded php-fpm. No more errors.",
            "a PHP extension that was not loaded",
            "Installed php8.2-mbstring and reloaded php-fpm",
        ),
        (
            "The certificate on lb1 had expired, which is why browsers refused it. "
            "Renewed it with certbot; the handshake is OK.",
            "The certificate on lb1 had expired",
            "Renewed it with certbot",
        ),
        (
            "Fixed it by recreating the network; containers had lost DNS because the "
            "bridge's chain was flushed.",
            "the bridge's chain was flushed",
            "Fixed it by recreating the network",
        ),
        (
            "Disk on db4 filled because the slow log was never rotated, so I added a "
            "logrotate rule and truncated the log. 31% used now.",
            "the slow log was never rotated",
            "added a logrotate rule and truncated the log",
        ),
        (
            "VPN clients got no routes. The push directive had been commented out. "
            "Uncommented it and restarted openvpn; routes are pushed.",
            "The push directive had been commented out",
            "Uncommented it and restarted openvpn",
        ),
        (
            "邮件发不出去的原因是 25 端口被云厂商封了。改走 465 端口后发送成功。",
            "25 端口被云厂商封了",
            "改走 465 端口",
        ),
        (
            "夜间 CPU 飙高由 updatedb 扫描 NFS 引起。在 PRUNEFS 里加入 nfs4，昨晚 CPU 正常。",
            "updatedb 扫描 NFS",
            "在 PRUNEFS 里加入 nfs4",
        ),
        (
            "证书过期导致小程序无法登录。重新签发证书并 reload nginx，登录恢复。",
            "证书过期",
            "重新签发证书并 reload nginx",
        ),
        (
            "GitLab 502 是因为 puma 的内存限制太低，调大到 4G 后恢复正常。",
            "puma 的内存限制太低",
            "调大到 4G",
        ),
        (
            "ssh 登录慢，sshd 开了 UseDNS 而内网没有反向解析。关闭 UseDNS 并重启 sshd，登录正常。",
            "sshd 开了 UseDNS 而内网没有反向解析",
            "关闭 UseDNS 并重启 sshd",
        ),
        (
            "web2 上 php-fpm 慢是因为 opcache 没开。Enabled opcache and reloaded php-fpm, "
            "TTFB 从 900ms 降到 120ms。",
            "opcache 没开",
            "Enabled opcache and reloaded php-fpm",
        ),
    ],
)
def test_an_established_cause_and_its_remedy_are_told_apart(
    text: str, cause: str, fix: str
) -> None:
    case = only(text)
    assert case.type is MemoryType.TROUBLESHOOTING_CASE
    assert (case.cause, case.value, case.fix) == (cause, cause, fix)


def test_labels_tell_the_parts() -> None:
    case = only(
        "## Symptom\nBuilds hang at checkout.\n## Cause\nThe git server's host key changed.\n"
        "## Fix\nReplaced the key in known_hosts.\n## Verification\nThree builds passed."
    )
    assert case.symptom == "Builds hang at checkout"
    assert case.cause == "The git server's host key changed"
    assert case.fix == "Replaced the key in known_hosts"
    assert case.worked is True


def test_markdown_and_marks_of_citation_are_gone() -> None:
    case = only(
        "**现象**：API 偶发 504 [1]\n**根因**：upstream 里有已下线的 `10.1.2.3` [[c4:1-2]]\n"
        "**处理**：从 upstream 删除该节点 [2]\n**结果**：504 消失"
    )
    assert (case.symptom, case.cause) == ("API 偶发 504", "upstream 里有已下线的 10.1.2.3")
    assert case.fix == "从 upstream 删除该节点"


def test_a_first_idea_that_was_turned_around_is_not_the_cause() -> None:
    case = only(
        "At first I suspected the network, but it was the ARP table: gc_thresh3 was too small. "
        "Raised gc_thresh3 to 8192, packet loss is gone."
    )
    assert "gc_thresh3 was too small" in case.cause
    assert "network" not in case.cause


def test_each_incident_of_a_list_is_a_case() -> None:
    found = cases.from_assistant(
        "Two problems:\n"
        "1. nginx could not bind because port 443 was taken by sslh. Stopped sslh, nginx is up.\n"
        "2. certbot failed because port 80 was filtered. Opened it in ufw, the renewal succeeded.\n"
    )
    assert [each.cause for each in found] == [
        "port 443 was taken by sslh",
        "port 80 was filtered",
    ]


def test_a_remedy_that_was_only_advised_has_no_outcome() -> None:
    case = only("根因：Nacos 三台时间不同步，raft 一直选举。建议在三台上启用 chrony。")
    assert (case.fix, case.worked) == ("在三台上启用 chrony", None)


def test_a_remedy_that_helped_is_trusted_more() -> None:
    told = "Backups failed because the bucket policy denied PutObject. Added the role to the policy"
    helped, open_ended = only(f"{told}; backups succeed again."), only(f"{told}.")
    assert (helped.worked, open_ended.worked) == (True, None)
    assert helped.confidence > open_ended.confidence


def test_the_subject_is_a_short_name_of_the_symptom() -> None:
    case = only("web2 上 php-fpm 慢是因为 opcache 没开。启用 opcache 后恢复正常。")
    assert case.subject == "php-fpm 慢"
    assert case.content == "web2 上 php-fpm 慢 → opcache 没开 → 启用 opcache"


@pytest.mark.parametrize(
    "text",
    [
        "The 502s are probably caused by php-fpm running out of children. I raised the limit.",
        "It looks like the resolver is overloaded. Switched to another one and it works.",
        "怀疑是 DNS 解析慢导致的，已经换成别的服务器，观察中。",
        "大概率是新版本的内存泄漏，我先回滚到 3.1，恢复了，等开发确认。",
        "应该是防火墙拦截导致的，我放行了端口，你再试试。",
        "Possible causes: a full disk, a wrong mode, or SELinux. Let me check each.",
    ],
)
def test_a_guess_is_no_case(text: str) -> None:
    assert cases.from_assistant(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "The root cause is a memory leak in the exporter. No fix is available so far.",
        "根因是第三方接口故障，只能等对方恢复。",
        "Rolled back to 2.3.1, errors are gone. The cause is still under investigation.",
        "暂时通过重启规避了，根本原因还在分析中。",
        "Restarted nginx and the site is up again. I don't know why it stopped.",
        "The load went down by itself around 11:20. No cause found.",
        "/data is 93% full because backups pile up. Still looking for who writes them.",
    ],
)
def test_half_a_case_is_none(text: str) -> None:
    assert cases.from_assistant(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "Increased the pool to 50 because waits were long. Did not help: they are the same.",
        "把超时调到 60s 后问题依旧，说明不是超时导致的。",
        "The cause was a small cache. Doubled it, but the page is still slow.",
    ],
)
def test_what_did_not_help_is_no_case(text: str) -> None:
    assert cases.from_assistant(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "Root cause: the pool is exhausted. Next I will raise its size once you approve.",
        "原因是连接池太小。等你确认后我把它调到 200。",
        "根因是缺少索引，要我现在创建吗？",
        "Plan: 1) stop the replica 2) rebuild it from the primary 3) start it again.",
        "接下来我会清理日志，然后重启 rsyslog。",
        "Tomorrow I will replace the disk because SMART reports bad sectors.",
    ],
)
def test_what_is_not_done_yet_is_no_case(text: str) -> None:
    assert cases.from_assistant(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "High memory usage usually comes from too many workers; reduce them and restart.",
        "一般来说 502 是因为后端没起来，重启后端就能恢复。",
        "According to the wiki, this is caused by a stale pid file and fixed by deleting it.",
        "> The disk was full because of core dumps. Removed them.\n\nThat is an old note.",
        "I can't restart the database because you are not allowed to change prod.",
        "All five hosts are healthy: load below 1, no errors in the journal.",
        "Installed htop on web1 because it was missing. It works.",
        "升级完成，nginx 从 1.22 升到 1.26，配置检查通过，服务正常。",
        "",
    ],
)
def test_other_talk_is_no_case(text: str) -> None:
    assert cases.from_assistant(text) == []


def test_output_in_a_fence_is_not_a_conclusion() -> None:
    text = "The log says:\n```\nfailed because the disk was full. Removed it, works again.\n```\n"
    assert cases.from_assistant(text) == []


@pytest.mark.parametrize(
    "piece", ["because the ", "，因为被", "was down to ", "a: ", "[[", "、1) "]
)
def test_a_long_text_takes_no_long_time(piece: str) -> None:
    began = time.process_time()
    cases.from_assistant(piece * 20_000)
    assert time.process_time() - began < 2
