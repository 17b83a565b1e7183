#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Where the memory of CXL devices is in host addresses, for pghot's hotness monitoring units.

Prints a line for each range of each device, as /sys/kernel/mm/pghot/chmu_map takes them:
device, device address, bytes, host address of the region, ways, granularity, position.
"""

import argparse
import json
import re
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

# The kernel passes on so much of one write to a file in sysfs.
PAGE = 4096
FUNCTION = re.compile(r"[0-9a-f]{4,}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]")
DECODER = re.compile(r"decoder[0-9]+\.[0-9]+")
NUMBER = re.compile(r"0x[0-9a-f]{1,16}|[0-9]{1,19}")


class MapError(Exception):
    """What keeps the map from being made or set."""


@dataclass(frozen=True, order=True)
class Range:
    """A piece of a device's memory; addresses and sizes in bytes."""

    device: str
    dpa: int
    size: int
    hpa: int
    ways: int
    granularity: int
    position: int

    def line(self) -> str:
        """As the module takes it."""
        return (
            f"{self.device} {self.dpa:#x} {self.size:#x} {self.hpa:#x} "
            f"{self.ways} {self.granularity} {self.position}"
        )


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="ascii", errors="replace").strip()
    except OSError as error:
        raise MapError(f"{path}: {error.strerror}") from None


def _number(path: Path) -> int:
    text = _text(path)
    if not NUMBER.fullmatch(text):
        raise MapError(f"{path}: {text!r} is not a number")
    return int(text, 16 if text.startswith("0x") else 10)


def _device(decoder: Path) -> str:
    """The PCI device whose memory an endpoint decoder decodes."""
    memdev = (decoder.resolve().parent / "uport").resolve()
    if not FUNCTION.fullmatch(memdev.parent.name):
        raise MapError(f"{decoder}: its memory device, {memdev}, is not of a PCI device")
    return memdev.parent.name


def _region_ranges(region: Path, devices: Path) -> list[Range]:
    ways = _number(region / "interleave_ways")
    hpa = _number(region / "resource")
    granularity = _number(region / "interleave_granularity")
    ranges = []
    for position in range(ways):
        name = _text(region / f"target{position}")
        if not name:
            raise MapError(f"{region / f'target{position}'}: no decoder, though committed")
        if not DECODER.fullmatch(name):
            raise MapError(f"{region / f'target{position}'}: {name!r} is not a decoder")
        decoder = devices / name
        ranges.append(
            Range(
                device=_device(decoder),
                dpa=_number(decoder / "dpa_resource"),
                size=_number(decoder / "dpa_size"),
                hpa=hpa,
                ways=ways,
                granularity=granularity,
                position=position,
            )
        )
    return ranges


def find_ranges(sysfs: Path) -> list[Range]:
    """The ranges of all regions in use, by device; MapError if there are none."""
    devices = sysfs / "bus" / "cxl" / "devices"
    if not devices.is_dir():
        raise MapError(f"{devices}: no such folder: this kernel knows of no CXL devices")
    found: list[Range] = []
    for region in sorted(devices.glob("region[0-9]*")):
        if _number(region / "commit"):
            found += _region_ranges(region, devices)
    if not found:
        raise MapError(f"{devices}: no region is committed")
    return sorted(found)


def set_map(sysfs: Path, text: str) -> None:
    """Hand a map to the module."""
    door = sysfs / "kernel" / "mm" / "pghot" / "chmu_map"
    if len(text) > PAGE:
        raise MapError(f"{door}: the map has {len(text)} bytes, more than {PAGE}")
    try:
        with door.open("wb", buffering=0) as file:
            file.write(text.encode())
    except OSError as error:
        raise MapError(f"{door}: {error.strerror}") from None


def main(argv: Sequence[str] | None = None) -> int:
    """Find the ranges and print or set them; the exit status."""
    parser = argparse.ArgumentParser(prog="pghot-cxl-map", description=__doc__)
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--set", action="store_true", help="hand them to the module; print nothing")
    how.add_argument("--json", action="store_true", help="print them as JSON")
    parser.add_argument(
        "--sysfs", type=Path, default=Path("/sys"), metavar="FOLDER", help="default /sys"
    )
    args = parser.parse_args(argv)
    try:
        ranges = find_ranges(args.sysfs)
        text = "".join(f"{one.line()}\n" for one in ranges)
        if args.set:
            set_map(args.sysfs, text)
        elif args.json:
            print(json.dumps([asdict(one) for one in ranges], indent=1))
        else:
            print(text, end="")
    except MapError as error:
        print(f"pghot-cxl-map: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
