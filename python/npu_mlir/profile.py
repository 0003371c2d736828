# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One run, measured: in all and by source node."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np

QUEUES = ("ld", "st", "mm", "dr", "ve")
# What the cycles of the device can go into (simulator/profile/Attribution.h), and those of the rest.
CAUSES = (
    "work",
    "tile_edge",
    "pipeline_fill",
    "setup",
    "on_chip_port",
    "dram_latency",
    "dram_transfer",
    "shared_bandwidth",
    "signal",
    "dispatch",
    "delay",
    "host",
    "synchronisation",
)
# Of the causes of a node the table names the largest.
_SHOWN_CAUSES = 3
_STALLS = ("wait_semaphore", "wait_dispatch", "bandwidth")


@dataclass(frozen=True)
class Fallback:
    """Work that runs on the host.

    Attributes:
        name: the source nodes that run together, comma between them; empty if unknown.
        reason: the rule that it broke, with the actual value.
        cycles: cycles of the target's clock that it costs, transfers included.
    """

    name: str
    reason: str
    cycles: int

    def __str__(self) -> str:
        node = f"'{self.name}': " if self.name else ""
        return f"{node}{self.reason} ({self.cycles:,} cycles)"


@dataclass
class NodeCost:
    """What one source node cost.

    The cycles of all nodes add up to those of the run: each cycle is charged to the node, and to the
    cause, that the end of the run was waiting for at that moment. Work that ran behind other work
    costs nothing here; `busy` has it.

    Attributes:
        name: the source node, or several that were compiled as one, comma between them.
        place: "device", "host" or "sync" (handing over between the two).
        cycles: its part of the run.
        causes: the same cycles by what they went into (`CAUSES`).
        busy: cycles of each queue, also of work behind other work.
        stall_data: cycles in which its instructions waited for values of another queue.
        stall_buffer: cycles in which they waited for another queue to be done with their place.
        macs: multiply-accumulates.
        ideal_cycles: cycles of these at the peak of the matrix array.
        vector_ops: lane operations.
        dram_bytes: bytes to and from DRAM.
        sram_bytes: bytes read and written on chip.
        energy_pj: picojoules, static power for its cycles included.
        instructions: executed ones.
    """

    name: str
    place: str
    cycles: int = 0
    causes: dict[str, int] = field(default_factory=dict)
    busy: dict[str, int] = field(default_factory=dict)
    stall_data: int = 0
    stall_buffer: int = 0
    macs: int = 0
    ideal_cycles: float = 0.0
    vector_ops: int = 0
    dram_bytes: int = 0
    sram_bytes: int = 0
    energy_pj: float = 0.0
    instructions: int = 0

    @property
    def utilization(self) -> float:
        """Share of the matrix array's peak in its cycles; above 1 if most of its work ran behind other work."""
        return self.ideal_cycles / self.cycles if self.cycles else 0.0

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {**vars(self), "utilization": self.utilization}

    def _add(self, values: Mapping[str, Any]) -> None:
        """Add what a launch measured of this node."""
        self.cycles += values["cycles"]
        for cause, cycles in values["causes"].items():
            self.causes[cause] = self.causes.get(cause, 0) + cycles
        for queue, cycles in values["busy_cycles"].items():
            self.busy[queue] = self.busy.get(queue, 0) + cycles
        self.stall_data += values["stalls"]["data"]
        self.stall_buffer += values["stalls"]["buffer"]
        self.macs += values["macs"]
        self.ideal_cycles += values["utilization"] * values["cycles"]
        self.vector_ops += values["vector_ops"]
        self.dram_bytes += values["dram_bytes"]
        self.sram_bytes += values["sram_bytes"]
        self.energy_pj += values["energy_picojoules"]
        self.instructions += values["instructions"]


def node_costs(values: Mapping[str, Any]) -> tuple[NodeCost, ...]:
    """The nodes of a profile, in order of their first instruction, the host and synchronisation last.

    Args:
        values: an object of schema npu.profile/1 whose launches have an 'attribution'.
    """
    nodes: dict[str, NodeCost] = {}
    host: dict[str, NodeCost] = {}
    for launch in values["launches"]:
        for entry in launch["attribution"]["nodes"]:
            if entry["cycles"] == 0 and not any(entry["busy_cycles"].values()):
                continue  # Instructions of the control unit that nobody waited for.
            name = entry["name"] or "(no source node)"
            nodes.setdefault(name, NodeCost(name, "device"))._add(entry)
    for entry in values["fallbacks"]:
        name = entry["name"] or "(no source node)"
        node = host.setdefault(name, NodeCost(name, "host", causes={"host": 0}))
        node.cycles += entry["cycles"]
        node.causes["host"] += entry["cycles"]
    sync = values["sync_cycles"]
    handing_over = [NodeCost("(synchronisation)", "sync", sync, {"synchronisation": sync})] if sync else []
    return (*nodes.values(), *host.values(), *handing_over)


@dataclass(frozen=True)
class Profile:
    """One run, measured.

    Attributes:
        outputs: the results, in order.
        cycles: cycles of the whole run: device, host and synchronisation.
        time_us: the same in microseconds at the target's clock.
        utilization: share of the matrix array's peak that was used, 0 to 1.
        fallbacks: work that ran on the host.
        nodes: what each source node cost; their cycles add up to `cycles`.
    """

    outputs: tuple[np.ndarray, ...]
    cycles: int
    time_us: float
    utilization: float
    fallbacks: tuple[Fallback, ...]
    nodes: tuple[NodeCost, ...]
    values: Mapping[str, Any] = field(repr=False)

    def to_dict(self) -> dict[str, Any]:
        """Everything that was measured, as plain values (schema npu.profile/1).

        Each queue also has `stall`: cycles in which it had an instruction but could not run it; `nodes`
        has every source node.
        """
        values = dict(self.values)
        values["queues"] = {
            queue: {**numbers, "stall": sum(numbers[key] for key in _STALLS)}
            for queue, numbers in self.values["queues"].items()
        }
        values["nodes"] = [node.to_dict() for node in self.nodes]
        return values

    def rows(self) -> list[tuple[str, ...]]:
        """The table of nodes, names of the columns first; the last row is the sum."""
        head = ("node", "cycles", "share", "array", "wait data", "wait buffer", "DRAM bytes", "energy nJ", "mostly")
        rows = [head]
        for node in self.nodes:
            largest = sorted(node.causes.items(), key=lambda item: (-item[1], item[0]))[:_SHOWN_CAUSES]
            mostly = ", ".join(f"{cause} {cycles / node.cycles:.0%}" for cause, cycles in largest if cycles)
            rows.append(
                (
                    node.name,
                    f"{node.cycles:,}",
                    f"{node.cycles / self.cycles:.1%}" if self.cycles else "",
                    f"{node.utilization:.0%}" if node.macs else "",
                    f"{node.stall_data:,}",
                    f"{node.stall_buffer:,}",
                    f"{node.dram_bytes:,}",
                    f"{node.energy_pj / 1000:,.1f}",
                    mostly,
                )
            )
        total = ("all", f"{sum(node.cycles for node in self.nodes):,}", "", f"{self.utilization:.0%}")
        moved = f"{sum(node.dram_bytes for node in self.nodes):,}"
        energy = f"{sum(node.energy_pj for node in self.nodes) / 1000:,.1f}"
        return [*rows, (*total, "", "", moved, energy, "")]

    def table(self) -> str:
        """What each source node cost, as text."""
        rows = self.rows()
        widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
        lines = []
        for row in rows:
            cells = [cell.rjust(width) for cell, width in zip(row, widths, strict=True)]
            cells[0], cells[-1] = row[0].ljust(widths[0]), row[-1]
            lines.append("  ".join(cells).rstrip())
        return "\n".join(lines)

    def to_csv(self) -> str:
        """What each source node cost, a line each, causes and queues in columns of their own."""
        stream = io.StringIO()
        plain = ("stall_data", "stall_buffer", "macs", "utilization", "vector_ops", "dram_bytes", "sram_bytes")
        writer = csv.writer(stream, lineterminator="\n")
        busy = [f"busy_{queue}" for queue in QUEUES]
        writer.writerow(["name", "place", "cycles", *CAUSES, *busy, *plain, "energy_pj", "instructions"])
        for node in self.nodes:
            writer.writerow(
                [
                    *(node.name, node.place, node.cycles),
                    *(node.causes.get(cause, 0) for cause in CAUSES),
                    *(node.busy.get(queue, 0) for queue in QUEUES),
                    *(getattr(node, key) for key in plain),
                    *(node.energy_pj, node.instructions),
                ]
            )
        return stream.getvalue()
