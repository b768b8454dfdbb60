"""A playbook of two steps, a machine that has its fault, and turns that find it."""

from dataclasses import replace

from tests.world import World
from walissh.brain import playbook
from walissh.brain.offline import OfflineBrain
from walissh.memory.entry import Memory, MemoryType
from walissh.react.turn import Turn
from walissh.store import memories, turns

PANTRY = """
name: pantry
title: {zh: 储藏室, en: the pantry}
words: {zh: [储藏室, 面包], en: [pantry, bread]}
start: [pantry_shelf]
probes:
  pantry_shelf:
    why: {zh: 看架子, en: look at the shelf}
    variants: [{run: cat shelf, regex: '^shelf (?P<number>[0-9]+) (?P<state>bare|full)$'}]
  pantry_order:
    why: {zh: 看订单, en: look at the orders}
    variants: [{run: 'cat orders {row.number}', regex: '^(?P<file>/[^ ]+) (?P<state>unsent|sent)$'}]
findings:
  pantry.shelf_bare:
    severity: warning
    role: lead
    each: pantry_shelf.rows
    when: row.state == 'bare'
    text: {zh: '{row.number} 号架子是空的。', en: 'Shelf {row.number} is bare.'}
    next: [pantry_order]
  pantry.order_unsent:
    severity: critical
    role: cause
    sure: 95
    each: pantry_order.rows
    when: row.state == 'unsent'
    text: {zh: '订单 {row.file} 没有发出。', en: 'The order {row.file} was never sent.'}
    fix: {zh: '发出订单：post {row.file}。', en: 'Send it: post {row.file}.'}
    verify: {zh: '架子会满。', en: 'The shelf fills up.'}
"""
CATALOGUE = playbook.catalogue([playbook.read(PANTRY, "pantry")])
OUTPUTS = {
    "cat shelf": ("shelf 1 full\nshelf 7 bare\n", 0),
    "cat orders 7": ("/srv/orders/7 unsent\n", 0),
}
CAUSE = "The order /srv/orders/7 was never sent."
FIX = "Send it: post /srv/orders/7."


def prepared(world: World) -> World:
    """Give *world* the offline brain and the machine with the fault."""
    world.shell.outputs = OUTPUTS
    world.parts = replace(world.parts, model=OfflineBrain(CATALOGUE))
    return world


def asked(world: World, question: str) -> Turn:
    """Return the ended turn of *question*."""
    turn = world.ask(question)
    world.play()
    found = turns.get(turn.id)
    assert found is not None
    return found


def cases(world: World) -> list[Memory]:
    """Return the cases that ann remembers."""
    kind = MemoryType.TROUBLESHOOTING_CASE
    return list(memories.page(world.person.id, type=kind, limit=9).items)
