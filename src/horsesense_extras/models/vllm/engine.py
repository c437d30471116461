"""vLLM's engine in a thread of its own, fed while it works.

`LLM.generate` ends a batch before the next may begin; here what is new joins what is under way
(continuous batching), so that the machine never waits for the last reply of a batch.
"""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import count, islice
from multiprocessing import active_children, resource_tracker
from multiprocessing.connection import wait
from multiprocessing.process import BaseProcess
from queue import Empty, SimpleQueue
from typing import Any, Final

from horsesense.errors import ModelError
from horsesense.models.messages import Failure
from horsesense.stats.words import plural
from horsesense_extras.models.hf.local import FIRST_POSITIONS
from horsesense_extras.models.hf.weights import Weights
from horsesense_extras.models.vllm.readout import Answer, Answers, Call

CPU_BLOCK: Final = 32
"""Tokens of a block of the prefix cache on a CPU; most prompts share less than vLLM's own 128."""
CPU_CACHE_GIB: Final = 4.0
"""Memory for the cache on a CPU: vLLM's own default is 92 % of the machine's."""

PATIENCE: Final = 10.0
"""Seconds that a step nobody waits for may take before the engine is stopped all the same."""

REFUSALS: Final = (ValueError, TypeError, OverflowError)
"""What Python's and msgspec's own checks of a call's settings raise."""


@dataclass(frozen=True)
class Started:
    """A running engine.

    Attributes:
        llm: vLLM's `LLM`.
        sampling_params: makes its parameters from those of a call.
        context_length: tokens that prompt and reply share.
        stop: ends its processes.
        notes: sentences for the plan.
        refusals: what it raises for a call that it does not take.
        processes: of the engine; where one of them ends by itself, a step may wait for ever.
    """

    llm: Any
    sampling_params: Callable[..., Any]
    context_length: int
    stop: Callable[[], None]
    notes: tuple[str, ...] = ()
    refusals: tuple[type[Exception], ...] = REFUSALS
    processes: tuple[BaseProcess, ...] = ()

    def begin(self, name: str, call: Call) -> None:
        """Hand over a call; one of `refusals` where vLLM does not take it."""
        params = self.sampling_params(**call.settings())
        self.llm.llm_engine.add_request(name, {"prompt_token_ids": list(call.prompt)}, params)


def start(weights: Weights, options: Mapping[str, Any], stop_ids: Iterable[int]) -> Started:
    """Load a model into an engine.

    Args:
        weights: a directory of safetensors.
        options: arguments of `vllm.LLM`; `kv_cache_memory_bytes` and `block_size` have defaults
            of our own on a CPU.
        stop_ids: tokens that end a reply.

    Raises:
        ModelError: vLLM cannot load it.
    """
    # Read by vLLM when it is imported. It would report what it is used for over the network.
    os.environ.setdefault("VLLM_NO_USAGE_STATS", "1")
    os.environ.setdefault("VLLM_LOGGING_LEVEL", "ERROR")
    try:
        from vllm import LLM, SamplingParams, __version__
        from vllm.platforms import current_platform
        from vllm.sampling_params import RequestOutputKind

        own: dict[str, Any] = {}
        if current_platform.is_cpu():
            own = {"block_size": CPU_BLOCK, "kv_cache_memory_bytes": int(CPU_CACHE_GIB * 2**30)}
        before = active_children()
        llm = LLM(
            str(weights.folder),
            **{**own, **options},
            skip_tokenizer_init=True,  # prompts and replies are tokens; the text is made here
            trust_remote_code=False,
            load_format="safetensors",  # formats that can run code are not looked at
            enable_prefix_caching=True,
            use_tqdm_on_load=False,
        )
    # Damaged files, full memory and unknown architectures raise whatever their reader has.
    except Exception as error:
        raise ModelError(
            f"vLLM cannot load {weights.name}: {error}",
            hint="What vLLM says itself is shown with VLLM_LOGGING_LEVEL=INFO.",
        ) from error
    engine = llm.llm_engine
    fixed = {
        "stop_token_ids": sorted(stop_ids),
        "detokenize": False,
        "flat_logprobs": True,
        "output_kind": RequestOutputKind.FINAL_ONLY,
        "skip_clone": True,
    }
    block = engine.vllm_config.cache_config.block_size
    processes = tuple(child for child in active_children() if child not in before)
    call_off = guard(child.pid for child in processes if child.pid is not None)

    def stop() -> None:
        engine.engine_core.shutdown()
        call_off()

    return Started(
        llm,
        lambda **settings: SamplingParams(**fixed, **settings),
        engine.model_config.max_model_len,
        stop,
        (f"vLLM {__version__}; prefixes are shared in blocks of {plural(block, 'token')}.",),
        (*REFUSALS, *client_errors()),
        processes,
    )


def client_errors() -> tuple[type[Exception], ...]:
    """The base of what vLLM (0.32) raises for a call that it refuses; empty where there is none.

    It is no ValueError. The other branch below `VLLMError` is about the engine itself.
    """
    try:
        from vllm.exceptions import VLLMClientError
    except ImportError:
        return ()
    return (VLLMClientError,)


@dataclass(eq=False)
class _Batch:
    """Calls that were handed over together, and their answers.

    Attributes:
        tops: whether they want the most likely tokens.
    """

    calls: tuple[Call, ...]
    tops: bool
    answers: dict[Call, Answer | Failure] = field(default_factory=dict)
    done: Future[dict[Call, Answer | Failure]] = field(default_factory=Future)

    def __post_init__(self) -> None:
        # Whoever waits may go; the calls are with the engine, which ends them all the same.
        self.done.set_running_or_notify_cancel()


class Engine:
    """One engine and the thread that runs it.

    Calls that want the most likely tokens and calls that name tokens are kept apart: where both
    stood in one step, vLLM (0.32, on a CPU) gave the former -inf for all but the written token.

    Args:
        start: loads the model; called in the thread.

    Attributes:
        prompt_tokens: of all calls answered so far.
        cached_tokens: those of them that the prefix cache held.
    """

    def __init__(self, start: Callable[[], Started]) -> None:
        self.prompt_tokens = 0
        self.cached_tokens = 0
        self._start = start
        self._opened: Future[Started] = Future()
        self._opened.set_running_or_notify_cancel()  # as of a batch
        self._fed: SimpleQueue[_Batch | None] = SimpleQueue()
        self._waiting: deque[_Batch] = deque()
        self._open: dict[str, tuple[_Batch, Call]] = {}
        self._tops = False
        self._names = count()
        self._started: Started | None = None
        self._stopping = threading.Lock()
        self._dead: Future[str] = Future()
        self._dead.set_running_or_notify_cancel()
        self._thread = threading.Thread(target=self._work, name="horsesense-vllm", daemon=True)

    async def open(self) -> Started:
        """Load the model; ModelError if that cannot be done."""
        self._thread.start()
        self._death = asyncio.wrap_future(self._dead)
        try:
            return await asyncio.wrap_future(self._opened)
        except asyncio.CancelledError:
            self._fed.put(None)  # nobody will close it
            raise

    async def close(self) -> None:
        """End the thread and vLLM's processes, also where a step does not come back."""
        self._fed.put(None)
        await asyncio.to_thread(self._thread.join, 0 if self._dead.done() else PATIENCE)
        await asyncio.to_thread(self._stop)
        self._death.cancel()

    def _stop(self) -> None:
        """End vLLM's processes, once."""
        with self._stopping:
            started, self._started = self._started, None
            if started is not None:
                started.stop()

    async def ask(self, calls: Iterable[Call]) -> Answers:
        """Answer calls, equal ones once; those that share a prefix follow each other.

        Raises:
            ModelError: the engine has died.
        """
        ordered = sorted(set(calls), key=lambda call: call.prompt)
        batches = [
            _Batch(kind, tops)
            for tops in (False, True)
            if (kind := tuple(call for call in ordered if bool(call.top) is tops))
        ]
        for batch in batches:
            self._fed.put(batch)
        answers: dict[Call, Answer | Failure] = {}
        for batch in batches:
            done = asyncio.wrap_future(batch.done)
            await asyncio.wait((done, self._death), return_when=asyncio.FIRST_COMPLETED)
            if not done.done():
                raise ModelError(
                    f"vLLM stopped working: {self._death.result()}",
                    hint="The same command continues. VLLM_LOGGING_LEVEL=INFO shows its log.",
                )
            answers.update(done.result())
        return answers

    def _work(self) -> None:
        # What this thread starts inherits it: Ctrl-C is for this program, which lets what is
        # under way be finished, and would end vLLM's processes at once. The tracker comes first,
        # since its start takes the block off.
        resource_tracker.ensure_running()
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            started = self._start()
        except BaseException as error:  # noqa: BLE001 - whoever waits for the engine must hear of it
            self._opened.set_exception(error)
            return
        self._started = started
        if started.processes:
            threading.Thread(target=self._watch, args=(started.processes,), daemon=True).start()
        self._opened.set_result(started)
        try:
            while self._take_in():
                while self._waiting and (not self._open or self._waiting[0].tops == self._tops):
                    self._submit(started, self._waiting.popleft())
                if self._open:
                    self._collect(started.llm.llm_engine.step())
        except BaseException as error:  # noqa: BLE001 - likewise whoever waits for an answer
            self._died(f"{type(error).__name__}: {error}")
        finally:
            self._stop()

    def _watch(self, processes: Sequence[BaseProcess]) -> None:
        """Tell everybody who waits of the end of a process: a step then waits for ever (0.32)."""
        ended = wait([process.sentinel for process in processes])
        name = next(process.name for process in processes if process.sentinel in ended)
        self._died(f"its process {name} has ended, or was killed, as where memory is short")

    def _died(self, reason: str) -> None:
        with suppress(InvalidStateError):  # the first who notices says why
            self._dead.set_result(reason)

    def _take_in(self) -> bool:
        """Take new batches, and wait for one where nothing is to do; False at the end."""
        idle = not self._waiting and not self._open
        while True:
            try:
                batch = self._fed.get(block=idle)
            except Empty:
                return True
            if batch is None:
                return False
            self._waiting.append(batch)
            idle = False

    def _submit(self, started: Started, batch: _Batch) -> None:
        self._tops = batch.tops
        for call in batch.calls:
            name = str(next(self._names))
            try:
                started.begin(name, call)
            except started.refusals as error:
                self._settle(batch, call, Failure("rejected", f"{error}", retryable=False))
            else:
                self._open[name] = batch, call

    def _collect(self, outputs: Iterable[Any]) -> None:
        for output in outputs:
            if output.finished:
                self.prompt_tokens += len(output.prompt_token_ids)
                self.cached_tokens += output.num_cached_tokens or 0
                self._settle(*self._open.pop(output.request_id), _read(output.outputs[0]))

    def _settle(self, batch: _Batch, call: Call, answer: Answer | Failure) -> None:
        batch.answers[call] = answer
        if len(batch.answers) == len(batch.calls):
            batch.done.set_result(batch.answers)


def _read(output: Any) -> Answer | Failure:
    """An answer of the engine; its log-probabilities are `vllm.logprobs.FlatLogprobs`."""
    if output.finish_reason not in ("stop", "length"):
        return Failure("server", f"vLLM ended the reply with {output.finish_reason!r}")
    flat = output.logprobs
    if flat is None:
        return Answer(tuple(output.token_ids))
    spans = islice(zip(flat.start_indices, flat.end_indices, strict=True), FIRST_POSITIONS)
    first = (zip(flat.token_ids[a:b], flat.logprobs[a:b], strict=True) for a, b in spans)
    return Answer(tuple(output.token_ids), tuple(map(dict, first)))


_WATCH: Final = """
import signal, sys
sys.stdin.read()
for file in map(int, sys.argv[1:]):
    try:
        signal.pidfd_send_signal(file, signal.SIGKILL)
    except ProcessLookupError:
        pass
"""
"""Waits for the end of a pipe, which comes with the end of who holds the other one."""


def guard(pids: Iterable[int]) -> Callable[[], None]:
    """Have processes killed as soon as this one is no more; what is returned calls that off."""
    files = []
    for pid in pids:
        with suppress(ProcessLookupError):
            files.append(os.pidfd_open(pid))  # a number can be given again, a file cannot
    command = [sys.executable, "-I", "-S", "-c", _WATCH, *map(str, files)]
    watch = subprocess.Popen(command, stdin=subprocess.PIPE, pass_fds=files, start_new_session=True)
    for file in files:
        os.close(file)

    def call_off() -> None:
        watch.kill()
        watch.communicate()

    return call_off
