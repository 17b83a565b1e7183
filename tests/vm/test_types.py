# SPDX-License-Identifier: GPL-2.0
"""Types of what pghot finds by name are compared with the running kernel's, at load."""

import errno
import re

import pytest

from pghotlab.guest.vm import Guest
from support import DEBUG, SERIES, changed, log_has, run, without_symbol

# What is changed in the module: the kernel's type, and what pghot believes then.
FUNCTION = "bool (struct zone *, unsigned int, unsigned long, int, unsigned int)"
DIVERTED = "bool (struct task_struct *, struct folio *, int, int)"
WATCHED = "void (struct folio *)"
CALLED = f"bool (struct lruvec *, unsigned long, {'bool' if SERIES < (6, 14) else 'int'}, bool)"
SCANNED = (
    f"{'int' if SERIES < (7, 1) else 'bool'} (struct vm_area_struct *, unsigned long, pte_t *)"
)
TRACEPOINT = f"void (void *, struct task_struct *{'' if SERIES < (6, 16) else ', bool'})"
WRITTEN = "void (void *, struct folio *)"
CHANGES = {
    "zone_watermark_ok": (FUNCTION, FUNCTION.replace("unsigned int)", "int)")),
    "should_numa_migrate_memory": (DIVERTED, DIVERTED.replace("int, int", "int")),
    "folio_mark_accessed": (WATCHED, "void (struct page *)"),
    "try_to_inc_max_seq": (CALLED, CALLED.replace("bool)", "int)")),
    "ptep_test_and_clear_young": (SCANNED, SCANNED.replace("pte_t", "pmd_t")),
    "sched_process_exit": (TRACEPOINT, "void (void *)"),
    "mm_vmscan_write_folio": (WRITTEN, "void (void *, struct page *)"),
}
# Members that are looked for by another name.
MEMBERS = {"gfp_mask": "gfp_flag"}
# Without these pghot loads, and cannot have this in enabled_sources, or says that.
SOURCES = {
    "should_numa_migrate_memory": 3,
    "folio_mark_accessed": 10,
    "try_to_inc_max_seq": 18,
    "ptep_test_and_clear_young": 6,
}
SAID = {
    "should_numa_migrate_memory": "cannot divert should_numa_migrate_memory",
    "folio_mark_accessed": "page cache: not available, because folio_mark_accessed is of another",
    "try_to_inc_max_seq": "multi-gen LRU: not available",
    "ptep_test_and_clear_young": "accessed bits: not available",
    "sched_process_exit": "accessed_scale cannot be set: no news of sched_process_exit (-8)",
    "mm_vmscan_write_folio": "demote_to_swap stays 0: cannot watch mm_vmscan_write_folio (-8)",
    "gfp_mask": "demote_second_chance stays 0: cannot watch alloc_migration_target (-8)",
}
LOADED = r"pghot: (\d+) of (\d+) types of this kernel checked"
UNKNOWN = "pghot: this kernel does not describe its types"

STEPS = f"""
# load NAME FILE ARGUMENTS...: its exit status, and whether anything is left of it
load()
{{
	name=$1
	shift
	status=0
	insmod "$@" || status=$?
	[ -d $PGHOT ] && left=yes || left=no
	echo "$status $left" | report "$name"
}}

for change in {" ".join(CHANGES)}; do
	phase "$change"
	load "$change.default" "/lib/changed-$change.ko" enabled_sources=3
	rmmod pghot 2>/dev/null || true
	load "$change.auto" "/lib/changed-$change.ko"
	rmmod pghot 2>/dev/null || true
	load "$change.quiet" "/lib/changed-$change.ko" enabled_sources=2
	if [ -d $PGHOT ]; then
		for mask in 2 {" ".join(str(mask) for mask in SOURCES.values())} 2; do
			echo $mask 2>/dev/null >$PGHOT/enabled_sources && echo $mask || true
		done | report "$change.sources"
		(echo $$ 1 2>/dev/null >$PGHOT/accessed_scale && echo taken || echo refused) |
			report "$change.scale"
		rmmod pghot
	fi
done
for change in {" ".join(MEMBERS)}; do
	load "$change.default" /lib/changed-$change.ko
	rmmod pghot
done

phase "no description"
dmesg -c >/dev/null
load unknown /lib/without-__start_BTF.ko
rmmod pghot
dmesg -c | report unknown.log

phase untouched
load untouched /lib/pghot.ko
for mask in 2 {" ".join(str(mask) for mask in SOURCES.values())} 2; do
	echo $mask >$PGHOT/enabled_sources
	echo $mask
done | report untouched.sources
echo $$ 1 >$PGHOT/accessed_scale
rmmod pghot
dmesg -c | report untouched.log
"""

described = pytest.mark.skipif(DEBUG, reason="the debug kernel does not describe its types")


@pytest.fixture(scope="module")
def guest() -> Guest:
    broken = [changed(name, old, new) for name, (old, new) in CHANGES.items()]
    broken += [changed(name, name, new) for name, new in MEMBERS.items()]
    broken.append(without_symbol("__start_BTF"))
    return run(STEPS, name="types", files={f"lib/{path.name}": path for path in broken})


@described
def test_a_needed_function_of_another_type_is_refused(guest: Guest) -> None:
    name = "zone_watermark_ok"
    for load in ("default", "auto", "quiet"):
        assert guest.report.text(f"{name}.{load}") == f"{errno.ENOEXEC} no"
    kernel, pghot = CHANGES[name]
    assert log_has(guest, f"pghot: {name} is {kernel} in this kernel, and {pghot} for pghot")


@described
def test_the_diverted_function_is_needed_by_hint_faults(guest: Guest) -> None:
    name = "should_numa_migrate_memory"
    assert guest.report.text(f"{name}.default") == f"{errno.ENOEXEC} no"
    assert guest.report.text(f"{name}.quiet") == "0 yes"
    assert guest.report.text(f"{name}.auto") == "0 yes"


@described
@pytest.mark.parametrize("name", [*sorted(CHANGES.keys() - {"zone_watermark_ok"}), *MEMBERS])
def test_what_is_optional_is_off(guest: Guest, name: str) -> None:
    if name != "should_numa_migrate_memory":
        assert guest.report.text(f"{name}.default") == "0 yes"
    if name in CHANGES:
        assert guest.report.text(f"{name}.auto") == "0 yes"
        kernel, pghot = CHANGES[name]
        types = f"{kernel} in this kernel, and {pghot} for pghot, which can do without"
        assert log_has(guest, f"pghot: {name} is {types}")
    assert log_has(guest, f"pghot: {SAID[name]}")


@described
@pytest.mark.parametrize("name", sorted(CHANGES.keys() - {"zone_watermark_ok"}))
def test_only_its_source_is_off(guest: Guest, name: str) -> None:
    taken = [2, *(mask for of, mask in SOURCES.items() if of != name), 2]
    assert guest.report.text(f"{name}.sources").split() == [str(mask) for mask in taken]
    scale = "refused" if name == "sched_process_exit" else "taken"
    assert guest.report.text(f"{name}.scale") == scale


@described
def test_members_are_named(guest: Guest) -> None:
    is_missing = "is missing in this kernel, and bits 128 to 159 for pghot"
    assert log_has(guest, f"pghot: migration_target_control.gfp_flag {is_missing}")


@described
def test_everything_is_checked(guest: Guest) -> None:
    assert guest.report.text("untouched") == "0 yes"
    found = re.search(LOADED, guest.report.text("untouched.log"))
    assert found and found[1] == found[2] and int(found[1]) > 30
    masks = [2, *SOURCES.values(), 2]
    assert guest.report.text("untouched.sources").split() == [str(mask) for mask in masks]
    assert "in this kernel, and" not in guest.report.text("untouched.log")


@pytest.mark.parametrize("load", ("unknown", *(("untouched",) if DEBUG else ())))
def test_says_that_nothing_could_be_checked(guest: Guest, load: str) -> None:
    assert guest.report.text(load) == "0 yes"
    log = guest.report.text(f"{load}.log")
    assert UNKNOWN in log
    assert not re.search(LOADED, log)
