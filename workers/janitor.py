"""Finds the jobs of dead processes in RQ's books within seconds instead of minutes."""

from datetime import timedelta

from rq import Queue, SimpleWorker
from rq.intermediate_queue import IntermediateQueue
from rq.registry import clean_registries
from rq.utils import now

STUCK_AFTER_S = 5
EVERY_S = 3


class QuickIntermediateQueue(IntermediateQueue):
    """Jobs that were taken but never begun; RQ would give them a minute."""

    def should_be_cleaned_up(self, job_id: str) -> bool:
        """Tell whether the job has been here for more than 5 s."""
        seen = self.get_first_seen(job_id)
        return seen is not None and now() - seen > timedelta(seconds=STUCK_AFTER_S)


def clean(worker: SimpleWorker, queue: Queue) -> None:
    """Give up the jobs of *queue* whose process is gone; *worker* does the bookkeeping.

    One process does it each 3 s. RQ's own lock would stay for a quarter of an hour if its
    holder were killed.
    """
    key = f"walissh:janitor:{queue.name}"
    if queue.connection.set(key, 1, nx=True, px=EVERY_S * 1000 - 200):
        clean_registries(queue)
        QuickIntermediateQueue(queue.key, queue.connection).cleanup(worker, queue)
