"""The address where ``walissh up`` listens, as other commands find it."""

import subprocess
import sys
from pathlib import Path

import pytest

from walissh.config import Settings
from walissh.errors import StartError
from walissh.service import listen

DIES = (
    "import os, pathlib, sys; from walissh.config import Settings; from walissh.service import"
    " listen; held = listen.announced(Settings(pathlib.Path(sys.argv[1]), '127.0.0.1:9'));"
    " held.__enter__(); os._exit(9)"
)


def configured(home: Path) -> Settings:
    return Settings(home, bind="127.0.0.1:8022")


def test_the_announced_address_goes_before_the_configured_one(tmp_path: Path) -> None:
    with listen.announced(Settings(tmp_path, bind="0.0.0.0:9000")):
        assert listen.running_address(configured(tmp_path)) == "127.0.0.1:9000"
    assert listen.running_address(configured(tmp_path)) == "127.0.0.1:8022"
    assert not list(tmp_path.iterdir())


def test_the_address_of_a_killed_process_is_not_believed(tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-c", DIES, str(tmp_path)], check=False)
    assert (tmp_path / "address").read_text() == "127.0.0.1:9\n"
    assert listen.running_address(configured(tmp_path)) == "127.0.0.1:8022"
    with listen.announced(Settings(tmp_path, bind="127.0.0.1:9001")):
        assert listen.running_address(configured(tmp_path)) == "127.0.0.1:9001"


def test_a_folder_in_the_place_of_the_file_is_one_clear_line(tmp_path: Path) -> None:
    (tmp_path / "address").mkdir()
    with pytest.raises(StartError, match="address cannot be written"):
        listen.announced(configured(tmp_path)).__enter__()
    assert listen.running_address(configured(tmp_path)) == "127.0.0.1:8022"
