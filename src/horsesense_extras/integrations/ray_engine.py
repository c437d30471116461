"""Workers as Ray actors: on the cores of one machine, or on all machines of a cluster.

Ray starts workers, says when one has died and moves nothing but settings and counts; what is
answered goes to the stores of the shards (`runs.workers`). Ray runs any code that its cluster is
given: connect to one that you trust alone.
"""

from __future__ import annotations

import os
import re
import socket
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from typing import Any, Final

from horsesense.errors import ModelError, UsageError, install
from horsesense.version import __version__
from horsesense_extras.workers.schedule import Event
from horsesense_extras.workers.work import Job, Outcome, Task, Worker

MEMORY: Final = 2**28
"""Bytes of Ray's store of objects on one machine; it holds the items once."""
PER_ITEM: Final = 4096
"""Bytes that an item takes there at most, in the mean."""
LOOK: Final = 2.0
"""Seconds between two questions to a worker how far it is."""
CONNECTING: Final = 10.0
"""Seconds within which a cluster must be reached."""


@dataclass(frozen=True)
class RayEngine:
    """Where Ray's workers run.

    Attributes:
        workers: how many there are, as far as there is room.
        address: of a cluster ("auto": the one that this machine belongs to); None starts Ray here
            and ends it again.
        shards: into how many parts the items are cut; None: as many as the prompts suggest.
        keep: address where stores are kept, where workers do not see the run's directory.
        cpus, gpus: of each worker. Models in a worker see as many GPUs as it has.
    """

    workers: int
    address: str | None = None
    shards: int | None = None
    keep: str | None = None
    cpus: float = 1.0
    gpus: float = 0.0

    def __post_init__(self) -> None:
        for name, least in (("workers", 1), ("shards", 1), ("cpus", 0), ("gpus", 0)):
            value = getattr(self, name)
            if value is not None and value < least:
                raise UsageError(f"{name} is {value}.", hint=f"Give {least} or more.")
        if self.keep is not None and "memory" in re.split(r"::|:/*", self.keep):
            raise UsageError(
                f"Nobody else sees what a worker keeps at {self.keep}.",
                hint="Write an address that all machines share: --keep s3://BUCKET/FOLDER.",
            )

    def check(self) -> None:
        """Raises UsageError where Ray is not installed, before anything is written."""
        _ray()

    @contextmanager
    def pool(self, task: Task) -> Iterator[RayPool]:
        """Workers for a run; on leaving, all of them are gone.

        Raises UsageError where Ray is not installed, or there is no cluster at the address.
        """
        ray = _ray()
        ours = not ray.is_initialized()
        if ours:
            self._connect(ray, len(task.items))
        pool = RayPool(ray, self, task)
        try:
            yield pool
        finally:
            pool.close()
            if ours:
                ray.shutdown()

    def _connect(self, ray: Any, items: int) -> None:
        told: dict[str, Any] = {"log_to_driver": False, "logging_level": "ERROR"}
        if self.address is not None:
            try:
                _reach(self.address)
                ray.init(address=self.address, **told)
            except Exception as error:  # noqa: BLE001 - Ray raises errors of any kind
                raise UsageError(
                    f"There is no Ray cluster at {self.address}: {_first_line(error)}",
                    hint="Start one with `ray start --head`, or leave out --address to use this"
                    " machine alone.",
                ) from None
            return
        try:
            ray.init(
                num_cpus=max(1, round(self.workers * self.cpus)),
                include_dashboard=False,
                object_store_memory=max(MEMORY, items * PER_ITEM),
                **told,
            )
        except Exception as error:  # of any kind: its own for a start that takes too long
            raise ModelError(
                f"Ray cannot be started on this machine: {_first_line(error)}",
                hint="Nothing was asked. On a busy machine the same command may work when it is"
                " given again; without --engine this process asks alone.",
            ) from error


def _ray() -> Any:
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # nothing is told to anybody
    try:
        import ray
    except ImportError:
        raise UsageError("The engine ray needs the package ray.", hint=install("ray")) from None
    return ray


class _Actor:
    """A worker in an actor, which has no coroutines: Ray would run all of it in one thread."""

    def __init__(self, task: Task) -> None:
        self._worker = Worker(task)

    def version(self) -> str:
        return __version__

    def work(self, job: Job) -> Outcome:
        return self._worker.work(job)

    def standing(self) -> tuple[int, int]:
        return self._worker.standing()

    def stop(self) -> None:
        self._worker.stop()


class RayPool:
    """The actors of a run. Numbers of workers are never used again.

    Each has a thread beside the one that works, so that it can be told to stop, and tell how far it
    is.
    """

    def __init__(self, ray: Any, engine: RayEngine, task: Task) -> None:
        self._ray = ray
        self._task = ray.put(task)
        self._actor = ray.remote(_Actor).options(
            num_cpus=engine.cpus,
            num_gpus=engine.gpus,
            max_concurrency=2,
            max_restarts=0,
            max_task_retries=0,
            scheduling_strategy="SPREAD",
        )
        self._numbers = count()
        self._actors: dict[int, Any] = {}
        self._waited: dict[Any, int] = {}
        """What workers are to return -> their number."""
        self._busy: dict[int, float] = {}
        """Workers that have a job -> when they are to be asked how far they are."""
        self._looks: dict[Any, int] = {}

    def start(self) -> int:
        """Begin a worker; an event tells when it is ready, or died before that."""
        number = next(self._numbers)
        self._actors[number] = actor = self._actor.remote(self._task)
        self._waited[actor.version.remote()] = number
        return number

    def give(self, worker: int, job: Job) -> None:
        """Hand a job to a worker that is ready and has none; an event tells how it ended."""
        self._waited[self._actors[worker].work.remote(job)] = worker
        self._busy[worker] = time.monotonic() + LOOK

    def _look(self) -> None:
        """Ask those who work how far they are, where it is time to."""
        now, asked = time.monotonic(), set(self._looks.values())
        for worker, due in self._busy.items():
            if now >= due and worker not in asked:
                self._busy[worker] = now + LOOK
                self._looks[self._actors[worker].standing.remote()] = worker

    def events(self, seconds: float) -> Sequence[Event]:
        """What happened since the last call; waits at most so long for something to."""
        self._check()
        self._look()
        waited = [*self._waited, *self._looks]
        if not waited:
            time.sleep(seconds)
            return []
        some, _ = self._ray.wait(waited, num_returns=1, timeout=seconds)
        if some:  # and whatever else is there already
            some, _ = self._ray.wait(waited, num_returns=len(waited), timeout=0)
        looked = [self._looked(self._looks.pop(one), one) for one in some if one in self._looks]
        told = [self._event(self._waited.pop(one), one) for one in some if one in self._waited]
        return [*filter(None, looked), *told]

    def _check(self) -> None:
        """ModelError where a process without which Ray would end this one has ended.

        Only those that were started here are seen; a cluster looks after its own.
        """
        worker = getattr(getattr(self._ray, "_private", None), "worker", None)
        node = getattr(worker, "_global_node", None)  # none where Ray is a client of a cluster
        ended = {name for name, _ in node.dead_processes()} if node else set()
        if found := sorted(ended & {"raylet", "gcs_server"}):
            self._actors.clear()  # nobody is left who could end them one by one
            raise ModelError(
                f"Ray broke down on this machine: its process {found[0]} was killed or crashed.",
                hint="All answers that came are stored: the same command continues. Without"
                " --engine this process asks alone.",
            )

    def _looked(self, worker: int, returned: Any) -> Event | None:
        """How far a worker is; None of one that died, which another call tells."""
        try:
            done, skipped = self._ray.get(returned)
        except self._ray.exceptions.RayError:
            return None
        return Event(worker, "got_on", standing=(done, skipped))

    def _event(self, worker: int, returned: Any) -> Event:
        """What a worker returned, or that it died. What its code raised is raised here."""
        errors = self._ray.exceptions
        self._busy.pop(worker, None)
        try:
            value = self._ray.get(returned)
        except errors.RayTaskError:
            raise
        except errors.RayError as error:
            actor = self._actors.pop(worker)
            self._ray.kill(actor, no_restart=True)  # it may only have been out of reach
            return Event(worker, "died", why=_first_line(error))
        if isinstance(value, Outcome):
            return Event(worker, "done", value)
        if value != __version__:
            raise UsageError(
                f"A worker has horsesense {value}, and here it is {__version__}.",
                hint="Install one version on all machines of the cluster.",
            )
        return Event(worker, "ready")

    def stop(self) -> None:
        """Have all workers finish what is in flight; a second call has them abandon it."""
        for actor in self._actors.values():
            actor.stop.remote()

    def close(self) -> None:
        """End all workers."""
        for actor in self._actors.values():
            self._ray.kill(actor, no_restart=True)
        self._actors.clear()


def _reach(address: str) -> None:
    """OSError where nobody listens at HOST:PORT; Ray itself would try for minutes."""
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if host and port.isdigit():
        socket.create_connection((host, int(port)), CONNECTING).close()


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0]
