#!/usr/bin/env python3
"""Does perfcast bounds name the true cause? Loops with a known answer, on the bundled machine of this instruction set, without
measuring: what is said of a loop depends on its code and its counted run only. Memory and branches are watched from the
beginning to the end of a short run, and addresses are the same in every run.

  tests/bounds/advice.py build/perfcast [FUNCTION...]"""
import ctypes, json, pathlib, platform, subprocess, sys, tempfile

here = pathlib.Path(__file__).resolve().parent
machine = "neoverse-v1" if platform.machine() == "aarch64" else "emerald-rapids"


def same_addresses():
    """For this process and those it starts: no random places of stack, heap and libraries."""
    no_randomize = 0x0040000
    ctypes.CDLL(None).personality(no_randomize)


# function: (causes one of which must come first, causes that must not be named at all, words of the first advice, causes that must
# be named).
ORDER = "recurrence that reassociation would break"
VECTORS = "missed vectorisation"
PLAIN = {
    "daxpy": ({"loads and stores per operation", "narrow vectors"}, {VECTORS, "recurrence", ORDER}, ""),
    "dot": ({ORDER}, {"recurrence", VECTORS}, "sum"),
    "single_sum": ({ORDER}, {"recurrence"}, "sum"),
    "some_sum": ({ORDER}, {"recurrence"}, "sum"),
    "integer_sum": ({"narrow vectors", "loads and stores per operation", "few accumulators", "address and loop bookkeeping"}, {VECTORS, "recurrence", ORDER}, ""),
    "largest": ({ORDER}, {"recurrence"}, "maximum"),
    "prefix": ({"recurrence"}, {ORDER}, "waits"),
    "stencil": ({"narrow vectors", "excess loads", "loads and stores per operation"}, {VECTORS, "recurrence"}, ""),
    "product_ijk": ({ORDER, "strided access"}, {"recurrence", "scattered access"}, ""),
    "product_ikj": ({"narrow vectors", "loads and stores per operation"}, {VECTORS, "recurrence", ORDER}, ""),
    "gather": ({"scattered access", "page walks"}, {"strided access", "dependent loads"}, ""),
    "columns": ({"strided access"}, {"scattered access", "recurrence", ORDER}, "steps of 11208 bytes"),
    "list": ({"dependent loads"}, {"strided access", VECTORS}, "waits for the address"),
    "filter": ({"mispredicted branch"}, set(), ""),
    "move_structs": ({"strided access"}, {"scattered access"}, "steps of 64 bytes"),
    "all_members": (None, {"strided access", "scattered access"}, ""),
    "move_arrays": ({"data from L2", "data from L3", "data from DRAM"}, {"strided access", "scattered access"}, ""),
    "with_call": ({"calls not inlined"}, {VECTORS}, "bent"),
    "may_overlap": ({VECTORS}, set(), "loop's bound"),
    "overlaps": ({"dependences in the schedule"}, {"recurrence", ORDER}, "has just stored"),
    "into_memory": ({ORDER, "excess stores", "recurrence that reassociation would break"}, {"recurrence"}, ""),
    "divide": ({"divisions"}, {"recurrence", VECTORS}, "reciprocal"),
    "spilled": ({"register spills"}, set(), "stack"),
}
FAST = {
    "dot": ({"loads and stores per operation", "narrow vectors", "few accumulators", "excess loads"}, {ORDER, "recurrence", VECTORS}, ""),
    "some_sum": ({"narrow vectors", "few accumulators", "loads and stores per operation", "address and loop bookkeeping"}, {ORDER, "recurrence", VECTORS}, ""),
    "prefix": ({"recurrence"}, {ORDER}, ""),
}
NONE = {"dot": ({"code not optimised", ORDER}, {"register spills"}, ""), "daxpy": ({"code not optimised"}, {"register spills"}, "-O2")}
CASES = [
    ("loops.c", "-O3", "3", PLAIN),
    ("loops.c", "-O3 -ffast-math", "2 small", FAST),
    ("loops.c", "-O0", "2 small", NONE),
    ("conflicts.c", "-O3", "4", {"unlucky": ({"conflicting access"}, set(), "Steps of 4096 bytes"), "padded": (None, {"conflicting access"}, "")}),
    ("loops.cc", "-O3", "", {
        "accumulate_ints": ({"narrow vectors", "loads and stores per operation", "few accumulators", "address and loop bookkeeping"}, {VECTORS, "recurrence", ORDER}, ""),
        "accumulate_reals": ({ORDER}, {"recurrence"}, "sum"),
        "areas": ({"calls not inlined", "mispredicted branch", ORDER}, {VECTORS}, ""),
        "product<int>": ({"narrow vectors", "loads and stores per operation", "few accumulators", "address and loop bookkeeping"}, {"recurrence", ORDER}, ""),
        "product<double>": ({ORDER}, {"recurrence"}, "sum"),
        "add_up": (None, {"recurrence"}, "")}),
    ("loops.f90", "-O3", "2", {
        "total": ({ORDER}, {"recurrence"}, "sum"),
        "some": ({ORDER}, {"recurrence"}, "sum"),
        "triad": ({"narrow vectors", "loads and stores per operation"}, {VECTORS, "recurrence", ORDER}, ""),
        "by_rows": ({"strided access", "loads and stores per operation"}, {"scattered access", VECTORS}, "", {"strided access"})}),
    ("threads.c", "-O3 -fopenmp", "2", {"even": ({ORDER}, {"recurrence"}, "sum")}),
]

perfcast, wanted = str(pathlib.Path(sys.argv[1]).resolve()), sys.argv[2:]
scratch = tempfile.TemporaryDirectory()
profile = scratch.name + "/profile.json"
failed = checked = 0
for source, flags, arguments, loops in CASES:
    analyze = [perfcast, "analyze", str(here / source), "--cflags", flags, "--whole-run", "-o", profile, "--", *arguments.split()]
    bounds = [perfcast, "bounds", profile, "--machine", machine, "--no-measure", "--hot", "0", "--format", "json"]
    for command in (analyze, bounds):
        done = subprocess.run(command, capture_output=True, text=True, cwd=here, preexec_fn=same_addresses)
        if done.returncode != 0:
            break
    if done.returncode != 0:
        print(f"{source} {flags}: exit {done.returncode}\n{done.stderr}")
        failed += 1
        continue
    result = json.loads(done.stdout)
    for function, (first, never, words, *must) in loops.items():
        if wanted and function not in wanted:
            continue
        checked += 1
        # The hottest loop of this function; names may carry parameters, modules or the class.
        mine = [l for l in result["loops"] if l.get("inlined_into", "").startswith(function + "(") or function in l["function"].replace("(", " ").replace("::", " ").replace(".", " ").split() or
                l["function"].lower().endswith("p" + function)]
        if not mine:
            print(f"{source} {flags} {function}: not among {sorted({l['function'] for l in result['loops']})}")
            failed += 1
            continue
        advice = mine[0]["advice"]
        causes = [a["cause"] for a in advice]
        wrong = []
        if first is not None and (not causes or causes[0] not in first):
            wrong.append(f"first should be one of {sorted(first)}")
        if set(causes) & never:
            wrong.append(f"must not say {sorted(set(causes) & never)}")
        if words and advice and words not in advice[0]["text"]:
            wrong.append(f"does not mention '{words}'")
        if must and not must[0] <= set(causes):
            wrong.append(f"does not name {sorted(must[0])}")
        if wrong:
            failed += 1
            ladder = " ".join(f"{k} {mine[0][k]:.3g}" for k in ("m", "ma", "mac", "macs", "window"))
            print(f"{source} {flags} {function}:{mine[0]['line']}: {'; '.join(wrong)}\n    {ladder} vectors {mine[0]['vector_bits']}")
            for a in advice[:4]:
                print(f"    {a['cycles']:.3g} [{a['cause']}] {a['text']}")
    for law in result.get("broken_laws", []):
        print(f"{source} {flags}: {law['law']} broken in {law['function']}:{law['at']['line']} by {100 * law['by']:.1f} %")
print(f"{checked - failed} of {checked} loops named rightly")
sys.exit(1 if failed else 0)
