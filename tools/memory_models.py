#!/usr/bin/env python3
"""Puts the measured memory and system costs of the bundled machines into data/machines. Neoverse V1: microbenchmarks on
a virtual machine of 2 cores at 2.60 GHz, small pages. Emerald Rapids: only chase latencies were measured; capacities are
documented or assumed and bandwidths are missing, so that predictions of memory-bound programs there are rough."""
import json, pathlib

MACHINES = pathlib.Path(__file__).parent.parent / "data/machines"


def m(value, note="", how="measured", spread=0.05):
    out = {"value": value, "sd": round(spread * value, 6), "how": how}
    return out | ({"note": note} if note else {})


def table(values):
    return {str(k): m(v) for k, v in values.items()}


def neoverse_v1():
    def level(name, capacity, latency, read, write, copy, update, partial, random=None, parallel=None, strides=None, note=""):
        out = {"name": name}
        if capacity:
            out["capacity_bytes"] = m(capacity, note, spread=0.1)
        out |= {"latency_ns": m(latency), "read_ns": table(read), "write_ns": table({1: write}), "copy_ns": table({1: copy}),
                "update_ns": m(update), "partial_write_ns": m(partial)}
        if random:
            out |= {"random_read_ns": m(random), "parallel_misses": m(parallel)}
        if strides:
            out["stride_ns"] = table(strides)
        return out

    kib = 1024
    memory = {
        "line_bytes": 64, "page_bytes": 4096,
        "levels": [
            level("L1", 64 * kib, 1.54, {1: 0.51}, 0.77, 0.84, 0.78, 0.40),
            level("L2", 1024 * kib, 4.25, {1: 0.92, 2: 0.90}, 0.77, 1.18, 1.28, 0.85, 0.59, 9, {192: 0.76, 256: 1.63}),
            level("L3", 26 * 1024 * kib, 25, {1: 1.33, 2: 1.2, 4: 1.0}, 0.92, 1.8, 1.4, 1.3, 2.1, 12, {192: 1.7, 256: 3.3},
                  "seen by streams; a slow chase sees less than 8 MB"),
            level("DRAM", None, 130, {1: 2.17, 2: 1.83, 4: 1.6}, 1.02, 2.45, 2.49, 2.75, 6.2, 20, {192: 3.9, 256: 6.9}),
        ],
        "translation": {"first_entries": m(46), "first_miss_ns": m(1.6), "second_entries": m(2048), "walk_ns": m(18),
                        "walk_parallel_ns": m(4), "far_walk_ns": m(40), "far_walk_parallel_ns": m(8.5)},
        "window_instructions": m(136), "window_instructions_fp": m(96), "prefetch_streams": m(24),
        "prefetch_stride_bytes": m(65536), "retention_ns": m(5e6, "half gone; evicted by traffic outside", spread=0.3),
    }
    return memory, {"page_fault_ns": m(1150), "process_start_ns": m(310000)}


def emerald_rapids():
    def level(name, capacity, latency, how, note):
        out = {"name": name, "latency_ns": m(latency, "chase, with page walks", spread=0.15)}
        return out | ({"capacity_bytes": m(capacity, note, how, 0.2)} if capacity else {})

    memory = {"line_bytes": 64, "page_bytes": 4096, "levels": [
        level("L1", 48 * 1024, 1.92, "documented", ""), level("L2", 2 * 1024 * 1024, 6.9, "documented", ""),
        level("L3", 30 * 1024 * 1024, 77, "assumed", "shared with other virtual machines"), level("DRAM", None, 138, "", "")]}
    return memory, None


for name, (memory, system) in {"neoverse-v1": neoverse_v1(), "emerald-rapids": emerald_rapids()}.items():
    path = MACHINES / f"{name}.machine.json"
    lines = [line for line in path.read_text().rstrip()[:-1].rstrip().split("\n") if not line.startswith((' "memory": ', ' "system": '))]
    text = "\n".join(lines).rstrip().rstrip(",")
    text += ',\n "memory": ' + json.dumps(memory) + (',\n "system": ' + json.dumps(system) if system else "") + "\n}\n"
    json.loads(text)
    path.write_text(text)
