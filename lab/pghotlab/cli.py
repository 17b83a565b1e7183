# SPDX-License-Identifier: GPL-2.0
"""The command line: `python -m pghotlab VERB`. Exit status 1: something failed, 2: wrong input."""

import argparse
import re
import sys
from collections.abc import Sequence
from dataclasses import replace

from pghotlab.base import paths
from pghotlab.base.arch import check_arch_modelled
from pghotlab.base.errors import LabError, UsageError
from pghotlab.base.release import version
from pghotlab.hardware.machine import Machine, check_modelled, load_machine, shipped_machines
from pghotlab.measure.policy import OWN, USUAL, Policy, choose, load_policies
from pghotlab.measure.workload import load_defaults, make_workload, workload_names
from pghotlab.report.league import contest, kept_contests
from pghotlab.report.overview import overview
from pghotlab.report.written import write_league
from pghotlab.rows.summary import format_table
from pghotlab.series.check import check_series
from pghotlab.series.pair import build_pair
from pghotlab.series.write import write_series
from pghotlab.setup import debugkernel, fetch, kernels
from pghotlab.tables.bench import LEAGUE, bench
from pghotlab.tables.calibrate import calibrate
from pghotlab.tables.compare import compare
from pghotlab.tables.league import load_all, load_league, only, put_rows, run_league, with_seeds
from pghotlab.tables.recipe import load_recipe, shipped_tables
from pghotlab.trial import arguments as trial_arguments
from pghotlab.trial import plan
from pghotlab.trial.trial import Trial, run_trial

DEMO_MACHINE = "two-node"
WORKLOAD = "micro"
# The guest's programs take 32 bits, 0 would leave QEMU's own seed to chance.
MAX_SEED = 2**32 - 1


def _parse_seeds(words: Sequence[str]) -> list[int]:
    """Seeds from separate words or one quoted list."""
    seeds = []
    for word in " ".join(words).split():
        if not word.isdigit() or not 1 <= int(word) <= MAX_SEED:
            raise UsageError(f"--seeds: {word!r} is not a number from 1 to {MAX_SEED}")
        if int(word) in seeds:
            raise UsageError(f"--seeds: {word} is given twice")
        seeds.append(int(word))
    if not seeds:
        raise UsageError("--seeds: needs at least one seed")
    return seeds


def _parse_settings(words: Sequence[str]) -> dict[str, str]:
    """Files of the guest's kernel and what to write there, from FILE=VALUE words."""
    settings = {}
    for word in words:
        match = re.fullmatch(r"(/(?:proc/sys|sys)/[\w./-]+)=([\w.-]+)", word)
        if not match:
            raise UsageError(f"--set: {word!r} is not FILE=VALUE with a FILE in /sys or /proc/sys")
        settings[match[1]] = match[2]
    return settings


def _parse_policies(names: Sequence[str] | None, usual: Sequence[str]) -> list[Policy]:
    """The named policies, which the kernel has to have and of which none may be there twice.

    Without names those of the usual ones that the kernel has.
    """
    policies = choose(names or usual, load_policies())
    if not names:
        return [policy for policy in policies if policy.offered]
    for policy in policies:
        if not policy.offered:
            raise UsageError(f"--policies: {policy.name} needs {policy.missing}: choose KERNEL=")
    if len(set(names)) != len(names):
        raise UsageError("--policies: a policy is given twice")
    return policies


def _check_name(name: str) -> None:
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]*", name):
        raise UsageError(f"--name: {name!r} is not a plain folder name")


def _modelled_machine(name: str) -> Machine:
    machine = load_machine(name)
    check_modelled(machine)
    return machine


def _workload_options() -> dict[str, str]:
    """All options that some workload has, and what the workloads have as their defaults."""
    texts: dict[str, list[str]] = {}
    for workload in workload_names():
        for option, value in load_defaults(workload).items():
            texts.setdefault(option, []).append(f"{workload}: {value}")
    return {option: ", ".join(values) for option, values in texts.items()}


def _demo(args: argparse.Namespace) -> None:
    machine = _modelled_machine(args.machine)
    policies = _parse_policies(args.policies, USUAL)
    seeds = _parse_seeds(args.seeds)
    given = {
        name: value
        for name in _workload_options()
        if (value := getattr(args, name.replace("-", "_"))) is not None
    }
    workload = make_workload(args.workload, given, machine)
    _check_name(args.name)
    text = compare(
        name=args.name,
        machine=machine,
        policies=policies,
        seeds=seeds,
        workload=workload,
        settings=_parse_settings(args.set),
        folder=paths.RESULTS / args.name,
    )
    print(f"\n{text}")


def _try(args: argparse.Namespace) -> None:
    program = trial_arguments.program(args)
    name = args.name or program.name
    _check_name(name)
    trial = Trial(
        name=name,
        program=program,
        machine=_modelled_machine(args.machine),
        policies=tuple(_parse_policies(args.policies, plan.USUAL)),
        shares=trial_arguments.shares(args),
        seeds=tuple(_parse_seeds(args.seeds)),
        settings=_parse_settings(args.set),
        start=args.start,
        end=args.end,
        marks=args.marks,
        limit=60.0 * args.limit,
    )
    print(f"\n{run_trial(trial, paths.RESULTS / 'try' / name)}")


def _bench(args: argparse.Namespace) -> None:
    for table in args.table or shipped_tables():
        recipe = load_recipe(table)
        if args.seeds:
            recipe = replace(recipe, seeds=tuple(_parse_seeds(args.seeds)))
        if args.cases:
            recipe = recipe.only(args.cases)
        kept = paths.KEPT if recipe.shipped else None
        whole = not args.seeds and not args.cases
        print(f"\n{bench(recipe, paths.RESULTS / recipe.name, kept, whole)}")


def _league(args: argparse.Namespace) -> None:
    if args.kept:
        if args.cases or args.seeds or args.all or args.keep:
            raise UsageError("--kept: is of all tables as they are, without any other option")
        contests = kept_contests([load_recipe(table) for table in shipped_tables()], paths.KEPT)
        if not contests:
            raise UsageError(f"--kept: no table in {paths.KEPT} has rows of {OWN}")
        print(f"\n{write_league(contests, paths.KEPT / LEAGUE, 'League of the kept tables')}")
        return
    if args.keep and not args.all:
        raise UsageError("--keep: what is kept are cases as their tables have them: --all")
    entries = load_all() if args.all else load_league()
    if args.seeds:
        entries = with_seeds(entries, _parse_seeds(args.seeds))
    if args.cases:
        entries = only(entries, args.cases)
    found = run_league(entries, paths.RESULTS / LEAGUE, paths.KEPT)
    if args.keep:
        rows = [row for _, rows in found for row in rows]
        put_rows(paths.KEPT / LEAGUE / f"{LEAGUE}.json", rows)
    contests = [contest(entry.recipe, entry.case, rows) for entry, rows in found]
    print(f"\n{write_league(contests, paths.RESULTS / LEAGUE, 'League (modelled machines)')}")


def _report(_args: argparse.Namespace) -> None:
    # Only this draws pages, and matplotlib is slow to load.
    from pghotlab.report.html import write_report  # noqa: PLC0415

    recipes = [load_recipe(table) for table in shipped_tables()]
    print("\n".join(map(str, write_report(recipes, paths.KEPT, paths.REPORT))))
    print(f"\n{format_table(overview(recipes, paths.KEPT))}")


def _calibrate(args: argparse.Namespace) -> None:
    keep = None if args.machine else paths.CALIBRATION
    calibrate([_modelled_machine(name) for name in args.machine or shipped_machines()], keep)


def _setup(_args: argparse.Namespace) -> None:
    fetch.fetch_all()


def _debug_kernel(args: argparse.Namespace) -> None:
    debugkernel.build(args.kind)


def _series(_args: argparse.Namespace) -> None:
    print("\n".join(map(str, write_series())))


def _check_series(_args: argparse.Namespace) -> None:
    log = check_series()
    print(f"{log.read_text()}{log}")


def _pair(_args: argparse.Namespace) -> None:
    build_pair()


def _add_comparison(verb: argparse.ArgumentParser, usual: Sequence[str]) -> None:
    """What is compared, and where; usual: the policies if none are given."""
    verb.add_argument(
        "--machine",
        default=DEMO_MACHINE,
        help=f"name or .toml file (default {DEMO_MACHINE}; there are: "
        f"{', '.join(shipped_machines())})",
    )
    verb.add_argument("--policies", nargs="+", metavar="POLICY", help=f"default: {' '.join(usual)}")
    verb.add_argument(
        "--seeds", nargs="+", default=["1"], metavar="SEED", help="several give repeats (default 1)"
    )
    verb.add_argument(
        "--set",
        nargs="+",
        default=[],
        metavar="FILE=VALUE",
        help="kernel settings for all policies alike",
    )


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="pghotlab", description="The tiered machine in a box.")
    parser.add_argument("--version", action="version", version=f"pghot {version()}")
    verbs = parser.add_subparsers(required=True, metavar="VERB")

    demo = verbs.add_parser("demo", help="run the benchmark over policies and compare them")
    _add_comparison(demo, USUAL)
    demo.add_argument(
        "--name", default="demo", help="folder of build/results for the files (default demo)"
    )
    demo.add_argument(
        "--workload",
        default=WORKLOAD,
        help=f"default {WORKLOAD}; there are: {', '.join(workload_names())}",
    )
    options = demo.add_argument_group("workload options (sizes like 256M), and their defaults")
    for name, text in _workload_options().items():
        options.add_argument(f"--{name}", metavar="N", help=text)
    demo.set_defaults(do=_demo)

    tried = verbs.add_parser("try", help="run a program of yours on a tiered machine")
    _add_comparison(tried, plan.USUAL)
    trial_arguments.add(tried)
    tried.set_defaults(do=_try)

    table = verbs.add_parser("bench", help="make tables: run what of them is not there yet")
    table.add_argument(
        "--table",
        nargs="+",
        help=f"names or .toml files (default all that there are: {', '.join(shipped_tables())})",
    )
    table.add_argument("--seeds", nargs="+", metavar="SEED", help="default: the table's own")
    table.add_argument("--cases", nargs="+", metavar="CASE", help="default: all of the table")
    table.set_defaults(do=_bench)

    league = verbs.add_parser("league", help="does a change to pghot pay: some cases, one seed")
    league.add_argument(
        "--cases",
        nargs="+",
        metavar="TABLE/CASE",
        help="or TABLE, for all of its cases that take part (default: all of lab/league.toml)",
    )
    league.add_argument("--seeds", nargs="+", metavar="SEED", help="default: the league's own")
    league.add_argument(
        "--all",
        action="store_true",
        help="all cases of all tables, and not only those of lab/league.toml",
    )
    league.add_argument(
        "--keep",
        action="store_true",
        help="with --all: put the rows into docs/results/league, for --kept",
    )
    league.add_argument(
        "--kept",
        action="store_true",
        help="run nothing: the league of the tables in docs/results, for the README",
    )
    league.set_defaults(do=_league)

    report = verbs.add_parser("report", help="make pages for a browser of the kept tables")
    report.set_defaults(do=_report)

    calibrate = verbs.add_parser("calibrate", help="check machines against their files")
    calibrate.add_argument(
        "--machine", nargs="+", metavar="MACHINE", help="default: all that come with the lab"
    )
    calibrate.set_defaults(do=_calibrate)

    setup = verbs.add_parser("setup", help="fetch QEMU and the kernel into .cache")
    setup.set_defaults(do=_setup)

    debug_kernel = verbs.add_parser(
        "debug-kernel", help="build a kernel that checks itself in .cache"
    )
    debug_kernel.add_argument("kind", choices=sorted(debugkernel.KINDS), help="which one")
    debug_kernel.set_defaults(do=_debug_kernel)

    series = verbs.add_parser("series", help="write pghot as patches for the kernel's tree")
    series.set_defaults(do=_series)

    checked = verbs.add_parser("series-check", help="check and build each of these patches")
    checked.set_defaults(do=_check_series)

    both = verbs.add_parser(
        "series-pair", help="build the kernel with all of them, and that without any for a module"
    )
    both.set_defaults(do=_pair)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run one verb; the exit status."""
    try:
        args = _parser().parse_args(argv)
        if args.do in (_demo, _try, _bench, _league, _calibrate):
            series = kernels.selected()
            check_arch_modelled(series.arch, series.name)
        args.do(args)
    except UsageError as error:
        print(f"pghotlab: {error}", file=sys.stderr)
        return 2
    except LabError as error:
        print(f"pghotlab: error: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("pghotlab: interrupted", file=sys.stderr)
        return 130
    return 0
