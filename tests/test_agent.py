"""The turn, from question to answer, on a real database with a scripted model and shell."""

import time
from dataclasses import replace

from tests.fakes import call
from tests.world import World
from walissh.errors import (
    ContextTooLongError,
    ModelBusyError,
    ModelRefusedError,
    ShellError,
    StoreError,
    TurnCancelledError,
)
from walissh.react import agent, course, decisions, telling
from walissh.react.turn import CommandStatus, Reply, ToolCall, TurnStatus
from walissh.safety import purify
from walissh.store import commands, history, hosts, sessions, turns
from walissh.store.hosts import HostDraft


def test_a_question_leads_over_a_command_to_a_cited_answer(world: World) -> None:
    world.script((call("uptime"),), "It is idle [1].")
    turn = world.ask()
    world.play()
    ended, (run,) = world.turn(turn), world.runs(turn)
    assert ended.status is TurnStatus.DONE
    assert ended.answer == "It is idle [1]."
    assert [(c.n, c.command_id) for c in ended.citations] == [(1, run.id)]
    assert (run.status, run.exit_code, run.output_head) == (CommandStatus.FINISHED, 0, "uptime\n")
    assert ended.usage.prompt_tokens == 20


def test_the_talk_is_stored_as_it_went_with_the_question_once(world: World) -> None:
    world.script((call("uptime"),), "Idle.")
    turn = world.ask("why slow?")
    world.play()
    roles = [message.role for message in history.of_turn(turn.id)]
    assert roles == ["user", "assistant", "tool", "assistant"]


def test_each_request_has_one_system_message_and_ends_in_the_newest(world: World) -> None:
    world.script((call("uptime"),), "Idle.")
    world.ask("why slow?")
    world.play()
    for request in world.model.requests:
        assert [m.role for m in request.messages].count("system") == 1
        assert request.messages[0].role == "system"
    assert world.model.requests[0].messages[-1].content == "why slow?"
    assert "uptime" in world.model.requests[1].messages[-1].content


def test_the_question_is_stored_before_the_model_is_asked(world: World) -> None:
    turn = world.ask("why slow?")
    assert [m.content for m in history.of_turn(turn.id)] == ["why slow?"]
    assert world.queue.jobs == [("think", turn.id, 0)]


def test_a_change_waits_for_a_click_and_holds_no_job(world: World) -> None:
    world.script((call("touch /tmp/x"),), "Done.")
    turn = world.ask()
    world.play()
    assert world.turn(turn).status is TurnStatus.AWAITING_APPROVAL
    assert world.shell.ran == []
    world.approve(world.runs(turn)[0])
    world.play()
    assert world.shell.ran == [(world.host.id, "touch /tmp/x")]
    assert world.turn(turn).status is TurnStatus.DONE


def test_a_reply_with_two_calls_goes_on_after_the_last_of_both(world: World) -> None:
    world.script((call("uptime"), call("touch a", call_id="c2")), "Done.")
    turn = world.ask()
    world.play()
    first, second = world.runs(turn)
    assert (first.status, second.status) == (
        CommandStatus.FINISHED,
        CommandStatus.AWAITING_APPROVAL,
    )
    world.approve(second)
    world.play()
    tools = [m.tool_call_id for m in history.of_turn(turn.id) if m.role == "tool"]
    assert tools == ["c1", "c2"]


def test_calls_that_share_an_id_are_told_apart(world: World) -> None:
    world.script((call("uptime"), call("df")), "Done.")
    turn = world.ask()
    world.play()
    results = [m for m in history.of_turn(turn.id) if m.role == "tool"]
    assert len({m.tool_call_id for m in results}) == 2


def test_a_think_job_that_comes_twice_asks_the_model_once(world: World) -> None:
    world.script("Fine.")
    turn = world.ask()
    world.queue.jobs *= 2
    world.play()
    assert len(world.model.requests) == 1
    assert world.turn(turn).status is TurnStatus.DONE


def test_an_act_job_that_comes_twice_runs_the_command_once(world: World) -> None:
    world.script((call("uptime"),), "Fine.")
    world.ask()
    world.step()
    world.queue.jobs *= 2
    world.play()
    assert len(world.shell.ran) == 1


def test_broken_arguments_are_answered_to_the_model(world: World) -> None:
    world.script((ToolCall("c1", "run_command", '{"host": "web1", "comm'),), "Sorry.")
    turn = world.ask()
    world.play()
    assert "not valid JSON" in world.model.requests[1].messages[-1].content
    assert world.turn(turn).status is TurnStatus.DONE


def test_a_host_that_is_not_of_the_session_runs_nothing_anywhere(world: World) -> None:
    world.script((call("uptime", host="web2"),), "No such host.")
    world.ask()
    world.play()
    assert world.shell.ran == []
    assert "nothing was run" in world.model.requests[1].messages[-1].content


def test_a_host_edited_after_the_approval_runs_nothing(world: World) -> None:
    world.script((call("touch /tmp/x"),), "The host changed.")
    turn = world.ask()
    world.play()
    world.approve(world.runs(turn)[0])
    hosts.change(world.host.id, world.person.id, HostDraft("web1", "192.0.2.9", "ops"))
    world.play()
    (run,) = world.runs(turn)
    assert world.shell.ran == []
    assert (run.status, run.phase) == (CommandStatus.FAILED, "host_key")


def test_a_refused_command_goes_back_to_the_model_with_its_reason(world: World) -> None:
    world.script((call("vi /etc/hosts"),), "I can't edit.")
    turn = world.ask()
    world.play()
    assert world.runs(turn)[0].status is CommandStatus.REFUSED
    assert "refused by the gate" in world.model.requests[1].messages[-1].content


def test_a_denied_command_goes_back_with_the_persons_words(world: World) -> None:
    world.script((call("touch a"),), "Then not.")
    turn = world.ask()
    world.play()
    decisions.deny(world.parts, world.runs(turn)[0].id, world.person.id, "not at night")
    world.play()
    assert "not at night" in world.model.requests[1].messages[-1].content
    assert world.turn(turn).status is TurnStatus.DONE


def test_a_command_that_never_ran_says_its_phase(world: World) -> None:
    error = ShellError("web1: refused. Nothing was run.", host="web1", phase="connect")
    world.shell.outputs = {"uptime": error}
    world.script((call("uptime"),), "It is down.")
    turn = world.ask()
    world.play()
    (run,) = world.runs(turn)
    assert (run.status, run.phase, run.exit_code) == (CommandStatus.FAILED, "connect", None)
    assert "failed in phase connect" in world.model.requests[1].messages[-1].content


def test_a_connection_lost_in_mid_command_is_an_unknown_outcome(world: World) -> None:
    world.shell.outputs = {"uptime": ShellError("lost", host="web1", phase="run", started=True)}
    world.script((call("uptime"),), "Unknown.")
    turn = world.ask()
    world.play()
    assert world.runs(turn)[0].status is CommandStatus.UNKNOWN
    assert "outcome unknown" in world.model.requests[1].messages[-1].content


def test_a_busy_model_is_asked_again_later_and_holds_no_job(world: World) -> None:
    world.script(ModelBusyError("busy", retry_after_s=0.001), "Fine.")
    turn = world.ask()
    world.play()
    waiting = world.turn(turn)
    assert (waiting.status, waiting.not_before is not None) == (TurnStatus.QUEUED, True)
    agent.think(world.parts, turn.id, 0)
    assert world.turn(turn).status is TurnStatus.DONE


def test_a_model_that_stays_busy_fails_the_turn_and_keeps_the_partial_text(world: World) -> None:
    world.limit(attempts=1)
    world.script(ModelBusyError("dropped in mid-stream", partial="The cause"))
    turn = world.ask()
    world.play()
    ended = world.turn(turn)
    assert (ended.status, ended.error) == (TurnStatus.FAILED, "dropped in mid-stream")
    last = history.of_turn(turn.id)[-1]
    assert (last.content, last.meta["partial"]) == ("The cause", True)


def test_a_refused_request_fails_at_once(world: World) -> None:
    world.script(ModelRefusedError("401: check the key"))
    turn = world.ask()
    world.play()
    assert world.turn(turn).error == "401: check the key"


def test_after_a_failed_turn_the_next_question_is_answered(world: World) -> None:
    world.script(ModelRefusedError("401"), "Fine.")
    world.ask()
    world.play()
    turn = world.ask("again?")
    world.play()
    assert world.turn(turn).status is TurnStatus.DONE


def test_a_request_that_is_too_long_is_made_again_with_less_history(world: World) -> None:
    world.script("x " * 40_000)
    world.ask("first")
    world.play()
    world.script(ContextTooLongError("too long"), "Fine.")
    turn = world.ask("second")
    world.play()
    assert world.turn(turn).status is TurnStatus.DONE
    first, second = (
        sum(len(each.content) for each in request.messages) for request in world.model.requests[1:]
    )
    assert second < first


def test_the_step_limit_ends_in_a_summary(world: World) -> None:
    world.limit(steps=2)
    calls = [(call(f"uptime -{n}"),) for n in range(2)]
    world.script(*calls, Reply("", (call("again"),)))
    turn = world.ask()
    world.play()
    ended = world.turn(turn)
    assert ended.status is TurnStatus.DONE
    assert "uptime -1" in ended.answer
    assert world.model.requests[-1].tools == ()


def test_three_equal_results_in_a_row_end_in_a_summary(world: World) -> None:
    world.script(*[(call("uptime"),)] * 3, "It repeats.")
    turn = world.ask()
    world.play()
    assert len(world.shell.ran) == 3
    assert world.turn(turn).answer == "It repeats."
    assert world.model.requests[-1].tools == ()


def test_stop_while_thinking_keeps_the_reply_out(world: World) -> None:
    turn = world.ask()
    world.model.before_reply = lambda: decisions.cancel(world.parts, turn.id, world.person.id)
    world.script((call("touch a"),))
    world.play()
    assert world.turn(turn).status is TurnStatus.CANCELLED
    assert world.runs(turn) == []


def test_stop_cancels_what_waits_and_ends_the_turn(world: World) -> None:
    world.script((call("touch a"),))
    turn = world.ask()
    world.play()
    decisions.cancel(world.parts, turn.id, world.person.id)
    world.play()
    assert world.runs(turn)[0].status is CommandStatus.CANCELLED
    assert world.turn(turn).status is TurnStatus.CANCELLED
    assert len(world.events.named("done")) == 1


def test_stop_while_a_command_runs_ends_the_turn_with_the_command(world: World) -> None:
    world.script((call("uptime"),))
    turn = world.ask()
    world.step()
    run = commands.claim(world.runs(turn)[0].id, "test-worker")
    assert run is not None
    decisions.cancel(world.parts, turn.id, world.person.id)
    assert world.turn(turn).status is TurnStatus.ACTING
    agent._run(world.parts, run)
    course.advance(world.parts, turn.id)
    assert world.turn(turn).status is TurnStatus.CANCELLED
    assert world.runs(turn)[0].status is CommandStatus.CANCELLED


def test_a_model_that_notices_the_stop_stores_nothing(world: World) -> None:
    world.script(TurnCancelledError("stopped"))
    turn = world.ask()
    world.model.before_reply = lambda: decisions.cancel(world.parts, turn.id, world.person.id)
    world.play()
    assert [m.role for m in history.of_turn(turn.id)] == ["user"]


def test_a_worker_taken_for_dead_cannot_store_its_reply(world: World) -> None:
    turn = world.ask()
    claimed = turns.claim(turn.id, 0, "slow worker")
    assert claimed is not None
    turns.postpone(claimed, claimed.created_at, "")
    assert turns.claim(turn.id, 0, "other worker") is not None
    assert turns.record_answer(claimed, Reply("late"), ()) is False


def test_with_no_host_chosen_the_one_named_is_meant_from_then_on(world: World) -> None:
    hosts.add(world.person.id, HostDraft("db1", "127.0.0.1", "ops"))
    sessions.change(world.session.id, world.person.id, host_ids=[])
    world.script("Fine.", "Fine.")
    world.ask("is db1 up?")
    world.play()
    world.ask("is it up?")
    world.play()
    assert [request.hosts for request in world.model.requests] == [("db1",), ("db1",)]


def test_the_next_question_has_all_that_was_said_while_it_fits(world: World) -> None:
    for number in range(30):
        world.script(f"answer {number}")
        world.ask(f"question {number}")
        world.play()
    world.script("Fine.")
    world.ask("the last")
    world.play()
    system, *rest = world.model.requests[-1].messages
    assert (system.role, len(rest)) == ("system", 61)
    assert rest[0].content == "question 0"


def test_the_session_is_named_after_its_first_question_at_once(world: World) -> None:
    world.ask("why does nginx answer 502?\nlog follows")
    named = sessions.get(world.session.id, world.person.id)
    assert named is not None and named.title == "why does nginx answer 502?"


def test_a_command_in_the_journal_shows_the_target_it_was_proposed_for(world: World) -> None:
    world.script((call("uptime"),), "Fine.")
    turn = world.ask()
    world.play()
    assert world.runs(turn)[0].host_identity == "ops@127.0.0.1:22 no trusted key"


def test_one_call_on_two_hosts_gives_one_result_with_two_blocks(world: World) -> None:
    other = hosts.add(world.person.id, HostDraft("web2", "127.0.0.1", "ops"))
    ids = [world.host.id, other.id]
    sessions.change(world.session.id, world.person.id, host_ids=ids)
    two = replace(call("uptime"), arguments='{"hosts": ["web1", "web2"], "command": "uptime"}')
    world.script((two,), "Both fine.")
    turn = world.ask()
    world.play()
    (result,) = [m for m in history.of_turn(turn.id) if m.role == "tool"]
    assert "on web1: exit 0" in result.content and "on web2: exit 0" in result.content


def test_a_host_that_answered_is_known_as_well_and_one_that_did_not_says_why(world: World) -> None:
    error = ShellError("web1: refused.", host="web1", phase="connect")
    world.shell.outputs = {"uptime": error}
    for command, status in (("uptime", "failed"), ("df", "ok")):
        world.script((call(command),), "So.")
        world.ask()
        world.play()
        host = hosts.get(world.host.id, world.person.id)
        assert host is not None and host.check is not None and host.check.status == status


def test_a_chosen_host_that_was_removed_is_not_replaced_by_another(world: World) -> None:
    hosts.add(world.person.id, HostDraft("db1", "127.0.0.1", "ops"))
    hosts.remove(world.host.id, world.person.id)
    nameless = replace(call("uptime"), arguments='{"command": "uptime", "reason": ""}')
    world.script((nameless,), "No host.")
    world.ask()
    world.play()
    assert world.shell.ran == []


def test_after_one_long_turn_the_model_still_knows_the_talk(world: World) -> None:
    calls = [(call(f"uptime -{n}"), call(f"df -{n}", call_id="c2")) for n in range(20)]
    world.script(*calls, "Found.")
    world.ask("the long one")
    world.play()
    world.script("Fine.")
    world.ask("so restart it?")
    world.play()
    questions = [m.content for m in world.model.requests[-1].messages if m.role == "user"]
    assert questions == ["the long one", "so restart it?"]


def test_stop_while_thinking_about_results_stores_them_once(world: World) -> None:
    world.script((call("uptime"),), "late")
    turn = world.ask()
    world.step()
    world.step()
    world.model.before_reply = lambda: decisions.cancel(world.parts, turn.id, world.person.id)
    world.play()
    roles = [message.role for message in history.of_turn(turn.id)]
    assert roles == ["user", "assistant", "tool"]


def test_a_step_that_breaks_late_does_not_close_the_turn_of_another_worker(world: World) -> None:
    turn = world.ask()
    claimed = turns.claim(turn.id, 0, "first")
    assert claimed is not None
    turns.postpone(claimed, claimed.created_at, "")
    turns.claim(turn.id, 0, "second")
    course.abandon_step(replace(world.parts, worker="first"), turn.id, 0)
    assert world.turn(turn).status is TurnStatus.THINKING


def test_output_that_cannot_be_stored_stops_the_command_and_says_so(world: World) -> None:
    class FullDisk:
        def __getattr__(self, name: str) -> object:
            return getattr(commands, name)

        def append_output(self, command_id: str, text: str) -> int:
            raise StoreError("The database did not answer: disk full")

    world.parts = replace(world.parts, commands=FullDisk())
    world.script((call("touch a"),), "So.")
    turn = world.ask()
    world.play()
    world.approve(world.runs(turn)[0])
    world.play()
    (run,) = world.runs(turn)
    assert (run.status, "disk full" in run.error) == (CommandStatus.UNKNOWN, True)


def test_a_request_that_cannot_be_shortened_is_sent_once(world: World) -> None:
    world.script(ContextTooLongError("too long"))
    turn = world.ask()
    world.play()
    assert len(world.model.requests) == 1
    assert world.turn(turn).status is TurnStatus.FAILED


def test_a_nul_from_the_model_goes_back_to_it_in_words(world: World) -> None:
    world.script((call("echo \0"),), "Sorry.")
    world.ask()
    world.play()
    assert "NUL" in world.model.requests[1].messages[-1].content


def test_a_secret_in_live_text_is_hidden_though_it_comes_in_two_pieces(world: World) -> None:
    secret = "Tr0ub4dor-" + "x9q2"
    flow = telling.TextFlow(world.parts, world.ask(), purify.clean)
    for delta in ("the line says password=", secret[:6], secret[6:], " and that is all of it"):
        flow.add(delta)
        time.sleep(telling.TEXT_EACH_S)
    flow.flush()
    told = "".join(str(data["delta"]) for data in world.events.named("text"))
    assert secret not in told and told.startswith("the line says")
