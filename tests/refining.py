"""A turn that has ended, and memory that may have a model look over what it taught."""

import json
from dataclasses import dataclass, field
from pathlib import Path

from tests.fakes import NoCache, TaskList
from walissh import wiring
from walissh.clock import utc_now
from walissh.config import Settings
from walissh.memory.entry import Memory
from walissh.memory.milestones import MilestoneTracker
from walissh.memory.mind import Mind
from walissh.memory.refine import Refiner
from walissh.memory.router import Router
from walissh.react.turn import CommandRun, CommandStatus, Reply, Risk, Turn
from walissh.store import memories, milestones, people, sessions, turns


@dataclass
class Talk:
    """One person's session; `ended` makes turns of it, `learn` is what ``finish`` does."""

    owner: str
    session: str
    dropped: list[str] = field(default_factory=list)
    refiner: Refiner | None = None

    @classmethod
    def new(cls) -> "Talk":
        owner = people.named("ann").id
        return cls(owner, sessions.create(owner, host_ids=[]).id)

    def refine_with(self, url: str, tokens: int = 4_000) -> None:
        """Use the model server at *url* from now on."""
        settings = Settings(home=Path("/nonexistent"), openai_base_url=url, refine_tokens=tokens)
        self.refiner = wiring.refiner(settings, self.dropped.append)

    def ended(self, question: str, answer: str = "Noted.") -> Turn:
        """Return a turn of the session that has been answered."""
        asked = turns.ask(self.session, self.owner, question, "en")
        thinking = turns.claim(asked.id, 0, "test-worker")
        assert thinking is not None
        assert turns.record_answer(thinking, Reply(answer), [])
        return self.now(asked)

    def now(self, turn: Turn) -> Turn:
        """Return the turn as it is now."""
        found = turns.get(turn.id)
        assert found is not None
        return found

    def learn(self, turn: Turn) -> bool:
        """Do the after-work of memory."""
        return self.mind().learn(turn.id)

    def mind(self) -> Mind:
        return wiring.mind_of(
            tracker=MilestoneTracker(milestones, NoCache()),
            router=Router(Path("/nonexistent"), utc_now),
            working=TaskList(),
            dropped=self.dropped.append,
            refiner=self.refiner,
        )

    def kept(self) -> list[Memory]:
        """Return what counts, newest first."""
        return list(memories.page(self.owner, limit=50).items)

    def contents(self) -> list[str]:
        return [each.content for each in self.kept()]


def listed(*parts: dict[str, str]) -> str:
    """Return a reply of the form that is asked for."""
    return json.dumps(parts, ensure_ascii=False)


def run(run_id: str) -> CommandRun:
    """Return a command that went well."""
    now = utc_now()
    return CommandRun(
        id=run_id,
        turn_id="t",
        session_id="s",
        user_id="u",
        step=1,
        tool_call_id="c",
        host_id="h",
        host="web1",
        host_revision=1,
        command="uptime",
        reason="",
        status=CommandStatus.FINISHED,
        risk=Risk.READ_ONLY,
        reasons=(),
        limit_s=10,
        exit_code=0,
        error="",
        phase="",
        ended_by="exited",
        output_head="",
        output_tail="",
        output_chars=0,
        output_lines=1,
        created_at=now,
        started_at=now,
        finished_at=now,
    )
