# SPDX-License-Identifier: GPL-2.0
"""A headless Chromium, told what to do by the DevTools protocol over a pair of pipes."""

import fcntl
import json
import os
import select
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pghotlab.base import paths

SECONDS = 60
COMPLAINTS = ("Runtime.exceptionThrown", "Log.entryAdded", "Runtime.consoleAPICalled")


class Browser:
    """One page of a browser. What it complains of, such as what cannot be loaded, is kept."""

    def __init__(self, commands: int, answers: int) -> None:
        self._commands = commands
        self._answers = answers
        self._rest = b""
        self._number = 0
        self._session: str | None = None
        self._loaded = 0
        self.complaints: list[str] = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        attached = self.call("Target.attachToTarget", targetId=target, flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.call(f"{domain}.enable")

    def _message(self) -> dict[str, Any]:
        end = time.monotonic() + SECONDS
        while b"\0" not in self._rest:
            ready, _, _ = select.select([self._answers], [], [], max(0, end - time.monotonic()))
            more = os.read(self._answers, 1 << 16) if ready else b""
            if not more:
                raise RuntimeError("the browser does not answer" if not ready else "it has ended")
            self._rest += more
        text, _, self._rest = self._rest.partition(b"\0")
        message: dict[str, Any] = json.loads(text)
        method = message.get("method")
        if method in COMPLAINTS:
            self.complaints.append(json.dumps(message["params"]))
        self._loaded += method == "Page.loadEventFired"
        return message

    def call(self, method: str, **params: Any) -> dict[str, Any]:
        """A method of the protocol, and its result."""
        self._number += 1
        command: dict[str, Any] = {"id": self._number, "method": method, "params": params}
        if self._session:
            command["sessionId"] = self._session
        os.write(self._commands, json.dumps(command).encode() + b"\0")
        while (message := self._message()).get("id") != self._number:
            pass
        if "error" in message:
            raise RuntimeError(f"{method}: {message['error']}")
        result: dict[str, Any] = message["result"]
        return result

    def open(self, url: str, width: int) -> None:
        """Load a page in a window so many pixels wide, and wait until all of it is there."""
        self.call(
            "Emulation.setDeviceMetricsOverride",
            **{"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": width < 600},
        )
        before = self._loaded
        self.call("Page.navigate", url=url)
        while self._loaded == before:
            self._message()

    def value(self, expression: str) -> Any:
        """What a JavaScript expression is, as JSON."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(f"{expression}: {answer['exceptionDetails']}")
        return answer["result"].get("value")


@contextmanager
def browser(profile: Path) -> Iterator[Browser]:
    """A browser with its files in a folder, installed if need be."""
    paths.BUILD.mkdir(exist_ok=True)
    # Tests run side by side, apt does not.
    with (paths.BUILD / "chromium.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        subprocess.run([str(paths.LAB / "setup.sh"), "chromium"], check=True)
    (its_input, commands), (answers, its_output) = os.pipe(), os.pipe()
    options = (
        *("--headless", "--remote-debugging-pipe", f"--user-data-dir={profile}"),
        # For root and in containers: the pages are ours.
        *("--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"),
        *("--no-first-run", "--disable-background-networking"),
    )
    # It reads commands from 3 and answers on 4; a shell's <& takes no number of two digits.
    pipes = f"3</proc/self/fd/{its_input} 4>/proc/self/fd/{its_output}"
    with (profile.parent / "chromium.log").open("wb") as log:
        process = subprocess.Popen(
            ["sh", "-c", f'exec "$@" {pipes}', "sh", "chromium", *options],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            pass_fds=(its_input, its_output),
            env={**os.environ, "TMPDIR": str(profile.parent)},
        )
        os.close(its_input)
        os.close(its_output)
        try:
            yield Browser(commands, answers)
        finally:
            process.terminate()
            try:
                process.wait(SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
            os.close(commands)
            os.close(answers)
