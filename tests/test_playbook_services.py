"""The look at the logs, in a real shell."""

import subprocess
from pathlib import Path

import pytest

from walissh.brain import playbook

BUILT_IN = playbook.built_in()


@pytest.mark.parametrize("name", ["log_errors", "log_last"])
def test_a_remembered_log_that_is_gone_is_passed_over(name: str, tmp_path: Path) -> None:
    there, gone = tmp_path / "there.log", tmp_path / "gone.log"
    there.write_text("2026-03-02 10:00:00 error: no more flour\n", "utf-8")
    command = BUILT_IN.probes[name].variants[0].run.replace("{row.files}", f"{gone} {there}")
    ended = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert "gone.log" not in ended.stdout
    assert f"==> {there} <==" in ended.stdout
    assert "no more flour" in ended.stdout
