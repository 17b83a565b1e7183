# SPDX-License-Identifier: GPL-2.0
"""pghot doctor: causes and their remedies."""

from argparse import Namespace
from collections.abc import Iterator
from dataclasses import dataclass

from pghot import errors, look
from pghot.decide.causes import diagnose
from pghot.decide.finding import BROKEN, Finding
from pghot.decide.view import View
from pghot.read.machine import with_bound
from pghot.show.screen import Screen
from pghot.verb import Context, Example, Verb, watch_option


@dataclass(frozen=True)
class Diagnosis:
    """state: well, warning or broken, as the exit status 0, 1 and 2 say.

    unknown: what could not be looked at, mostly because root is needed.
    """

    state: str
    findings: list[Finding]
    unknown: list[str]


STATUSES = {"well": errors.OK, "warning": errors.WARNING, "broken": errors.FAILED}


def make(findings: list[Finding], unknown: list[str]) -> Diagnosis:
    """The worst finding decides."""
    if any(finding.severity == BROKEN for finding in findings):
        state = "broken"
    else:
        state = "warning" if findings else "well"
    # What is broken comes first.
    findings = sorted(findings, key=lambda finding: finding.severity != BROKEN)
    return Diagnosis(state, findings, unknown)


def run(context: Context, args: Namespace) -> Iterator[Diagnosis]:
    """Watch, and look for all causes."""
    view = look.watch(context, args.seconds)
    if view.module:
        view = View(view.before, with_bound(view.now, context.root))
    no_log = view.now.kernel.pghot_log is None
    yield make(diagnose(view), ["the kernel's log: only root may read it"] if no_log else [])


def show(diagnosis: Diagnosis, screen: Screen) -> None:
    """Each cause with its remedy."""
    for finding in diagnosis.findings:
        colour = "red" if finding.severity == BROKEN else "yellow"
        screen.line(screen.paint(f"{finding.severity}: {finding.name}", colour))
        screen.paragraph(finding.what, "    ")
        for command in finding.remedy:
            screen.line(f"        {command}")
        screen.line()
    for what in diagnosis.unknown:
        screen.line(screen.paint(f"not looked at: {what}", "dim"))
    sentence = {
        "well": screen.paint("Nothing is wrong.", "green"),
        "warning": "pghot works, and could work better.",
        "broken": screen.paint("pghot does not work.", "red"),
    }
    screen.line(sentence[diagnosis.state])


VERB = Verb(
    name="doctor",
    summary="name the causes of what does not work, each with a remedy",
    about=(
        "Looks for causes that keep pghot from working, or from working well, and prints for each "
        "of them the commands that mend it. Some causes show only in how fast counters grow, so it "
        "watches for some seconds.",
        "The exit status is 0 if nothing is wrong, 1 if there are warnings, and 2 if pghot does "
        "not work. Run it as root to have the kernel's log looked at, too.",
    ),
    result=Diagnosis,
    run=run,
    show=show,
    options=(watch_option(3),),
    examples=(
        Example("sudo pghot doctor", "what is wrong on this machine"),
        Example("pghot doctor -j | jq -r '.findings[].name'", "the names of the causes"),
    ),
    status=lambda diagnosis: STATUSES[diagnosis.state],
)
