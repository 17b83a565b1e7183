# SPDX-License-Identifier: GPL-2.0
"""Manual pages, in the macros of man(7), from the descriptions that --help prints, too."""

from collections.abc import Iterable, Sequence

from pghot.decide.sources import SOURCES
from pghot.decide.tunables import TUNABLES
from pghot.errors import FAILED, OK, USAGE, WARNING
from pghot.verb import Option, Verb
from pghot.version import VERSION

STATUSES = {
    OK: "All is well, or what was asked for was done.",
    WARNING: "Only of doctor: there are warnings.",
    FAILED: "Something does not work, or could not be done.",
    USAGE: "The arguments are wrong, and nothing was done.",
}
FILES = {
    "/sys/kernel/mm/pghot/": "settings, what the policy has decided, and counters",
    "/sys/kernel/mm/pghot/stats/": "sums of counters since the module was loaded",
    "/sys/kernel/mm/pghot/node<N>/": "the counters of a node",
    "/proc/sys/vm/pghot_*": "some of the settings as sysctls",
    "/sys/kernel/debug/pghot/": "some of the settings, and all counters in one file, for root",
    "/sys/kernel/tracing/events/pghot/": "tracepoints",
}


def _escape(text: str) -> str:
    """Text as roff takes it: no escapes, no requests, and hyphens that can be copied."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return "\n".join(f"\\&{line}" if line[:1] in (".", "'") else line for line in text.split("\n"))


def _bold(text: str) -> str:
    return f"\\fB{_escape(text)}\\fR"


def _italic(text: str) -> str:
    return f"\\fI{_escape(text)}\\fR"


def _term(term: str, text: str) -> list[str]:
    return [".TP", term, _escape(text)]


def _option(option: Option) -> list[str]:
    if option.is_positional:
        return _term(_italic(option.metavar or option.flags[0]), f"{option.help}.")
    value = f" {_italic(option.metavar)}" if option.metavar else ""
    return _term(", ".join(_bold(flag) + value for flag in option.flags), f"{option.help}.")


def usage(verb: Verb) -> str:
    """A verb with its arguments, as a synopsis."""
    words = [_bold(word) for word in ("pghot", *verb.words)]
    for option in verb.options:
        if option.is_positional:
            name = _italic(option.metavar or option.flags[0])
            words.append(
                {"": name, "+": f"{name} ...", "*": f"[{name} ...]", "?": f"[{name}]"}[option.many]
            )
        else:
            value = f" {_italic(option.metavar)}" if option.metavar else ""
            words.append(f"[{_bold(option.flags[0])}{value}]")
    return " ".join(words)


def _head(name: str, section: int, about: str) -> list[str]:
    return [
        f'.TH {name.upper()} {section} "" "pghot {VERSION}" "pghot"',
        ".SH NAME",
        f"{name} \\- {_escape(about)}",
    ]


def _paragraphs(texts: Iterable[str]) -> list[str]:
    return [line for text in texts for line in (".PP", _escape(text))]


def command_page(verbs: Sequence[Verb]) -> str:
    """pghot(8)."""
    lines = [
        *_head("pghot", 8, "watch and control hot-page promotion for tiered memory"),
        ".SH SYNOPSIS",
    ]
    lines += [part for verb in verbs for part in (usage(verb), ".br")]
    lines += [
        ".SH DESCRIPTION",
        _escape(
            "pghot is a kernel module that finds hot pages on slow memory nodes (CXL memory, "
            "persistent memory) and promotes them to fast ones. This command shows what it "
            "does and why, names the causes of what does not work, and changes its settings. "
            "Reading needs no root, except where that is said."
        ),
    ]
    for verb in verbs:
        lines += [f".SH {verb.name.upper()}", usage(verb), *_paragraphs(verb.about)]
        for option in verb.options:
            lines += _option(option)
        for example in verb.examples:
            lines += [".PP", f"{_escape(example.about[:1].upper() + example.about[1:])}:"]
            lines += [".RS", ".nf", _escape(example.command), ".fi", ".RE"]
    lines += [
        ".SH COMMON OPTIONS",
        *_term(f"{_bold('-j')}, {_bold('--json')}", "Print JSON, one object in a line. Each verb "
               "takes it. The objects are described in /usr/share/doc/pghot-tools/schema.json."),
        *_term(f"{_bold('-h')}, {_bold('--help')}", "Print what a verb takes."),
        *_term(f"{_bold('--version')}", "Print the version."),
        *_term(f"{_bold('--root')} {_italic('FOLDER')}", "Read sysfs, procfs and settings below "
               "this folder. It comes in front of the verb."),
        ".SH EXIT STATUS",
    ]  # fmt: skip
    for status, about in STATUSES.items():
        lines += _term(_bold(str(status)), about)
    lines += [".SH SEE ALSO", f"{_bold('pghot')}(4), {_bold('numactl')}(8), {_bold('daxctl')}(1)"]
    return "\n".join(lines) + "\n"


def module_page() -> str:
    """pghot(4)."""
    lines = [
        *_head("pghot", 4, "kernel module for hot-page promotion"),
        ".SH SYNOPSIS",
        f"{_bold('modprobe pghot')} [{_italic('NAME')}={_italic('VALUE')} ...]",
        ".SH DESCRIPTION",
        _escape(
            "The module finds hot pages on slow memory nodes and promotes them to fast ones in the "
            "background. Without parameters its policy decides how it looks for hot pages, what is "
            "promoted, and which idle pages are demoted to make room."
        ),
        ".SH PARAMETERS",
        _escape(
            "All of these can be given at load. Those with a number can also be changed at any "
            "time, with `pghot set` or in /sys/kernel/mm/pghot/NAME."
        ),
    ]
    for tunable in TUNABLES.values():
        default = "what the policy chooses"
        if tunable.initial:
            first, precise = tunable.initial
            default = str(first) if first == precise else f"{first}, precise {precise}"
        highest = tunable.highest
        span = f"{tunable.lowest}, or a node with memory"
        if highest:
            span = f"{tunable.lowest} to {highest[0]}"
            span += "" if highest[0] == highest[1] else f", precise to {highest[1]}"
        about = f"{tunable.about} In {tunable.unit}: {span}. Default: {default}."
        lines += _term(_bold(tunable.name), about)
    lines += _term(
        f"{_bold('mode')} (only at load)",
        "default or precise: 1 or 4 bytes of records for each page of slow memory.",
    )
    lines += _term(
        f"{_bold('slow_nodes')} (only at load)",
        "The nodes to promote from, such as 2-3. Without it the kernel's memory tiers tell.",
    )
    lines += _term(
        f"{_bold('slow_nodes_force')} (only at load)",
        "1 takes slow_nodes= even if these nodes look faster than others. Default: 0.",
    )
    lines += _term(
        f"{_bold('untested_kernel')} (only at load)",
        "1 loads pghot on a kernel older or newer than those it was tested with. Default: 0.",
    )
    lines += _term(_bold("perf_event"), "The event that performance counters sample.")
    lines += _term(_bold("chmu_map"), "Where the memory of CXL devices is in host addresses.")
    lines += [".SH SOURCES OF HOTNESS"]
    for source in SOURCES:
        lines += _term(f"{source.bit} {_bold(source.name)}", f"{source.about}.")
    lines += [".SH FILES"]
    for file, about in FILES.items():
        lines += _term(_italic(file), f"{about[:1].upper()}{about[1:]}.")
    lines += [".SH SEE ALSO", f"{_bold('pghot')}(8)"]
    return "\n".join(lines) + "\n"
