# SPDX-License-Identifier: GPL-2.0
"""The guest's report file: blocks between `@begin NAME` and `@end NAME`, and NAME=status lines."""

from dataclasses import dataclass, field


@dataclass
class Report:
    """What a guest reported: texts by block name (several when repeated), and exit statuses."""

    blocks: dict[str, list[str]] = field(default_factory=dict)
    statuses: dict[str, int] = field(default_factory=dict)
    unfinished: str | None = None
    """Name of a block that was begun and not ended."""

    def text(self, name: str) -> str:
        """The last block of a name; KeyError when there is none."""
        return self.blocks[name][-1]


def parse_report(text: str) -> Report:
    """Read a report file; lines outside of blocks that are no status are ignored."""
    report = Report()
    body: list[str] = []
    for line in text.replace("\r\n", "\n").splitlines():
        if report.unfinished is not None:
            if line == f"@end {report.unfinished}":
                report.blocks.setdefault(report.unfinished, []).append("\n".join(body))
                report.unfinished = None
            else:
                body.append(line)
        elif line.startswith("@begin "):
            report.unfinished = line.removeprefix("@begin ")
            body = []
        else:
            name, separator, status = line.partition("=")
            if separator and status.isdigit():
                report.statuses[name] = int(status)
    return report
