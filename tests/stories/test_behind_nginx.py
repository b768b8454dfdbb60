"""Behind an nginx with default settings, events come as they happen."""

import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.api_client import ApiClient
from tests.scripted_model import Deltas, ScriptedModel
from tests.services import Installation, free_port, missing, until

CONFIGURATION = """
daemon off;
pid {folder}/nginx.pid;
error_log {folder}/error.log;
events {{}}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    server {{
        listen 127.0.0.1:{port};
        location / {{
            proxy_pass {upstream};
            proxy_set_header Host $host:$server_port;
        }}
    }}
}}
"""


@pytest.fixture
def proxy(with_model: Installation, tmp_path: Path) -> Iterator[str]:
    """The address of an nginx in front of the installation."""
    nginx = shutil.which("nginx", path=f"{os.environ['PATH']}:/usr/sbin")
    if nginx is None:
        missing("nginx is not installed")
    port, folder = free_port(), tmp_path / "nginx"
    folder.mkdir()
    file = folder / "nginx.conf"
    file.write_text(
        CONFIGURATION.format(folder=folder, port=port, upstream=with_model.url), encoding="utf-8"
    )
    process = subprocess.Popen([nginx, "-p", folder, "-c", file, "-e", folder / "error.log"])
    until((folder / "nginx.pid").exists, what="nginx")
    yield f"http://127.0.0.1:{port}"
    process.terminate()
    process.wait()


def test_each_piece_of_an_answer_arrives_while_the_model_still_speaks(
    with_model: Installation, scripted_model: ScriptedModel, proxy: str
) -> None:
    # long pieces: the newest words are held back until more follow
    pieces = [step for n in range(5) for step in ({"content": f"piece {n} " * 50}, 0.4)]
    scripted_model.script(Deltas(*pieces))
    api = ApiClient.of(with_model)
    turn = api.ask(api.session(), "go")
    arrived = [
        time.monotonic()
        for _, name, _ in api.events(turn, base=f"{proxy}/api/v1")
        if name in ("text", "done")
    ]
    # buffered by the proxy, all would come at once at the end
    assert arrived[-1] - arrived[0] > 1.0
