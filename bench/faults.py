"""Score the offline brain on a lab of real faults: found, wrong, or not found.

``bench/faults.py LAB [FAULT...]``: LAB is a folder with the program ``lab`` (``up``, ``down``,
``list``, ``show``, ``inject``, ``heal``, ``score``), which gives a server behind SSH and puts
one fault at a time into it. Each fault is asked about in both languages, then each question
is put to the healthy server, where no cause may be named. Every command is judged by the
gate first; one that is not plainly reading is not run, and told.

Without ``--product`` the brain alone is played, over a plain ssh. With it the questions go to
a whole ``walissh up`` in a scratch home by its JSON interface, and seconds are those that a
person waits. The last line is the sums as JSON; exit code 1 if any was missed or held back.
"""

# ruff: noqa: T201  it prints figures
import argparse
import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import product
import yaml

from walissh.brain import playbook
from walissh.brain.offline import OfflineBrain
from walissh.react.turn import Language, Message, Reply, Request, Risk, Tool
from walissh.safety import risk

LANGUAGES: Sequence[Language] = ("zh", "en")
MOST_STEPS = 12
PARALLEL = 8
CAUSE = ("根因（", "Root cause (")
RUN_COMMAND = Tool("run_command", "Run one command.", {"type": "object"})


@dataclass(frozen=True)
class Lab:
    """The lab's folder, and how to reach the server inside."""

    folder: Path

    def call(self, *words: str, given: str | None = None) -> subprocess.CompletedProcess[str]:
        """Run the lab's program."""
        return subprocess.run(
            [str(self.folder / "lab"), *words],
            input=given,
            stdin=subprocess.DEVNULL if given is None else None,
            capture_output=True,
            text=True,
            check=False,
        )

    def info(self) -> dict[str, str]:
        """Return how to log in; starts the server if it does not run."""
        found = self.call("info")
        if found.returncode:
            found = self.call("up")
        if found.returncode:
            sys.exit(f"the lab does not start: {found.stderr}")
        return dict(json.loads(found.stdout))

    def inject(self, fault: str) -> subprocess.CompletedProcess[str]:
        """Put *fault* into the server; tried twice, for on a busy machine its set-up is cut."""
        self.call("heal")
        injected = self.call("inject", fault)
        if injected.returncode:
            self.call("heal")
            injected = self.call("inject", fault)
        return injected

    def faults(self) -> list[str]:
        """Return the names of all faults."""
        return sorted(each.name for each in (self.folder / "faults").iterdir() if each.is_dir())

    def question(self, fault: str, language: Language) -> str:
        """Return what a person asks about *fault*."""
        told = json.loads((self.folder / "faults" / fault / "fault.json").read_text("utf-8"))
        return str(told[f"question_{language}"])


@dataclass
class Asked:
    """One question and how it went."""

    answer: str
    commands: list[str]
    outputs: list[dict[str, object]]
    refused: list[str]
    seconds: float
    steps: int


def ask(question: str, language: Language, config: str, *, show: bool = False) -> Asked:
    """Play one turn of the offline brain against the server behind *config*."""
    begun, brain = time.monotonic(), OfflineBrain(playbook.built_in())
    messages = [Message("system", "."), Message("user", question)]
    asked = Asked("", [], [], [], 0.0, 0)
    for step in range(MOST_STEPS):
        request = Request(tuple(messages), (RUN_COMMAND,), ("shop-01",), language)
        reply = brain.complete(request, on_text=lambda _: None, cancelled=lambda: False)
        messages.append(Message("assistant", reply.text, reply.tool_calls))
        if not reply.tool_calls:
            asked.answer, asked.steps = reply.text, step
            break
        messages += _run(reply, asked, config, show=show)
    asked.seconds = time.monotonic() - begun
    return asked


def _run(reply: Reply, asked: Asked, config: str, *, show: bool) -> Iterator[Message]:
    orders = [json.loads(call.arguments)["command"] for call in reply.tool_calls]
    with ThreadPoolExecutor(PARALLEL) as pool:
        ended = list(pool.map(lambda command: _one(command, config), orders))
    for call, command, (state, output) in zip(reply.tool_calls, orders, ended, strict=True):
        number = len(asked.commands)
        (asked.refused if state.startswith("refused") else asked.commands).append(command)
        code = state.split(",")[0].removeprefix("exit ")
        if code.isdecimal():
            asked.outputs.append({"command": command, "exit": int(code), "output": output})
        if show:
            print(f"--- {call.id} {command}\n[{state}]\n{output[:3000]}")
        block = f"[command c0de{number:04x} on shop-01: {state}]"
        body = f"\n<<<output 8b1c\n{output[:12000]}\noutput 8b1c>>>" if output else ""
        yield Message("tool", block + body, tool_call_id=call.id)


def _one(command: str, config: str) -> tuple[str, str]:
    judged = risk.classify(command)
    if judged.risk is not Risk.READ_ONLY or judged.interactive:
        return f"refused by the gate, not run: {judged.risk}", ""
    try:
        ran = subprocess.run(
            ["ssh", "-F", config, "lab", command],  # noqa: S607  whatever ssh there is
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=30,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return "stopped at its limit of 30 s, no output so far", ""
    text = ran.stdout.decode("utf-8", "replace").removesuffix("\n")
    return f"exit {ran.returncode}, {len(text.splitlines())} lines", text


def ask_product(running: product.Product, question: str, language: Language) -> Asked:
    """Put one question to the whole product; it finds the language by itself."""
    turned = running.ask(question)
    answer = turned.answer if turned.status == "done" else f"[{turned.status}] {turned.answer}"
    return Asked(answer, turned.commands, [], turned.held, turned.seconds, turned.steps)


Ask = Callable[[str, Language], Asked]


def judge(lab: Lab, fault: str, answer: str) -> tuple[str, str]:
    """Return ``found``, ``wrong`` (a cause that is not it) or ``not found``, and why."""
    scored = lab.call("score", fault, "--answer-file", "-", given=answer)
    if scored.returncode == 0:
        return "found", ""
    missed = "wrong" if any(each in answer for each in CAUSE) else "not found"
    return missed, scored.stdout


def main() -> None:
    """Print a line for each question, and the sums; exit code 1 if any was missed."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that all we started is ended
    options = _options()
    lab = Lab(options.lab.resolve())
    info = lab.info()
    scores = Scores({}, [], [])
    with ExitStack() as stack:
        if options.product:
            running = stack.enter_context(product.running("shop-01", info))
            put: Ask = partial(ask_product, running)
        else:
            put = partial(ask, config=info["ssh_config"], show=options.show)
        if not options.healthy_only:
            _ask_ill(lab, put, options, scores)
        if options.healthy or options.healthy_only:
            _ask_healthy(lab, put, options, scores)
    print(json.dumps(scores.told()))
    sys.exit(any(scores.sums.get(each) for each in MISSED))


def _ask_ill(lab: Lab, put: Ask, options: argparse.Namespace, scores: "Scores") -> None:
    """Ask about each fault while it is there."""
    for fault in options.faults or lab.faults():
        injected = lab.inject(fault)
        if injected.returncode:
            print(f"{fault}: not injected: {injected.stdout}{injected.stderr}")
            scores.add("not injected")
            continue
        for language in options.lang or LANGUAGES:
            asked = put(lab.question(fault, language), language)
            verdict, why = judge(lab, fault, asked.answer)
            _tell(fault, language, verdict, asked, scores)
            if options.record:
                _record(options.record, fault, asked)
            if options.show or (options.why and verdict != "found"):
                print(asked.answer, why, sep="\n")
    lab.call("heal")


def _ask_healthy(lab: Lab, put: Ask, options: argparse.Namespace, scores: "Scores") -> None:
    """Ask the same while nothing is wrong: no cause may be named."""
    lab.call("heal")
    for fault in options.faults or lab.faults():
        for language in options.lang or LANGUAGES:
            asked = put(lab.question(fault, language), language)
            named = any(each in asked.answer for each in CAUSE)
            verdict = "false cause" if named else "clean"
            _tell(f"healthy: {fault}", language, verdict, asked, scores)
            if named and options.why:
                print(asked.answer)


MISSED = ("wrong", "not found", "false cause", "refused", "not injected")


@dataclass
class Scores:
    """How often each came out, and what it cost."""

    sums: dict[str, int]
    commands: list[int]
    seconds: list[float]

    def add(self, verdict: str, count: int = 1) -> None:
        """Count *verdict*."""
        self.sums[verdict] = self.sums.get(verdict, 0) + count

    def told(self) -> dict[str, float]:
        """Return the sums, with the most commands and the seconds of a question."""
        costs = sorted(self.seconds) or [0.0]
        return {
            **self.sums,
            "most_commands": max(self.commands, default=0),
            "median_s": round(costs[len(costs) // 2], 1),
            "most_s": round(costs[-1], 1),
        }


def _record(folder: Path, fault: str, asked: Asked) -> None:
    """Keep what the commands gave, as a machine that tests can play."""
    file = folder / f"{fault}.yaml"
    known = yaml.safe_load(file.read_text("utf-8")) if file.exists() else []
    new = {each["command"]: each for each in (*known, *asked.outputs)}
    text = yaml.safe_dump(list(new.values()), allow_unicode=True, sort_keys=False)
    file.write_text(text, "utf-8")


def _tell(name: str, language: str, verdict: str, asked: Asked, scores: Scores) -> None:
    scores.add(verdict)
    scores.add("refused", len(asked.refused))
    scores.commands.append(len(asked.commands))
    scores.seconds.append(asked.seconds)
    more = f", held back by the gate: {asked.refused}" if asked.refused else ""
    print(
        f"{name} {language}: {verdict}, {len(asked.commands)} commands in {asked.steps} steps,"
        f" {asked.seconds:.1f} s{more}",
        flush=True,
    )


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("lab", type=Path)
    parser.add_argument("faults", nargs="*")
    parser.add_argument("--lang", nargs="*", choices=LANGUAGES)
    parser.add_argument("--product", action="store_true", help="Ask a whole walissh up.")
    parser.add_argument("--healthy", action="store_true", help="Also ask the healthy server.")
    parser.add_argument("--healthy-only", action="store_true")
    parser.add_argument("--record", type=Path, help="Keep the outputs in this folder.")
    parser.add_argument("--why", action="store_true", help="Print the answers that missed.")
    parser.add_argument("--show", action="store_true", help="Print commands, outputs, answers.")
    return parser.parse_args()


if __name__ == "__main__":
    main()
