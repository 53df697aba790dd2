#!/usr/bin/env python3
"""Writes the hand-made profiles of the cases beside it: loops whose instructions are listed here, so that a person can
check every bound on paper.

figure-25   the counts printed in figure 25 of Lee and Davidson 1994: loop .L37 in loop .L19 with a forward branch to
            .L17. Instruction pairs of the KSR1: one side for FPU and IPU, one for CEU and XIU, nops where none is printed.
ksr1-daxpy  y(i) = y(i) + a*x(i), unrolled four times: M = 1, MA = max(3 + 3/4, 1 + 2/4, 2) = 3.75 (equations 4.3 and 4.6).
ksr1-sum    s = s + x(i): the recurrence decides (equation 4.7).
toy-daxpy   the same for the toy machine, not unrolled.
binary      the same code without its source: M is the peak for what was executed, MA is unknown.
"""
import json, pathlib

here = pathlib.Path(__file__).parent
FORMS = {
    "FADD": dict(floating=True, vector_bits=64), "FMUL": dict(floating=True, vector_bits=64),
    "FMA": dict(floating=True, vector_bits=64), "FMISC": dict(floating=True, vector_bits=64),
    "INT": {}, "COUNT": {}, "ADDRESS": {}, "FINOP": dict(nop=True), "CXNOP": dict(nop=True),
    "LOAD": dict(floating=True, load=True, vector_bits=64, memory_bytes=8),
    "STORE": dict(floating=True, store=True, vector_bits=64, memory_bytes=8),
    "BRANCH": dict(branch=True, conditional=True),
}
NAMES = list(FORMS)


def code(opcodes, address):
    out = []
    for k, op in enumerate(opcodes):
        instruction = {"form": NAMES.index(op), "address": address + 4 * k, "size": 4, "text": op.lower()}
        if op in ("LOAD", "STORE"):
            instruction["uses"] = [[900, 0, 1]]
            instruction["displacement"] = 64 * (address + k)
        out.append(instruction)
    return out


def pairs(length, left, right, last=None):
    """`length` pairs: the left side filled up with finop, the right one with cxnop; `last` closes the right side."""
    left, right = left + ["FINOP"] * (length - len(left)), list(right)
    if last:
        right.append(last)
    right = right[:-1] + ["CXNOP"] * (length - len(right)) + right[-1:] if right else ["CXNOP"] * length
    assert len(left) == len(right) == length, (length, len(left), len(right))
    return [op for pair in zip(left, right) for op in pair]


def profile(name, isa, function, file, blocks, loops, source_loops):
    address = 4096
    for block in blocks:
        block["code"] = code(block.pop("ops"), address)
        address += 4 * len(block["code"])
    value = {"format": "perfcast.profile", "version": 1, "program": name, "run": {"isa": isa},
             "machine": {"functions": [{"name": function, "at": {"file": file, "line": 1}, "calls": 1, "blocks": blocks, "loops": loops}]},
             "forms": [{"opcode": op, "latency": [1], **FORMS[op]} for op in NAMES], "source_loops": source_loops}
    folder = here / name
    folder.mkdir(exist_ok=True)
    (folder / (name + ".profile.json")).write_text(json.dumps(value, indent=None, separators=(",", ":")).replace('{"name"', '\n{"name"') + "\n")


def at(file, line):
    return {"file": file, "line": line}


def n(op, k):
    return [op] * k


def reference(store, elements, array, stride=8):
    return {"array": array, "store": store, "element_bytes": 8, "type": "f64", "elements": elements, "written": elements, "stride_bytes": [stride]}


def figure_25():
    file, inner, outer = "figure25.f", 1000, 10
    before = pairs(60, n("FADD", 7) + n("FMA", 4) + n("FMISC", 9) + n("INT", 20), n("LOAD", 25) + n("ADDRESS", 30))
    body = pairs(98, n("FADD", 8) + n("FMA", 3) + n("FMISC", 11) + n("INT", 16), n("LOAD", 26) + n("STORE", 17) + n("ADDRESS", 46), "BRANCH")
    area = pairs(7, n("FMA", 1) + n("FMISC", 1) + n("INT", 1), n("LOAD", 2) + n("STORE", 3))
    close = pairs(2, n("INT", 2), [], "BRANCH")
    after = pairs(54, n("INT", 12), n("STORE", 17) + n("ADDRESS", 28), "BRANCH")
    blocks = [
        dict(name="start", at=at(file, 1), count=1, next=[{"to": 1, "count": 1}], ops=[]),
        dict(name=".L19", at=at(file, 19), count=outer, loop=0, next=[{"to": 2, "count": outer}], ops=before),
        dict(name=".L37", at=at(file, 37), count=inner, loop=1, next=[{"to": 4, "count": 0}, {"to": 3, "count": inner}], ops=body),
        dict(name=".L37.area", at=at(file, 40), count=inner, loop=1, next=[{"to": 4, "count": inner}], ops=area),
        dict(name=".L17", at=at(file, 44), count=inner, loop=1, next=[{"to": 2, "count": inner - outer}, {"to": 5, "count": outer}], ops=close),
        dict(name=".L19.end", at=at(file, 50), count=outer, loop=0, next=[{"to": 1, "count": outer - 1}, {"to": 6, "count": 1}], ops=after),
        dict(name="end", at=at(file, 60), count=1, ops=[]),
    ]
    loops = [dict(at=at(file, 19), header=1, entries=1, iterations=outer), dict(at=at(file, 37), header=2, parent=0, entries=outer, iterations=inner)]
    needs = lambda line, fa, fma, fmisc, lfl, sfl, entries, iterations, inner_most: {
        "function": "crash", "source_function": "crash", "at": at(file, line), "first_line": line, "last_line": line + 5, "innermost": inner_most,
        "entries": entries, "iterations": iterations, "flops": fa + 2 * fma + fmisc,
        "operations": {"fadd.f64": fa, "fma.f64": fma, "fmisc.f64": fmisc}, "references": [reference(False, lfl, "x"), reference(True, sfl, "y")]}
    outer_needs, inner_needs = needs(19, 7, 4, 9, 25, 17, 1, outer, False), needs(37, 8, 4, 12, 28, 20, outer, inner, True)
    inner_needs["parent"] = 0
    profile("figure-25", "ksr1", "crash", file, blocks, loops, [outer_needs, inner_needs])


def simple(name, isa, ops, needs, iterations, machine_iterations, entries=1):
    file = name + ".f"
    blocks = [
        dict(name="start", at=at(file, 1), count=entries, next=[{"to": 1, "count": entries}], ops=[]),
        dict(name=".L2", at=at(file, 2), count=machine_iterations, loop=0,
             next=[{"to": 1, "count": machine_iterations - entries}, {"to": 2, "count": entries}], ops=ops),
        dict(name="end", at=at(file, 9), count=entries, ops=[]),
    ]
    loops = [dict(at=at(file, 2), header=1, entries=entries, iterations=machine_iterations)]
    profile(name, isa, "work", file, blocks, loops, [] if needs is None else
            [{"function": "work", "source_function": "work", "at": at(file, 2), "first_line": 2, "last_line": 4, "entries": entries, "iterations": iterations, **needs}])


def main():
    figure_25()
    daxpy = {"flops": 2, "operations": {"fma.f64": 1}, "references": [reference(False, 1, "x"), reference(False, 1, "y"), reference(True, 1, "y")]}
    # 4 x (2 loads, fma, store) in 18 pairs: two pairs of latency between load and fma are not hidden.
    ops = pairs(18, n("FMA", 4) + n("COUNT", 2), n("LOAD", 8) + n("STORE", 4) + n("ADDRESS", 2), "BRANCH")
    simple("ksr1-daxpy", "ksr1", ops, {**daxpy, "overhead": {"count.i64": 2, "address.i64": 3}}, 4000, 1000)
    total = {"flops": 1, "operations": {"fadd.f64": 1}, "references": [reference(False, 1, "x")],
             "recurrences": [{"operations": {"fadd.f64": 1}, "distance": 1, "reassociable": True, "line": 3}]}
    simple("ksr1-sum", "ksr1", pairs(4, n("FADD", 1) + n("COUNT", 1), n("LOAD", 1) + n("ADDRESS", 1), "BRANCH"), total, 1000, 1000)
    simple("toy-daxpy", "", ["LOAD", "FMUL", "LOAD", "FADD", "STORE", "ADDRESS", "COUNT", "BRANCH"], daxpy, 100000, 100000)
    simple("binary", "", ["LOAD", "FMUL", "LOAD", "FADD", "STORE", "ADDRESS", "COUNT", "BRANCH"], None, 100000, 100000)


main()
