"""A model played by a script, over real HTTP in the real wire format.

In a test: the fixture ``scripted_model``; queue behaviours with ``server.script(...)`` or
give a function of the request with ``server.answer_with(...)``. As a process, for stories
with other processes in them::

    python -m tests.scripted_model --port 0 --script FILE

FILE is Python: it defines ``SCRIPT`` (a list of behaviours) or ``answer(asked)``, or both;
the process prints its base URL as its first line.
"""

import argparse
import json
import runpy
import select
import socket
import sys
import threading
import time
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from tests import model_rules
from tests.model_script import (
    Answer,
    Asked,
    Behaviour,
    Body,
    BrokenArguments,
    Call,
    CloseWithoutEnd,
    Deltas,
    Drop,
    ErrorInStream,
    Fail,
    HangUp,
    Say,
    SlowHeaders,
    Stall,
    as_deltas,
    as_message,
    cut,
)

__all__ = [
    "Asked",
    "Body",
    "BrokenArguments",
    "Call",
    "CloseWithoutEnd",
    "Deltas",
    "Drop",
    "ErrorInStream",
    "Fail",
    "HangUp",
    "Say",
    "ScriptedModel",
    "SlowHeaders",
    "Stall",
    "scripted_model",
]
TICK_S = 0.02


class ScriptedModel:
    """The server; it answers from the queued script, then by the function, then with 400."""

    def __init__(
        self, *, port: int = 0, strict_system: bool = True, api_key: str | None = None
    ) -> None:
        self.requests: list[Asked] = []
        self.refusals: list[str] = []
        self.faults: list[BaseException] = []
        self.strict_system = strict_system
        self.api_key = api_key
        self.model = "scripted"
        self.stopping = threading.Event()
        self._lock = threading.Lock()
        self._queue: deque[Behaviour | Answer] = deque()
        self._answer: Answer | None = None
        self._calls = 0
        self._http = _Http(("127.0.0.1", port), _Handler)
        self._http.model = self
        self._thread = threading.Thread(
            target=self._http.serve_forever, kwargs={"poll_interval": TICK_S}, daemon=True
        )

    @property
    def url(self) -> str:
        """The base URL for ``OPENAI_BASE_URL``."""
        return f"http://127.0.0.1:{self._http.server_address[1]}/v1"

    def script(self, *steps: Behaviour | Answer) -> None:
        """Queue one behaviour, or function of the request, per request to come."""
        with self._lock:
            self._queue.extend(steps)

    def answer_with(self, answer: Answer) -> None:
        """Answer by *answer* whenever the queue is empty."""
        self._answer = answer

    def forget(self) -> None:
        """Begin afresh: no script, and nothing seen."""
        with self._lock:
            self._queue.clear()
            self._answer = None
            for seen in (self.requests, self.refusals, self.faults):
                seen.clear()

    def start(self) -> "ScriptedModel":
        """Serve in a thread of its own."""
        self._thread.start()
        return self

    def stop(self) -> None:
        """Wake all stalls, close the port."""
        self.stopping.set()
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()

    def serve(self) -> None:
        """Serve in the calling thread."""
        self._http.serve_forever()

    def react_to(self, asked: Asked) -> Behaviour:
        """Return what to do about *asked*, which is recorded."""
        with self._lock:
            self.requests.append(asked)
            number = len(self.requests)
        refusal = self._refusal(asked)
        if refusal is not None:
            self.refusals.append(refusal.message)
            return refusal
        with self._lock:
            step = self._queue.popleft() if self._queue else self._answer
        if step is None:
            return Fail(400, f"the script has no answer for request {number}", "script_ended")
        return step(asked) if callable(step) else step

    def call_ids(self, count: int) -> list[str]:
        """Return the next *count* call ids."""
        with self._lock:
            self._calls += count
            return [f"call_{n}" for n in range(self._calls - count + 1, self._calls + 1)]

    def _refusal(self, asked: Asked) -> Fail | None:
        if self.api_key and asked.headers.get("authorization") != f"Bearer {self.api_key}":
            words = "Incorrect API key provided: sk-wr***ng. Find yours on your account page."
            return Fail(401, words, "invalid_api_key", "invalid_request_error")
        fault = model_rules.check(asked.body, strict_system=self.strict_system)
        if fault is None:
            return None
        return Fail(400, fault.message, fault.code, "invalid_request_error", fault.param)


class _Http(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    model: ScriptedModel

    def handle_error(self, request: object, client_address: object) -> None:
        """Keep quiet about clients that left, and keep the script's own faults."""
        error = sys.exc_info()[1]
        if error is not None and not isinstance(error, OSError):
            self.model.faults.append(error)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: _Http

    def log_message(self, format: str, *args: object) -> None:
        """Write nothing."""

    def do_GET(self) -> None:
        model = self.server.model.model
        listing = {"object": "list", "data": [{"id": model, "object": "model"}]}
        if self.path == "/v1/models":
            self._send(200, json.dumps(listing))
        else:
            self._fail(Fail(404, f"Unknown request URL: GET {self.path}", "unknown_url"))

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers.get("content-length", 0)))
        if self.path != "/v1/chat/completions":
            self._fail(Fail(404, f"Unknown request URL: POST {self.path}", "unknown_url"))
            return
        headers = {name.lower(): value for name, value in self.headers.items()}
        self._asked = Asked(_parsed(raw), headers)
        self._play(self.server.model.react_to(self._asked))

    def _play(self, behaviour: Behaviour) -> None:
        match behaviour:
            case Fail():
                self._fail(behaviour)
            case Body():
                self._send(200, behaviour.text, content_type=behaviour.content_type)
            case HangUp():
                self._cut()
            case SlowHeaders():
                if self._wait(behaviour.seconds):
                    self._play(behaviour.then or Say("late"))
            case _ if not self._asked.body.get("stream"):
                self._send(200, json.dumps(self._completion(behaviour), ensure_ascii=False))
            case _:
                self._stream(behaviour)

    def _stream(self, behaviour: Behaviour) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream; charset=utf-8")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        self._write(": the server is thinking")
        self._delta({"role": "assistant", "content": ""})
        self._act(behaviour)

    def _act(self, behaviour: Behaviour) -> None:
        match behaviour:
            case Drop():
                self._say(cut(behaviour.text)[: behaviour.after])
                self._cut()
            case CloseWithoutEnd():
                self._say(cut(behaviour.text))
                self._chunk(b"")
            case ErrorInStream():
                self._say(cut(behaviour.text))
                self._event({"error": _error(behaviour.message, behaviour.type, behaviour.code)})
                self._chunk(b"")
            case Stall():
                self._say(cut(behaviour.text))
                if self._wait(behaviour.seconds, comments=behaviour.comments):
                    self._act(behaviour.then or Say("late"))
            case Fail() | Body() | HangUp() | SlowHeaders():
                raise TypeError(f"{behaviour} comes too late: the headers are sent")
            case _:
                self._whole(as_deltas(behaviour, self.server.model.call_ids))

    def _whole(self, script: Deltas) -> None:
        for each in script.deltas:
            if not self._one(each):
                return
        if script.finish is not None:
            self._delta({}, finish=script.finish)
        options = self._asked.body.get("stream_options") or {}
        if script.usage and options.get("include_usage"):
            self._event(self._envelope([], usage=self._usage(script)))
        self._write("data: [DONE]")
        self._chunk(b"")

    def _one(self, each: Mapping[str, object] | str | float) -> bool:
        match each:
            case str():
                self._write(each)
            case int() | float():
                return self._wait(each)
            case _:
                self._delta(each)
        return True

    def _completion(self, behaviour: Behaviour) -> dict[str, object]:
        script = as_deltas(behaviour, self.server.model.call_ids)
        message = as_message(script)
        choice = {"index": 0, "message": message, "finish_reason": script.finish}
        whole = self._envelope([choice], usage=self._usage(script))
        return {**whole, "object": "chat.completion"}

    def _usage(self, script: Deltas) -> dict[str, int]:
        prompt = len(json.dumps(self._asked.body.get("messages"))) // 4
        answer = max(1, len(json.dumps(script.deltas)) // 16)
        return {
            "prompt_tokens": prompt,
            "completion_tokens": answer,
            "total_tokens": prompt + answer,
        }

    def _envelope(self, choices: list[object], **more: object) -> dict[str, object]:
        return {
            "id": f"chatcmpl-{id(self._asked):x}",
            "object": "chat.completion.chunk",
            "created": int(time.time()),
            "model": self._asked.body["model"],
            "choices": choices,
            **more,
        }

    def _say(self, pieces: Sequence[str]) -> None:
        for piece in pieces:
            self._delta({"content": piece})

    def _delta(self, delta: Mapping[str, object], finish: str | None = None) -> None:
        self._event(self._envelope([{"index": 0, "delta": delta, "finish_reason": finish}]))

    def _event(self, data: Mapping[str, object]) -> None:
        self._write("data: " + json.dumps(data, ensure_ascii=False))

    def _write(self, line: str) -> None:
        self._chunk(line.encode("utf-8", "surrogatepass") + b"\n\n")

    def _chunk(self, data: bytes) -> None:
        try:
            self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
        except OSError:
            self._asked.hung_up.set()
            raise

    def _cut(self) -> None:
        self.close_connection = True
        self.connection.shutdown(socket.SHUT_RDWR)

    def _wait(self, seconds: float, *, comments: bool = False) -> bool:
        """Be silent; False if the client left or the server stops meanwhile."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            readable, _, _ = select.select([self.connection], [], [], TICK_S)
            if readable and not self.connection.recv(1, socket.MSG_PEEK):
                self._asked.hung_up.set()
            if self._asked.hung_up.is_set() or self.server.model.stopping.is_set():
                self.close_connection = True
                return False
            if comments:
                self._write(": still thinking")
        return True

    def _fail(self, failure: Fail) -> None:
        error = _error(failure.message, failure.type, failure.code, failure.param)
        body = json.dumps({"error": error}) if failure.raw is None else failure.raw
        more = {} if failure.retry_after is None else {"Retry-After": str(failure.retry_after)}
        kind = "application/json" if failure.raw is None else "text/html"
        self._send(failure.status, body, content_type=kind, more=more)

    def _send(
        self,
        status: int,
        body: str,
        *,
        content_type: str = "application/json",
        more: Mapping[str, str] | None = None,
    ) -> None:
        data = body.encode()
        self.send_response(status)
        headers = {"Content-Type": content_type, "Content-Length": str(len(data))}
        for name, value in {**headers, **(more or {})}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)


def _parsed(raw: bytes) -> Any:
    try:
        return json.loads(raw)
    except ValueError:
        return {}


def _error(
    message: str, kind: str, code: str | int | None, param: str | None = None
) -> dict[str, object]:
    return {"message": message, "type": kind, "param": param, "code": code}


@pytest.fixture
def scripted_model() -> Iterator[ScriptedModel]:
    """A scripted model server on a free port; a fault in the script itself fails the test."""
    server = ScriptedModel().start()
    yield server
    server.stop()
    for fault in server.faults:
        raise fault


def main() -> None:
    """Serve one script until the process is ended."""
    parser = argparse.ArgumentParser(description="a scripted chat completions server")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--script", required=True)
    options = parser.parse_args()
    script = runpy.run_path(options.script)
    server = ScriptedModel(port=options.port)
    server.script(*script.get("SCRIPT", ()))
    if "answer" in script:
        server.answer_with(script["answer"])
    print(server.url, flush=True)
    server.serve()


if __name__ == "__main__":
    main()
