#!/usr/bin/env python3
"""Writes the inputs of the cases beside it, made by hand so that a person can check them on paper.

triangle.profile.json   two loops: N times four instructions and N (N-1) / 2 times eight; the toy machine (1 GHz) takes 3 and 5
                        cycles for them: T = 3 N + 2.5 N (N-1) ns.
falling.profile.json    the same, its inner loop fitted by a form that falls below zero beyond N = 111.
runs.json               runs of three programs whose time is 2 ns per operation and 50 ns per line, give or take 2 percent.
"""
import json, pathlib

here = pathlib.Path(__file__).parent
FORMS = {"INT": {}, "FADD": dict(floating=True, vector_bits=64), "LOAD": dict(load=True, memory_bytes=8), "STORE": dict(store=True, memory_bytes=8),
         "BRANCH": dict(branch=True, conditional=True)}
NAMES = list(FORMS)
RECORDED = 100


def count(expression, certainty="interpolated"):
    return {"value": eval(expression.replace("^", "**"), {"N": RECORDED}), "is": expression, "certainty": certainty}


def block(name, line, expression, ops, nexts, loop=None, address=0):
    code = [{"form": NAMES.index(op), "address": address + 4 * k, "size": 4, "text": op.lower(),
             **({"uses": [[900, 0, 1]], "displacement": 64 * (address + k)} if op in ("LOAD", "STORE") else {})} for k, op in enumerate(ops)]
    value = {"name": name, "at": {"file": "triangle.c", "line": line}, "count": count(expression), "next": [{"to": to, "count": count(e)} for to, e in nexts], "code": code}
    if loop is not None:
        value["loop"] = loop
    return value


def triangle(pairs="(N^2 - N)/2"):
    inner = ["LOAD", "FADD", "LOAD", "FADD", "STORE", "INT", "INT", "BRANCH"]
    blocks = [block("start", 1, "1", [], [(1, "1")]),
              block("outer", 3, "N", ["INT", "LOAD", "INT", "BRANCH"], [(2, "N - 1"), (3, "1")], 0, 4096),
              block("inner", 4, pairs, inner, [(2, f"{pairs} - N + 1"), (1, "N - 1")], 1, 8192),
              block("end", 6, "1", [], [])]
    loops = [{"at": {"file": "triangle.c", "line": 3}, "header": 1, "entries": count("1"), "iterations": count("N")},
             {"at": {"file": "triangle.c", "line": 4}, "header": 2, "parent": 0, "entries": count("N - 1"), "iterations": count(pairs)}]
    source = [{"name": "s1", "kind": "assign", "at": {"file": "triangle.c", "line": 4}, "count": count("(N^2 - N)/2"), "usage": {"ADDD": 1, "MULD": 1}},
              {"name": "s2", "kind": "assign", "at": {"file": "triangle.c", "line": 3}, "count": count("N"), "usage": {"ADDI": 1}}]
    graph = lambda blocks, loops: {"functions": [{"name": "main", "at": {"file": "triangle.c", "line": 1}, "calls": count("1"), "blocks": blocks, "loops": loops}]}
    return {"format": "perfcast.profile", "version": 1, "program": "triangle",
            "run": {"arguments": [str(RECORDED)], "parameters": {"N": RECORDED}, "parameter_arguments": {"N": 1}},
            "source": graph(source, []), "machine": graph(blocks, loops), "forms": [{"opcode": op, "latency": [1], **FORMS[op]} for op in NAMES],
            "scaling": {"runs": [{"set": {"N": n}, "page_faults": 10, "seconds": 2e-9 * n * n} for n in (25, 50, 75, 100, 200)], "page_faults": "10",
                        "shares": {"interpolated": 1.0}, "blocks": {"interpolated": 4}}}


def runs():
    all = []
    for k, program in enumerate(("a", "b", "c")):
        for n in (100, 200, 400, 800):
            x = {"operations": n * n * (k + 1), "lines": n * (10 if k else 500)}
            if program == "c":
                x["calls"] = 7
            all.append({"program": program, "set": {"N": n}, "counts": x, "seconds": (2e-9 * x["operations"] + 5e-8 * x["lines"]) * (1.02 if (n // 100 + k) % 3 else 0.98)})
    return {"format": "perfcast.runs", "version": 1, "machine": "toy", "runs": all}


def write(name, value, cases):
    for case in cases:
        (here / case).mkdir(exist_ok=True)
        (here / case / name).write_text(json.dumps(value, separators=(",", ":")).replace('{"name"', '\n{"name"').replace('{"program":"', '\n{"program":"') + "\n")


write("triangle.profile.json", triangle(), ["equation", "equation-text", "plan", "as-latex", "as-c", "optimum", "calibrated", "no-such-parameter", "no-plan", "static-source", "no-runs", "runs-and-measure", "predict-set",
                                            "plan-machine", "plan-part-of-processor", "plan-unknown-line", "plan-negative-times", "no-such-sensitivity"])
write("falling.profile.json", triangle("1000*N - 9*N^2"), ["below-zero", "below-zero-alone"])
write("runs.json", runs(), ["regression", "no-runs"])
write("runs.json", {"format": "perfcast.runs", "version": 1, "machine": "toy",
                    "runs": [{"program": "triangle", "set": {"N": n}, "seconds": 3e-9 * n * n} for n in (25, 50, 100)]}, ["calibrated"])
write("runs.json", {"format": "perfcast.runs", "version": 1, "machine": "toy",
                    "runs": [{"program": "a", "counts": {"operations": 10, "lines": 3}, "seconds": 1e-3}]}, ["too-few-runs"])
plan = {"format": "perfcast.plan", "version": 1, "network": "hypercube", "costs": {"startup": 1e-6, "per_byte": 1e-11}, "parallel": ["triangle.c:4"],
        "communications": [{"pattern": "broadcast", "times": "N", "bytes": "8*N"}]}
write("plan.json", plan, ["plan", "optimum", "plan-machine", "plan-part-of-processor"])
write("plan.json", plan | {"parallel": ["nofunc"]}, ["plan-unknown-line"])
write("plan.json", plan | {"communications": [{"pattern": "broadcast", "times": "-N", "bytes": "8"}]}, ["plan-negative-times"])
write("cost.json", {"format": "perfcast.cost", "version": 1, "name": "two", "prices_per_hour": {"toy": 1}, "processors": [1, 2, 4, 8],
                    "costs": {"net": "100 + 1e-4/startup"}, "variables": {"startup": [1e-7, 1e-4]}}, ["optimum"])
write("own.static.json", {"format": "perfcast.static", "version": 1, "name": "triangle", "parallel_parts": ["triangle.c:4"], "network": "hypercube",
                          "communications": [{"pattern": "neighbour", "times": "N"}], "costs": {"startup": 100}, "processors": [2, 8, 64]}, ["static-source", "static-without-counts"])
write("skew.sorting.json", {"format": "perfcast.sorting", "version": 1, "machines": [{"name": "m", "processors": 4, "items": 1000, "skew": 0.5}]}, ["sorting-wrong"])
