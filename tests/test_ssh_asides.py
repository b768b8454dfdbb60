"""What the starting shell says in between never reaches the output, however it is cut."""

from hypothesis import given
from hypothesis import strategies as st

from walissh.ssh.output import Outlet

MARK = "walissh-00112233aabbccdd"
ASIDE = f"{MARK}:sudo:12:34:\n"
pieces = st.sampled_from(
    ["w", "wal", "out\n", MARK, f"{MARK}:sudo:", ASIDE, ":", "汉字\n", "x" * 120]
)


def heard(chunks: list[bytes]) -> tuple[str, list[str]]:
    said: list[str] = []
    outlet = Outlet(MARK, "utf-8", said.append, hidden="")
    outlet.feed("stderr", f"{MARK}:\n".encode())
    for chunk in chunks:
        outlet.feed("stderr", chunk)
    asked = list(iter(outlet.asked, None))
    outlet.finish()
    return "".join(said), asked


@given(st.lists(pieces, max_size=8), st.integers(1, 9))
def test_output_and_requests_are_the_same_whatever_the_chunks(parts: list[str], size: int) -> None:
    whole = "".join(parts).encode()
    cut = [whole[at : at + size] for at in range(0, len(whole), size)]
    assert heard(cut) == heard([whole])


def test_a_request_in_the_middle_of_a_line_is_taken_out() -> None:
    assert heard([f"half{ASIDE} a line\n".encode()]) == ("half a line\n", [":sudo:12:34:"])


def test_what_only_begins_like_a_request_is_output() -> None:
    assert heard([f"wal{MARK[:-1]}".encode()]) == (f"wal{MARK[:-1]}", [])


def test_a_password_in_the_output_is_masked() -> None:
    said: list[str] = []
    outlet = Outlet(MARK, "utf-8", said.append, hidden="open sesame")
    outlet.feed("stdout", f"{MARK}:1:1:b::\n".encode())
    outlet.feed("stdout", b"it is open se")
    outlet.feed("stdout", b"same.\n")
    outlet.finish()
    assert "".join(said) == "it is ‹sudo password›.\n"
