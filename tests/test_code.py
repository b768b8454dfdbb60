"""Code in an argument: what it destroys is named, whatever it is written in."""

import base64
import codecs

import pytest

from walissh.react.turn import Risk
from walissh.safety import code, risk

ENCODED = base64.b64encode(b"rm -rf /opt/shop").decode()
DESTROYING = [
    "python3 -c 'import shutil; shutil.rmtree(\"/opt/shop\")'",
    "python3 -c 'import pathlib; pathlib.Path(\"/opt/a\").unlink()'",
    "perl -e 'unlink \"/opt/a\"'",
    "perl -MFile::Path -e 'rmtree(\"/opt/shop\")'",
    "ruby -e 'File.delete(\"/opt/a\")'",
    "ruby -rfileutils -e 'FileUtils.rm_rf(\"/opt/shop\")'",
    'node -e \'require("fs").rmSync("/opt/shop",{recursive:true})\'',
    "php -r 'unlink(\"/opt/a\");'",
    "perl -e 'truncate(\"/opt/a\", 0)'",
    "lua -e 'os.remove(\"/opt/a\")'",
    "awk 'BEGIN{system(\"poweroff\")}'",
    "tar -xf a.tar --to-command='rm -r /opt/shop'",
    "rpm --eval '%(shutdown now)'",
    "zip -q a.zip f -T -TT 'rm -rf /opt/shop'",
    "make --eval='all:;rm -rf /opt/shop' all",
    "gdb -batch -ex 'shell poweroff'",
    "expect -c 'spawn rm -rf /opt/shop'",
    "sort --compress-program='rm -rf /opt' -S 1 f",
    "man -H'sh -c poweroff' ls",
    "ssh -o LocalCommand=poweroff -o PermitLocalCommand=yes db7 true",
    "rsync --rsync-path='halt;rsync' f db7:f",
    "ip -batch - <<< 'link set eth3 down'",
    "vim -es -c ':!poweroff' -c ':q'",
    "sed '1e rm -rf /opt/shop' f",
    f"echo {ENCODED} | base64 -d | sh",
    "rev <<< 'pohs/tpo/ fr- mr' | bash",
    f"echo {codecs.encode('rm -rf /opt/shop', 'rot13')} | tr 'A-Za-z' 'N-ZA-Mn-za-m' | sh",
    f"echo {b'rm -rf /opt/shop'.hex()} | xxd -r -p | sh",
    "$(printf '\\162\\155') -rf /opt/shop",
    "$(echo r)m -rf /opt/shop",
    "`printf 'r%s' m` -rf /opt/shop",
    "/bin/[r]m -rf /opt/shop",
    "read 'a[$(poweroff)]' <<< 1",
    "alias ll='rm -rf /opt/shop'",
]
HARMLESS = [
    "grep 'rm -rf' /opt/shop/deploy.sh",
    "history | grep 'rm -rf'",
    "journalctl -g reboot -n 20",
    "last reboot",
    "man reboot",
    "git commit -m 'never rm -rf again'",
    "echo 'rm -rf /opt/old' >> /tmp/cleanup.txt",
    "cat /var/run/reboot-required",
    "python3 -c 'print(open(\"/opt/a\").read())'",
    "perl -e 'print 1+1'",
    "awk '/shutdown/ {print $1}' /opt/app.log",
]


@pytest.mark.parametrize("command", DESTROYING)
def test_what_code_in_an_argument_destroys_is_called_so(command: str) -> None:
    assert risk.classify(command).risk is Risk.DESTRUCTIVE


@pytest.mark.parametrize("command", HARMLESS)
def test_a_word_of_destruction_that_is_only_read_or_said_is_none(command: str) -> None:
    assert risk.classify(command).risk is not Risk.DESTRUCTIVE


@pytest.mark.parametrize("command", ["rm -rf /", "python3 -c 'os.remove(f)'"])
def test_what_only_reads_is_never_raised(command: str) -> None:
    assert code.weigh(command, Risk.READ_ONLY) == ""


def test_the_code_that_decided_is_told() -> None:
    judged = risk.classify("perl -e 'unlink \"/opt/a\"'")
    assert ("code", ("unlink",)) in [(each.code, each.args) for each in judged.reasons]
