"""What holds of every command line: no crash, and no part added makes one safer."""

from hypothesis import given, settings
from hypothesis import strategies as st

from walissh.safety import risk, shell
from walissh.safety.syntax import plain, shfmt, walk

QUICK = settings(max_examples=25, deadline=None)

PIECES = (
    "ls", "df -h", "cat /etc/hosts", "cat /etc/shadow", "rm -rf /srv", "touch x", "frob", "top",
    "echo $x", "x=1", "f() { ls; }", "for i in 1 2; do date; done", "cat", "sudo -n reboot",
    "[ -f x ]", "echo $((1+1))", "read x", "systemctl restart a", "while true; do ls; done",
    "set -e", "exec 2>&1", "kubectl get secret", "bash -c 'ls'", "find . -exec ls {} +",
)  # fmt: skip
parts = st.sampled_from(PIECES)
some_lines = st.lists(parts, min_size=1, max_size=2).map("; ".join)
texts = st.text(st.sampled_from("abx12 \t\n'\"\\$(){}[]<>|&;*?!#~=-+/:,@%^.`"), max_size=40)
plain_words = st.sampled_from(
    ["ls", "-la", "'a b'", '"c d"', "x=1", "2>/dev/null", ">", "|", ";", "&&", "||", "\n", "*.log",
     "{}", r"\;", "if", "then", "a=b", "<", "f", "2>&1", ">>", "&", "!", "[", "]", "~", "~x", "''",
     "a'b'\"c\"", "time", "case", "\t", "#", "a#b", "=", "日志", "1>x", "@", "%", "^", r"\(", "-"]
)  # fmt: skip


def order(command: str) -> int:
    return risk.SEVERITY.index(risk.classify(command).risk)


@QUICK
@given(texts)
def test_no_text_breaks_the_judging(text: str) -> None:
    risk.classify(text)


@QUICK
@given(some_lines, parts)
def test_a_part_added_never_makes_a_line_safer(line: str, part: str) -> None:
    before = order(line)
    for longer in (f"{line}; {part}", f"{line} && {part}", f"{line}\n{part}",
                   f"{line}; echo $({part})", f"{line}; ls > out"):  # fmt: skip
        assert order(longer) >= before, longer


@QUICK
@given(some_lines, parts)
def test_what_would_hang_hangs_with_a_part_added(line: str, part: str) -> None:
    if risk.classify(line).interactive:
        assert risk.classify(f"{line}; {part}").interactive


@QUICK
@given(parts)
def test_a_wrapper_never_makes_a_command_safer(part: str) -> None:
    if not any(sign in part for sign in "'\";=(){}[]<>$"):
        for wrapped in (f"sudo -n {part}", f"nice {part}", f"bash -c '{part}'", f"env {part}"):
            assert order(wrapped) >= min(order(part), order("touch x")), wrapped


@settings(max_examples=120, deadline=None)
@given(st.lists(plain_words, min_size=1, max_size=7))
def test_a_plain_line_is_read_as_the_parser_reads_it(words: list[str]) -> None:
    line = " ".join(words)
    quick = plain.read(line)
    if quick is not None:
        tree = shfmt.tree(line, "bash")
        assert isinstance(tree, dict), line
        assert _shape(quick) == _shape(walk.line(tree).commands), line


def _shape(commands: tuple[shell.Simple, ...]) -> list[object]:
    return [
        (
            [(word.literal, word.glob) for word in each.words],
            [(to.op, to.fd, to.target.literal if to.target else None) for to in each.redirects],
            each.piped,
        )
        for each in commands
    ]
