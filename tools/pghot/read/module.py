# SPDX-License-Identifier: GPL-2.0
"""The module that is loaded: its settings, what its policy has decided, and its counters."""

import re
from dataclasses import dataclass, field

from pghot.read.root import Root

HOME = "sys/kernel/mm/pghot"
SYSFS_MODULE = "sys/module/pghot"


@dataclass(frozen=True)
class Source:
    """A way to find hot pages. reason: why it could not be started the last time, or empty."""

    name: str
    bit: int
    on: bool
    reason: str


@dataclass(frozen=True)
class Kind:
    """What the policy does with base pages (small) or huge pages. Uses are in 1000 s."""

    name: str
    verdict: str
    reason: str
    hot: int
    idle: int
    cost_ns: int
    window_us: int


@dataclass(frozen=True)
class PolicyState:
    """The file policy_state."""

    kinds: list[Kind]
    fast_ns: int
    slow_ns: int
    effort_percent: int
    looks_at: str
    bar: int
    price: int


@dataclass(frozen=True)
class Module:
    """pghot as it is loaded. tunables: by name. stats: sums by name; nodes: the same by node."""

    version: str
    users: list[str]
    references: int
    mode: str
    policy: str
    slow_nodes: list[int]
    record_bytes: int
    tunables: dict[str, int]
    sources: list[Source]
    state: PolicyState | None
    stats: dict[str, int]
    nodes: dict[int, dict[str, int]] = field(default_factory=dict)

    def stat(self, name: str) -> int:
        """A sum; 0 if this module has none of that name."""
        return self.stats.get(name, 0)

    def is_on(self, source: str) -> bool:
        """Whether a source is on."""
        return any(one.on for one in self.sources if one.name == source)


def parse_sources(text: str) -> list[Source]:
    """The file sources: lines "NAME BIT on|off[: REASON]"."""
    found = re.findall(r"^(\w+) (\d+) (on|off)(?:: (.*))?$", text, re.MULTILINE)
    return [Source(name, int(bit), on == "on", reason) for name, bit, on, reason in found]


def parse_state(text: str) -> PolicyState | None:
    """The file policy_state; None if it is not of the form that is known."""
    kinds = []
    for name in ("small", "huge"):
        verdict = re.search(rf"^{name}: (\w+): (.*)$", text, re.MULTILINE)
        figures = re.search(
            rf"^{name}: hot (\d+), idle (\d+) uses in 1000 s, moving costs (\d+) ns, "
            r"window (\d+) us$",
            text,
            re.MULTILINE,
        )
        if not verdict or not figures:
            return None
        kinds.append(Kind(name, *verdict.groups(), *map(int, figures.groups())))  # type: ignore[arg-type]
    rest = re.search(
        r"^access: fast (\d+) ns, slow (\d+) ns\neffort: (\d+) % of a CPU, (.*)\nbar: (\d+)\n"
        r"price: (\d+)$",
        text,
        re.MULTILINE,
    )
    if not rest:
        return None
    fast, slow, effort, looks_at, bar, price = rest.groups()
    return PolicyState(kinds, int(fast), int(slow), int(effort), looks_at, int(bar), int(price))


def _holders(root: Root) -> list[str]:
    return [name.rpartition("/")[2] for name in root.names(f"{SYSFS_MODULE}/holders/*")]


def _numbers(root: Root, folder: str) -> dict[str, int]:
    values = {name.rpartition("/")[2]: root.number(name) for name in root.names(f"{folder}/*")}
    return {name: value for name, value in values.items() if value is not None}


def read_module(root: Root) -> Module | None:
    """All that the module shows; None if it is not loaded."""
    if not root.has(HOME):
        return None
    texts = {"mode", "policy", "slow_nodes", "record_bytes", "accessed_scale", "chmu_map"}
    return Module(
        version=root.text(f"{SYSFS_MODULE}/version") or "unknown",
        users=_holders(root),
        references=root.number(f"{SYSFS_MODULE}/refcnt") or 0,
        mode=root.text(f"{HOME}/mode") or "unknown",
        policy=root.text(f"{HOME}/policy") or "unknown",
        slow_nodes=root.numbers(f"{HOME}/slow_nodes"),
        record_bytes=root.number(f"{HOME}/record_bytes") or 0,
        tunables={k: v for k, v in _numbers(root, HOME).items() if k not in texts},
        sources=parse_sources(root.text(f"{HOME}/sources") or ""),
        state=parse_state(root.text(f"{HOME}/policy_state") or ""),
        stats=_numbers(root, f"{HOME}/stats"),
        nodes={nid: _numbers(root, name) for nid, name in root.numbered(f"{HOME}/node*").items()},
    )
