"""The key of the installation: made once, private, and never a guess."""

import stat
from pathlib import Path

import pytest

from walissh.config import Settings
from walissh.errors import SettingsError, StartError
from walissh.store import seal


def test_the_key_is_made_once_and_is_private(tmp_path: Path) -> None:
    settings = Settings(home=tmp_path / "home")
    key = seal.secret_key(settings)
    assert key == seal.secret_key(settings) and len(key) > 40
    assert stat.S_IMODE((settings.home / seal.KEY_FILE).stat().st_mode) == 0o600


def test_the_environment_has_the_first_word(tmp_path: Path) -> None:
    settings = Settings(home=tmp_path, secret_key="from the environment")
    assert seal.secret_key(settings) == "from the environment"
    assert not (tmp_path / seal.KEY_FILE).exists()


def test_a_key_that_others_can_read_stops_the_start(tmp_path: Path) -> None:
    settings = Settings(home=tmp_path)
    seal.secret_key(settings)
    (tmp_path / seal.KEY_FILE).chmod(0o644)
    with pytest.raises(SettingsError, match="chmod 600"):
        seal.secret_key(settings)


@pytest.mark.parametrize("content", [b"", b"short\n", b"\xff\xfe"])
def test_a_file_without_a_key_stops_the_start_instead_of_sealing_with_nothing(
    tmp_path: Path, content: bytes
) -> None:
    file = tmp_path / seal.KEY_FILE
    file.write_bytes(content)
    file.chmod(0o600)
    with pytest.raises(SettingsError, match="holds no key"):
        seal.secret_key(Settings(home=tmp_path))


def test_a_home_that_cannot_be_written_is_said_in_one_line() -> None:
    with pytest.raises(StartError, match="cannot be used"):
        seal.secret_key(Settings(home=Path("/proc/no-such-home")))


def test_each_purpose_has_its_own_key() -> None:
    assert seal.derive("x" * 20, "cookies") != seal.derive("x" * 20, "secrets at rest")
