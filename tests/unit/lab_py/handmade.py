# SPDX-License-Identifier: GPL-2.0
"""A run's result made by hand, for the tests that read results."""

from typing import Any


def result(policy: str = "numab2", seed: int = 1, **changes: Any) -> dict[str, Any]:
    """A correct result; keyword arguments replace whole keys."""
    counts = {"user_read": 0, "user_write": 0, "kernel_read": 1, "kernel_write": 2}
    counts |= {"writeback": 3, "streamed": 4}
    data = {
        "format": 3,
        "policy": policy,
        "provision": "slow",
        "settings": {"sysctl": {}, "files": {}, "pghot": None},
        "machine": {
            "name": "two-node",
            "file": "lab/machines/two-node.toml",
            "sha256": "0" * 64,
            "fast_nodes": [0],
            "slow_nodes": [1],
        },
        "workload": "micro",
        "workload_options": {"threads": "4"},
        "workload_command": "micro --threads 4",
        "seed": seed,
        "kernel": "6.12.117+deb12-amd64",
        "qemu": "1:10.0.13",
        "binaries": {"plugin": "1" * 64, "workload": "2" * 64, "module": None},
        "command": ["qemu"],
        "console": "build/results/x/console.log",
        "host_seconds": 12.5,
        "guest": {
            **{"guest_ns": 2_000_000_000, "verified": True},
            "vmstat": {"pgpromote_success": 950, "numa_hint_faults": 1050, "pgdemote_kswapd": 4},
        },
        "region": {
            "guest_ns": 2_000_000_000,
            "insn_user": 100,
            "insn_kernel": 30,
            "insn_module": 12,
            "stall_ns": 5,
            "queue_ns": 2,
            "nodes": [
                {**counts, "user_read": 60, "user_write": 15},
                {**counts, "user_read": 20, "user_write": 5},
            ],
            "series": {"interval_ns": 10_000_000, "t0_ns": 7, "nodes": [[0, 25, 0], [20, 25, 0]]},
            "used": {"interval_ns": 500_000_000, "t0_ns": 7, "nodes": [[8, 9], [7, 6]]},
            "copies": [
                {"interval_ns": 10_000_000, "t0_ns": 7, "nodes": [[], []]},
                {"interval_ns": 10_000_000, "t0_ns": 7, "nodes": [[0, 20], [0, 0]]},
            ],
            "heat": {
                **{"interval_ns": 1_000_000_000, "piece_bytes": 1 << 30},
                "nodes": [[[0, 7000], [3, 0]], [[9000, 2000]]],
            },
            "hot": {
                **{"interval_ns": 10_000_000, "t0_ns": 7, "nodes": [[0, 24], [8, 6]]},
                "moves_ns": [0],
            },
        },
        "census": [
            {"frames": 900, "served": [100, 0, 0, 0, 0, 0, 30, 770]},
            {"frames": 100, "served": [60, 40, 0, 0, 0, 0, 0, 0]},
        ],
        "vmstat": {"pgpromote_success": 1000, "numa_hint_faults": 1100, "pgdemote_kswapd": 5},
        "pghot": {},
    }
    return data | changes
