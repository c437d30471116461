"""What Ray tells of its actors becomes events; without Ray, by a stand-in of the few calls."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from types import SimpleNamespace
from typing import Any

import pytest

from horsesense.errors import ModelError, UsageError
from horsesense.inference.limits import Limits, RunSummary
from horsesense.inference.stored_rows import Spent
from horsesense.version import __version__
from horsesense_extras.integrations import ray_engine
from horsesense_extras.integrations.ray_engine import RayEngine
from horsesense_extras.workers.schedule import Event
from horsesense_extras.workers.work import Job, Outcome

DONE = Outcome(RunSummary(answered=3), Spent(3))
JOB = Job("1/2", Limits())


class RayError(Exception):
    """As Ray's: an actor is gone."""


class RayTaskError(RayError):
    """As Ray's: the code of an actor raised."""


@dataclass(eq=False)
class Actor:
    """An actor whose calls return what stands in `says`, once it is there."""

    says: dict[str, Any] = field(default_factory=lambda: {"version": __version__})
    dead: bool = False

    def __getattr__(self, name: str) -> Any:
        return SimpleNamespace(remote=lambda *given: (self, name, object()))


@dataclass
class Ray:
    """The calls of Ray that a pool makes."""

    actors: list[Actor] = field(default_factory=list)
    exceptions: Any = field(
        default_factory=lambda: SimpleNamespace(RayError=RayError, RayTaskError=RayTaskError)
    )
    up: bool = False
    _private: Any = None

    def is_initialized(self) -> bool:
        return self.up

    def init(self, **settings: Any) -> None:
        self.up = True

    def shutdown(self) -> None:
        self.up = False

    def put(self, value: Any) -> Any:
        return value

    def remote(self, kind: type) -> Any:
        return SimpleNamespace(options=lambda **settings: SimpleNamespace(remote=self.made))

    def made(self, task: Any) -> Actor:
        self.actors.append(Actor())
        return self.actors[-1]

    def wait(self, calls: list[Any], num_returns: int = 1, timeout: float = 0) -> Any:
        there = [call for call in calls if call[0].dead or call[1] in call[0].says]
        return there[:num_returns], []

    def get(self, call: Any) -> Any:
        actor, name, _ = call
        if actor.dead:
            raise RayError("the actor died\nof this and that")
        said = actor.says.pop(name)
        if isinstance(said, Exception):
            raise said
        return said

    def kill(self, actor: Actor, no_restart: bool) -> None:
        actor.dead = True


@pytest.fixture
def ray(monkeypatch: pytest.MonkeyPatch) -> Ray:
    ray = Ray()
    monkeypatch.setattr(ray_engine, "_ray", lambda: ray)
    return ray


TASK: Any = SimpleNamespace(items=())


def test_a_worker_is_ready_and_works(ray: Ray) -> None:
    with RayEngine(workers=1).pool(TASK) as pool:
        assert ray.up
        worker = pool.start()
        assert pool.events(0) == [Event(worker, "ready")]
        pool.give(worker, JOB)
        ray.actors[0].says["work"] = DONE
        assert pool.events(0) == [Event(worker, "done", DONE)]
    assert ray.actors[0].dead
    assert not ray.up


def test_who_works_is_asked_how_far_it_is(ray: Ray, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ray_engine, "LOOK", 0.0)
    with RayEngine(workers=2).pool(TASK) as pool:
        worker, idle = pool.start(), pool.start()
        assert len(pool.events(0)) == 2
        pool.give(worker, JOB)
        for actor in ray.actors:
            actor.says["standing"] = (7, 2)
        assert pool.events(0) == [Event(worker, "got_on", standing=(7, 2))]
        assert pool.events(0) == []
        ray.actors[0].dead = True  # which two calls find out
        assert [event.kind for event in (*pool.events(0), *pool.events(0))] == ["died"]
        assert ray.actors[idle].says == {"standing": (7, 2)}


def test_deaths_are_told_once_whatever_a_worker_was_doing(ray: Ray) -> None:
    with RayEngine(workers=3).pool(TASK) as pool:
        starting, idle, busy = (pool.start() for _ in range(3))
        del ray.actors[0].says["version"]
        assert {event.worker for event in pool.events(0)} == {idle, busy}
        pool.give(busy, JOB)
        for actor in ray.actors:
            actor.dead = True
        pool.give(idle, JOB)  # by somebody who was not told yet
        told = [*pool.events(0), *pool.events(0), *pool.events(0)]
        assert sorted(event.worker for event in told) == [starting, idle, busy]
        assert {(event.kind, event.why) for event in told} == {("died", "the actor died")}
        pool.stop()


def test_machines_with_another_version_are_refused(ray: Ray) -> None:
    with RayEngine(workers=1).pool(TASK) as pool:
        pool.start()
        ray.actors[0].says["version"] = "0.0.1"
        with pytest.raises(UsageError, match=r"A worker has horsesense 0\.0\.1"):
            pool.events(0)


@pytest.mark.parametrize("name", ["raylet", "gcs_server"])
def test_a_ray_that_breaks_down_ends_the_run_and_says_how_it_goes_on(ray: Ray, name: str) -> None:
    with RayEngine(workers=1).pool(TASK) as pool:
        pool.start()
        for ended in ([], ["log_monitor"], ["log_monitor", name]):
            node = SimpleNamespace(dead_processes=partial(list, [(one, None) for one in ended]))
            ray._private = SimpleNamespace(worker=SimpleNamespace(_global_node=node))
            if name not in ended:
                pool.events(0)
        with pytest.raises(ModelError, match=f"its process {name} .*\n.*the same command"):
            pool.events(0)
    assert (ray.up, ray.actors[0].dead) == (False, False)


@pytest.mark.parametrize(("address", "kind"), [(None, ModelError), ("auto", UsageError)])
def test_a_ray_that_does_not_start_is_an_error_that_says_so(
    monkeypatch: pytest.MonkeyPatch, address: str | None, kind: type[Exception]
) -> None:
    def init(**settings: Any) -> None:
        raise Exception("The current node timed out during startup.\nMore of it.")

    monkeypatch.setattr(ray := Ray(), "init", init)
    engine = RayEngine(workers=1, address=address)
    with pytest.raises(kind, match=r"The current node timed out during startup\.\n"):
        engine._connect(ray, 3)
