#!/usr/bin/env python3
"""Puts the measured memory and system costs of the bundled machines into data/machines. Neoverse V1: microbenchmarks on
a virtual machine of 2 cores at 2.60 GHz, small pages, and messages between its two cores. Emerald Rapids: only chase
latencies were measured; capacities are documented or assumed, everything else was measured on a Sapphire Rapids, which has
the same core and a like memory system, and is marked as assumed with wide spreads."""
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
    def path(name, switch, eager, rendezvous, error, worst):
        regime = lambda name, start, law: {"name": name, "from_bytes": start, "startup_ns": law[0], "per_byte_ns": law[1]}
        return {"name": name, "regimes": [regime("eager", 0, eager), regime("rendezvous", switch, rendezvous)], "error": error,
                "worst_error": worst, "rendezvous_bytes": switch}

    messages = {"library": "Open MPI 4.1.4, 2 ranks", "paths": [path("shared memory", 4096, (200, 0.34), (1730, 0.075), 0.10, 0.37),
                                                                path("tcp", 65536, (4170, 0.18), (15100, 0.108), 0.042, 0.1)]}
    gaps = [{"what": "source operations, flop rate and threads were not measured"}]
    return {"memory": memory, "system": {"page_fault_ns": m(1150), "process_start_ns": m(310000)}, "messages": messages, "gaps": gaps}


def emerald_rapids():
    elsewhere = "as on a Sapphire Rapids, the same core with a like memory"

    def a(value, spread=0.3):
        return m(value, elsewhere, "assumed", spread)

    def tables(values):
        return {str(k): a(v) for k, v in values.items()}

    def level(name, capacity, latency, how, note, read, write, copy, update, partial, random, random_update, parallel, strides, stores):
        out = {"name": name, "latency_ns": m(latency, "chase, with page walks", spread=0.15)}
        if capacity:
            out["capacity_bytes"] = m(capacity, note, how, 0.2)
        return out | {"read_ns": tables(read), "write_ns": tables(write), "copy_ns": tables(copy), "update_ns": a(update),
                      "partial_write_ns": a(partial), "random_read_ns": a(random), "random_update_ns": a(random_update),
                      "parallel_misses": a(parallel), "stride_ns": tables(strides), "stride_write_ns": tables(stores)}

    levels = [
        level("L1", 48 * 1024, 1.92, "documented", "", {1: 0.40, 2: 0.28, 4: 0.27, 8: 0.49}, {1: 0.36}, {1: 0.41}, 0.60, 0.39, 0.78, 0.87, 8.6,
              {128: 0.51, 256: 0.58, 1024: 0.92}, {128: 0.82, 256: 0.83, 1024: 0.94}),
        level("L2", 2 * 1024 * 1024, 6.9, "documented", "", {1: 0.56, 4: 0.55, 8: 0.65, 16: 0.86, 32: 0.98}, {1: 1.46, 4: 1.61}, {1: 1.73, 4: 1.83}, 1.47, 1.45,
              0.84, 1.47, 14, {128: 0.75, 192: 0.60, 256: 0.87, 1024: 0.98, 4096: 1.21, 4160: 0.88}, {128: 2.05, 192: 1.57, 256: 2.31, 1024: 3.75, 4096: 4.48, 4160: 1.69}),
        level("L3", 30 * 1024 * 1024, 77, "assumed", "shared with other virtual machines", {1: 2.64, 2: 2.34, 4: 2.44, 16: 2.52}, {1: 3.06, 2: 3.43, 4: 3.21},
              {1: 5.27, 2: 5.79, 4: 5.70}, 3.04, 2.92, 6.5, 4.7, 41, {128: 5.2, 192: 3.9, 256: 6.0, 1024: 6.8, 4096: 6.9, 4160: 3.8},
              {128: 7.3, 192: 6.2, 256: 9.9, 1024: 8.9, 4096: 8.9, 4160: 7.0}),
        level("DRAM", None, 138, "", "", {1: 7.6, 2: 5.9, 4: 3.8, 16: 3.7}, {1: 8.7, 2: 9.5, 4: 7.5}, {1: 13.2, 2: 12.2, 4: 9.9}, 7.4, 7.7, 14.4, 14.4, 12,
              {128: 13.2, 192: 12.3, 256: 20.9, 1024: 23.9, 4096: 36.9, 4160: 21.8}, {128: 17, 192: 18.3, 256: 28.2, 1024: 29.4, 4096: 34.5, 4160: 21}),
    ]
    memory = {"line_bytes": 64, "page_bytes": 4096, "levels": levels,
              "translation": {"first_entries": a(108), "first_miss_ns": a(2.4), "second_entries": a(1570), "walk_ns": a(28.6), "walk_parallel_ns": a(6.9),
                              "far_walk_ns": a(160), "far_walk_parallel_ns": a(22.6)},
              "window_instructions": a(116), "window_instructions_fp": a(139), "prefetch_streams": a(48), "retention_ns": a(3.2e6, 0.5)}
    gaps = [{"what": "source operations, flop rate, messages and threads were not measured"},
            {"what": "of memory only latencies were measured here; bandwidths, strides, random accesses and page walks are those of a Sapphire Rapids"}]
    return {"memory": memory, "system": {"page_fault_ns": a(1680), "process_start_ns": m(7e5, "0.3 and 1.4 ms were seen on other virtual machines", "assumed", 0.6)}, "gaps": gaps}


for name, parts in {"neoverse-v1": neoverse_v1(), "emerald-rapids": emerald_rapids()}.items():
    path = MACHINES / f"{name}.machine.json"
    written = tuple(f' "{key}": ' for key in ("memory", "system", "messages", "gaps"))
    lines = [line for line in path.read_text().rstrip()[:-1].rstrip().split("\n") if not line.startswith(written)]
    text = "\n".join(lines).rstrip().rstrip(",")
    text += "".join(f',\n "{key}": ' + json.dumps(value) for key, value in parts.items()) + "\n}\n"
    json.loads(text)
    path.write_text(text)
