#!/usr/bin/env python3
"""Puts the measured memory and system costs of the bundled machines into data/machines.

  tools/memory_models.py                     # neoverse-v1: microbenchmarks on a virtual machine of 2 cores at 2.60 GHz, small
                                             # pages, and messages between its two cores
  tools/memory_models.py NAME FILE... GAP    # NAME: from what `characterize` wrote there, the later files first; what is
                                             # missing, in words
"""
import json, pathlib, sys

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


def rounded(x):
    if isinstance(x, dict):
        return {key: rounded(value) for key, value in x.items()}
    if isinstance(x, list):
        return [rounded(value) for value in x]
    return float(f"{x:.4g}") if isinstance(x, float) else x


def characterized(files, gap):
    """What is of the machine; how much others used its cores that day is not, nor how many a virtual machine was lent."""
    parts = {}
    for file in files:
        made = json.loads(pathlib.Path(file).read_text())
        parts = {key: rounded(made[key]) for key in ("memory", "system", "messages", "mflops") if key in made} | parts
    parts["system"] = {key: value for key, value in parts["system"].items() if key not in ("core_sharing", "canary_cycles")}
    return parts | {"gaps": [{"what": gap}]}


def put(name, parts):
    path = MACHINES / f"{name}.machine.json"
    written = tuple(f' "{key}": ' for key in ("memory", "system", "messages", "mflops", "gaps"))
    lines = [line for line in path.read_text().rstrip()[:-1].rstrip().split("\n") if not line.startswith(written)]
    text = "\n".join(lines).rstrip().rstrip(",")
    path.write_text(text + "".join(f',\n "{key}": ' + json.dumps(value) for key, value in parts.items()) + "\n}\n")


if len(sys.argv) > 1:
    put(sys.argv[1], characterized(sys.argv[2:-1], sys.argv[-1]))
else:
    put("neoverse-v1", neoverse_v1())
