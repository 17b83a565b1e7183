# SPDX-License-Identifier: GPL-2.0
"""Figures in the text format of Prometheus."""

from collections.abc import Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Sample:
    """One value, with its labels."""

    value: float
    labels: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Metric:
    """kind: counter or gauge."""

    name: str
    kind: str
    help: str
    samples: list[Sample]


def _escape(text: str) -> str:
    return text.replace("\\", r"\\").replace("\n", r"\n").replace('"', r"\"")


def _number(value: float) -> str:
    return str(int(value)) if value == int(value) else repr(value)


def expose(metrics: Sequence[Metric]) -> str:
    """The text: each metric with its help, its type and its values."""
    lines = []
    for metric in metrics:
        if not metric.samples:
            continue
        lines += [f"# HELP {metric.name} {metric.help}", f"# TYPE {metric.name} {metric.kind}"]
        for sample in metric.samples:
            labels = ",".join(f'{k}="{_escape(v)}"' for k, v in sample.labels.items())
            lines.append(f"{metric.name}{{{labels}}}" if labels else metric.name)
            lines[-1] += f" {_number(sample.value)}"
    return "\n".join(lines) + "\n"
