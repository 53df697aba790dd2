#!/usr/bin/env python3
"""How time and memory grow with the load: bench/load_growth.py build/perfcast [--full] [CASE...].

Each case is made at three sizes and given to a command; printed are seconds of processor time, peak memory, and the exponent with which
both grew between the two larger sizes (1: linear). The largest sizes are a tenth of what is promised; with --full they are
what is promised: a profile of a million blocks and some 500 MB, an equation of 50,000 terms, 10,000 machines, a suite of
500 programs."""
import json, math, os, pathlib, random, subprocess, sys, tempfile

root = pathlib.Path(__file__).parents[1]
arguments = [a for a in sys.argv[1:] if not a.startswith("--")]
full = "--full" in sys.argv
program, wanted = os.path.abspath(arguments[0]), arguments[1:]


def timed(command, folder):
    """Seconds of processor time (its programs included), peak memory in MB, exit code, what was said."""
    errors = open(folder / "errors", "wb+")
    process = subprocess.Popen([program, *command], cwd=folder, stdout=subprocess.DEVNULL, stderr=errors,
                               env=dict(os.environ, PERFCAST_HOME=str(folder / "home")))
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    errors.seek(0)
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, process.returncode, errors.read().decode(errors="replace")


FORMS = json.loads((root / "tests/golden/bounds/toy-daxpy/toy-daxpy.profile.json").read_text())["forms"]
CODE = [(9, "load"), (1, "fmul"), (9, "load"), (0, "fadd"), (10, "store"), (6, "address"), (11, "branch")]


def write_profile(path, blocks, scaled=False):
    """Functions of twelve blocks of machine code and as many of IR, three to a loop; counts as expressions when scaled, else with
    reuse distances and what the source of each loop asks for."""
    numbers = random.Random(1)
    per_function, address = 12, 4096
    functions = max(1, blocks // per_function // (1 if scaled else 2))
    inner_counts = [[1000 * numbers.randrange(1, 50) for _ in range(per_function // 3)] for _ in range(functions)]
    with open(path, "w") as out:
        head = {"format": "perfcast.profile", "version": 1, "program": "load", "run": {"isa": "", "parameters": {"N": 1000}, "parameter_arguments": {"N": 1}} if scaled else {"isa": ""}}
        out.write(json.dumps(head)[:-1] + ',\n"machine":{"functions":[\n')

        def count(value):
            return {"value": value, "is": f"{value // 1000}*N", "certainty": "proved"} if scaled else value

        def block(name, line, times, code, following, calls=(), loop=None):
            nonlocal address
            b = {"name": name, "at": {"file": "load.c", "line": line}, "count": count(times)}
            if loop is not None:
                b["loop"] = loop
            b["next"] = [{"to": to, "count": count(n)} for to, n in following]
            if calls:
                b["calls"] = [{"callee": c} for c in calls]
            b["code"] = []
            for form, text in code:
                b["code"].append({"form": form, "address": address, "size": 4, "text": f"{text} v{address % 31}, [x{address % 17}]", "uses": [[900 + address % 17, 0, 1]], "displacement": 64 * numbers.randrange(4096), "line": line})
                address += 4
            return b

        for f in range(functions):
            listed, loops = [], []
            for l in range(per_function // 3):
                at, inner = 3 * l, inner_counts[f][l]
                line = per_function * f + at
                listed.append(block(f"entry{l}", line, 1000, CODE[:2], [(at + 1, 1000)]))
                listed.append(block(f"body{l}", line + 1, inner, CODE, [(at + 1, inner - 1000), (at + 2, 1000)], loop=l))
                listed.append(block(f"exit{l}", line + 2, 1000, CODE[:3], [(at + 3, 1000)] if at + 3 < per_function else []))
                loops.append({"at": {"file": "load.c", "line": line + 1}, "header": at + 1, "entries": 1000, "iterations": inner})
            if not scaled:
                for b in listed:
                    b["from"] = b["name"]
            out.write(json.dumps({"name": f"f{f}", "calls": count(1000), "blocks": listed, "loops": loops}) + (",\n" if f + 1 < functions else "\n"))
        out.write(']},"forms":' + json.dumps(FORMS))
        if not scaled:
            write_ir(out, functions, inner_counts, numbers)
        if scaled:
            out.write(',"scaling":' + json.dumps({"runs": [{"set": {"N": n}, "page_faults": 10} for n in (500, 1000, 2000)], "page_faults": "10", "shares": {"proved": 1.0}, "blocks": {"proved": blocks}, "from": {"N": 1}}))
        out.write("}\n")


def write_ir(out, functions, inner_counts, numbers):
    """The same blocks as IR: one load and one store in each body, reused at some distance; and the loops of the source."""
    out.write(',\n"ir":{"functions":[\n')
    for f in range(functions):
        listed, loops = [], []
        for l, inner in enumerate(inner_counts[f]):
            at, line = 3 * l, 12 * f + 3 * l
            reuse = {"kind": "regular", "bytes": 8, "line": line + 1, "count": inner, "lines": [[0, 0.875, 0], [2 ** numbers.randrange(4, 20), 0.125, 0.1]], "pages": [[1, 1, 0]], "cold": 0.001, "stride_bytes": 8, "stride_share": 0.9}
            listed += [{"name": f"entry{l}", "at": {"file": "load.c", "line": line}, "count": 1000, "next": [{"to": at + 1, "count": 1000}]},
                       {"name": f"body{l}", "at": {"file": "load.c", "line": line + 1}, "count": inner, "loop": l, "next": [{"to": at + 1, "count": inner - 1000}, {"to": at + 2, "count": 1000}],
                        "usage": {"fadd.f64": 1, "fmul.f64": 1, "load.f64": 2, "store.f64": 1, "flops": 2}, "accesses": [dict(reuse, index=0), dict(reuse, index=1, store=True)]},
                       {"name": f"exit{l}", "at": {"file": "load.c", "line": line + 2}, "count": 1000, "next": [{"to": at + 3, "count": 1000}] if at + 3 < 12 else []}]
            loops.append({"at": {"file": "load.c", "line": line + 1}, "header": at + 1, "entries": 1000, "iterations": inner})
        out.write(json.dumps({"name": f"f{f}", "calls": 1000, "blocks": listed, "loops": loops}) + (",\n" if f + 1 < functions else "\n"))
    out.write(']},"source_loops":[\n')
    for f in range(functions):
        for l, inner in enumerate(inner_counts[f]):
            line = 12 * f + 3 * l
            loop = {"function": f"f{f}", "at": {"file": "load.c", "line": line + 1}, "first_line": line + 1, "last_line": line + 1, "entries": 1000, "iterations": inner, "flops": 2, "operations": {"fadd.f64": 1, "fmul.f64": 1},
                    "references": [{"array": "x", "type": "f64", "stride_bytes": [8], "line": line + 1}, {"array": "y", "store": True, "type": "f64", "stride_bytes": [8], "line": line + 1}]}
            out.write(json.dumps(loop) + (",\n" if (f, l) != (functions - 1, len(inner_counts[f]) - 1) else "]"))


def profile(folder, size):
    write_profile(folder / "load.profile.json", size)
    return os.path.getsize(folder / "load.profile.json") / 1e6


def scaled_profile(folder, size):
    write_profile(folder / "load.profile.json", size, True)
    return os.path.getsize(folder / "load.profile.json") / 1e6


def machines(folder, size):
    base = json.loads((root / "data/machines/vax-8600.machine.json").read_text())
    numbers = random.Random(2)
    (folder / "m").mkdir(exist_ok=True)
    for k in range(size):
        base["name"] = f"m{k}"
        for costs in base["source"]:
            for cost in costs["costs"].values():
                cost["value"] = round(numbers.uniform(10, 1000), 2)
        (folder / "m" / f"{k}").write_text(json.dumps(base))
    return size * 12e-3


def equation(folder, size):
    terms = [{"name": f"load.c:{k}", "kind": "computation", "count": f"{k}*N^2", "seconds": f"{k}e-12*N^2 + 1e-9*N*log2(P + {k})", "share": 1 / size} for k in range(1, size + 1)]
    record = {"format": "perfcast.equation", "version": 1, "program": "load", "machine": "toy", "parameters": ["N", "P"], "recorded": {"N": 100, "P": 1},
              "seconds": " + ".join(t["seconds"] for t in terms), "blocks": {"proved": size}, "terms": terms, "at": [{"set": {"N": 100, "P": 4}, "seconds": 1, "interval": [0.5, 2], "warnings": []}]}
    (folder / "e.json").write_text(json.dumps(record))
    # The same sum as what a job costs: read, differentiated and maximised.
    (folder / "c.json").write_text(json.dumps({"format": "perfcast.cost", "version": 1, "name": "load", "costs": {"all": " + ".join(f"{k}e-12*P^2 + 1e-9*P*log2(P + {k})" for k in range(1, size + 1))}, "variables": {"P": [1, 64]}, "time": "1/P + 0.01*P", "values": {"N": 100}}))
    return os.path.getsize(folder / "e.json") / 1e6


def suite(folder, size):
    programs = []
    for k in range(size):
        (folder / f"p{k}.c").write_text(f"int main(void) {{ double s = 0; for (int i = 0; i < {10000 + k}; i++) s += i * 0.5; return s < 0; }}\n")
        programs.append({"name": f"p{k}", "sources": [f"p{k}.c"], "cflags": "-O0"})
    (folder / "suite.json").write_text(json.dumps({"programs": programs}))
    return size * 1e-4


def many_profiles(folder, size):
    for k in range(size):
        write_profile(folder / f"p{k}.json", 24)
    return size * 1e-2


def names(pattern, size):
    return [pattern.format(k) for k in range(size)]


# case: (makes it, largest size, its unit, command by size)
CASES = {
    "show a profile": (profile, 1_000_000, "blocks", lambda n: ["show", "load.profile.json"]),
    "predict a profile": (profile, 1_000_000, "blocks", lambda n: ["predict", "load.profile.json", "--machine", "toy", "--model", "icc", "-o", "answer.json"]),
    "report a profile": (profile, 1_000_000, "blocks", lambda n: ["report", "load.profile.json", "-o", "r.html"]),
    "bounds of a profile": (profile, 1_000_000, "blocks", lambda n: ["bounds", "load.profile.json", "--machine", "toy"]),
    "equation of a profile": (scaled_profile, 50_000, "terms", lambda n: ["scale", "load.profile.json", "--machine", "toy", "--at", "N=5000", "-o", "answer.json"]),
    "show an equation": (equation, 50_000, "terms", lambda n: ["report", "e.json", "-o", "r.html"]),
    "compare machines": (machines, 10_000, "machines", lambda n: ["machines", "compare", *names("m/{}", n), "-o", "answer.json"]),
    "predict on machines": (machines, 10_000, "machines", lambda n: ["predict", "saavedra-linpack", *[w for m in names("m/{}", n) for w in ("--machine", m)], "-o", "answer.json"]),
    "choose for profiles": (many_profiles, 500, "profiles", lambda n: ["choose", *names("p{}.json", n), "--machine", "toy", "--price", "toy=1"]),
    "validate a suite": (suite, 500, "programs", lambda n: ["validate", "--suite", ".", "--machine", "toy", "--model", "icc", "-o", "answer.json"]),
}


def exponent(a, b, na, nb):
    return math.log(max(b, 1e-9) / max(a, 1e-9)) / math.log(nb / na)


print(f"{'case':24} {'size':>10} {'MB':>8} {'seconds':>9} {'memory MB':>10} {'time ~ n^':>10} {'memory ~ n^':>12}")
for name, (make, largest, unit, command) in CASES.items():
    if wanted and not any(w in name for w in wanted):
        continue
    if not full:
        largest = largest // 10 if "suite" not in name else 20
    before = None
    for size in (largest // 10, largest // 3, largest):
        with tempfile.TemporaryDirectory() as place:
            folder = pathlib.Path(place)
            megabytes = make(folder, size)
            seconds, memory, code, errors = timed(command(size), folder)
        growth = "" if before is None else f"{exponent(before[1], seconds, before[0], size):>10.2f} {exponent(before[2], memory, before[0], size):>12.2f}"
        said = "" if code == 0 else f"  exit {code}: {errors.strip()[-200:]}"
        print(f"{name:24} {size:>10} {megabytes:>8.1f} {seconds:>9.2f} {memory:>10.0f} {growth}{said}", flush=True)
        before = (size, seconds, memory)
