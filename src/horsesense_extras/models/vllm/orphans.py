"""Ends the processes that vLLM leaves behind where this one is killed.

They would go on for ever and hold the accelerator's memory. (Linux, as vLLM.)
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Final

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
