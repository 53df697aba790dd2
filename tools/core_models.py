#!/usr/bin/env python3
"""Writes the `core` part of the bundled machines from the measurements in data/measured.

  tools/core_models.py [NAME...]  # rewrites the cores in data/machines of emerald-rapids, neoverse-v1 and toy, or of NAME

The x87 forms of emerald-rapids were measured later, on a Sapphire Rapids, and stand in its file only: write the others
by name.
A rule names the microbenchmarks it rests on; their figures become its evidence. What rests on no measurement says
whether it is documented by the maker or assumed. Everything a rule does not say is left to LLVM's tables.
"""
import json
import os
import re
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")


class Evidence:
    def __init__(self, machine):
        path = f"{ROOT}/data/measured/{machine}.microbenchmarks.json"
        self.loops = {(l["kind"], l["name"]): l for l in json.load(open(path))["loops"]}

    def number(self, value, *names, how="measured", note=""):
        """A Measurement: what the engine uses, with what was measured beside it."""
        found = [self.loops[n] for n in names]
        m = {"value": value}
        if found:
            seen = ", ".join(f"{n[0]} {n[1]} {l['cycles']:g}" for n, l in zip(names, found))
            m["repetitions"] = found[0].get("rounds", 5)
            m["how"], m["note"] = "measured", (note + "; " if note else "") + seen
        else:
            m["how"] = how
            if note:
                m["note"] = note
        return m


def plain(value, how="measured", note=""):
    return {"value": value, "how": how, **({"note": note} if note else {})}


def ports(*needs):
    """"p0 p1" or ("p0 p1", occupancy) or ("p0 p1", occupancy, count)."""
    result = []
    for need in needs:
        need = (need,) if isinstance(need, str) else need
        result.append({"ports": need[0], **({"occupancy": need[1]} if len(need) > 1 and need[1] != 1 else {}),
                       **({"count": need[2]} if len(need) > 2 else {})})
    return result


def rule(e, pattern, latency=None, uses=None, lat=(), tp=(), text=None, match=None, **more):
    """One InstructionRule; `lat` and `tp` name the microbenchmarks behind latency and ports."""
    kind_of = lambda kind, names: [(kind, n) for n in ([names] if isinstance(names, str) else names)]
    throughput = "tp" if ("tp", "add rr") in e.loops else "thr"
    r = {"match": {**({"opcode": pattern} if pattern else {}), **({"text": text} if text else {}), **(match or {})}}
    if "kind" in more:
        r["kind"] = more.pop("kind")
    if latency is not None:
        r["latency"] = e.number(latency, *kind_of("lat", lat), how=more.get("how", "documented"))
    if tp:
        names = kind_of(throughput, tp)
        r["throughput"] = e.number(e.loops[names[0]]["cycles"], *names)
    if uses is not None:
        r["ports"] = ports(*uses)
    r.update(more)
    r.setdefault("how", "measured" if lat or tp else "documented")
    return r


# ------------------------------------------------------------------------------------------------- Emerald Rapids

def emerald_rapids():
    e = Evidence("emerald-rapids")
    R = lambda *a, **k: rule(e, *a, **k)
    alu, lea3, shift, fp, logic, shuffle = "p0 p1 p5 p6 p10", "p1 p5 p10", "p0 p6", "p0 p1", "p0 p1 p5", "p1 p5"
    wide = {"vector_bits_from": 512}
    instructions = [
        # Floating point. An addition is ready one cycle sooner for another addition.
        R("^VADD(P|S)[SD]Z|^VSUB(P|S)[SD]Z", 3.35, ["p0 p5"], "vaddpd z", "vaddpd z", match=wide),
        R("^V?(ADD|SUB|ADDSUB)[SP][SD]", 3, [shuffle], ["addsd", "addpd", "vaddpd y", "addsd->mulsd (pair)"], ["addsd", "vaddpd y"], kind="fp_add", match={"vector_bits_up_to": 256}),
        R("^V?MUL[SP][SD]", 4, ["p0 p5"], "vmulpd z", (), match=wide),
        R("^VFN?M(ADD|SUB)", 4, ["p0 p5"], "vfmadd231pd z acc", "fma z", match=wide),
        R("^V?MUL[SP][SD]", 4, [fp], ["mulsd", "vmulpd y"], ["mulsd", "vmulpd y"]),
        R("^VFN?M(ADD|SUB)", 4, [fp], ["fma231sd acc", "fma213sd mul"], ["fma sd", "fma y"]),
        R("^V?(MIN|MAX)C?[SP][SD]", 4, [fp], ["maxsd", "minpd"], "maxsd"),
        R("^V?CMP[SP][SD]", 4, [fp], "cmpltsd", ["cmpltsd", "vcmppd y"]),
        R("^V?U?COMIS[SD]", 2, ["p0"], (), "ucomisd"),
        R("^V?HADDP[SD]", 5, [("p5", 1, 2), shuffle], ["haddpd", "vhaddpd y"], "haddpd"),
        R("^V?DIVSD", 13, ["p0", ("div", 4)], ["divsd 1.0", "divsd odd operands (x=a/x)"], "divsd odd"),
        R("^V?DIVPD(r|Z128)", 13, ["p0", ("div", 4)], "vdivpd x odd", "vdivpd x odd"),
        R("^VDIVPDZr", 22, ["p0 p5", ("div", 16)], how="assumed"),
        R("^VDIVPD", 13, ["p0", ("div", 8)], "vdivpd y odd", "vdivpd y odd"),
        R("^V?DIVSS", 11, ["p0", ("div", 3)], "divss", "divss"),
        R("^V?DIVPS(r|Z128)", 11, ["p0", ("div", 3)], (), "divps x"),
        R("^VDIVPSZr", 17, ["p0 p5", ("div", 10)], how="assumed"),
        R("^VDIVPS", 11, ["p0", ("div", 5)], (), "vdivps y"),
        R("^V?SQRTSD", 18, ["p0", ("div", 6)], (), "sqrtsd odd", note="13 for operands that converge to 1"),
        R("^V?SQRTPD(r|m|Z128)", 18, ["p0", ("div", 6)], (), "sqrtpd x odd"),
        R("^VSQRTPDZr", 32, ["p0 p5", ("div", 24)], how="assumed"),
        R("^VSQRTPD", 18, ["p0", ("div", 12)], (), "vsqrtpd y odd"),
        R("^V?SQRTSS", 12, ["p0", ("div", 3)], "sqrtss"),
        R("^V?SQRTPS(r|m|Z128)", 12, ["p0", ("div", 3)], how="assumed"),
        R("^VSQRTPS", 12, ["p0", ("div", 6)], how="assumed"),
        R("^V?ROUND[SP][SD]|^VRNDSCALE", 8, [(fp, 1, 2)], "roundsd", "roundsd"),
        # Vector permutes and logic.
        R("^V?UNPCK[LH]P[DS]", 1, ["p5"], ["unpcklpd", "unpckhpd"], ["unpcklpd", "vunpcklpd y"]),
        R("^V?SHUFP[DS]", 1, [shuffle], "shufpd", ["shufpd", "vshufpd y"]),
        R("^V?PSHUF(D|B|LW|HW)", 1, [shuffle], ["pshufd", "pshufb"], ["pshufd", "vpshufd y", "vpshufb y"]),
        R("^V?PUNPCK[LH](BW|WD|DQ|QDQ)", 1, [shuffle], "punpckldq", "punpckldq"),
        R("^VPERMILP[DS]Y", 1, ["p5"], (), "vpermilpd y"),
        R("^V?MOVDDUP(Z128)?rm", uses=[], tp="movddup mem"),
        R("^VPERMILP[DS]|^V?MOV(HLPS|LHPS|DDUP|SHDUP|SLDUP)", 1, [shuffle], ["vpermilpd", "movhlps"]),
        R("^V?MOVHP[DS](r|Z128r)m", 1, ["p5"], (), "movhpd mem"),
        R("^VPERM(PD|Q)|^VPERM2|^VEXTRACT[FI](128|64X4|32X8|64X2|32X4)|^VINSERT[FI](128|64X4|32X8|64X2|32X4)", 3, ["p5"],
          ["vpermpd y", "vextractf128+", "vinsertf128", "vperm2f128"], ["vpermpd y", "vextractf128", "vinsertf128", "vperm2f128"], match={"load": False, "store": False}),
        R("^V?PMOV[SZ]X..(r|Z128r)", 1, [shuffle], "pmovsxdq", "pmovsxdq"),
        R("^VPMOV[SZ]X..(Y|Z256|Z)r", 3, ["p5"], "vpmovzxbd y", "vpmovzxbd y"),
        R("^V?P(AND|OR|XOR|ANDN)(Y|Z128|Z256|D|Q)?r|^V?(AND|OR|XOR|ANDN)P[SD](Y|Z128|Z256)?r", 1, [logic], ["andpd", "xorps", "pand"], ["andpd", "xorps nz", "pand", "vpand y"], match={"vector_bits_up_to": 256}),
        R("^V?(PADD|PSUB)[BWDQ](Y|Z128|Z256)?r", 1, [logic], ["paddd", "paddq", "vpaddd y"], ["paddd", "vpaddd y", "vpaddq y"], match={"vector_bits_up_to": 256}),
        R("^V?BLENDP[DS]", 1, [logic], "vblendpd", "vblendpd"),
        R("^VBLENDVP[DS]|^BLENDVP", 2, [(logic, 1, 3)], "blendvpd", "blendvpd v"),
        R("^V?MOVS[SD](Z)?rr", 1, [logic], "movsd rr", "movsd rr"),
        R("^V?PMULLD", 10, [(fp, 1, 2)], ["pmulld", "vpmulld y"], ["pmulld", "vpmulld y"]),
        R("^V?P(MULUDQ|MULDQ|MADDWD|MULLW|MULHW|MULHUW|MADDUBSW)", 5, [fp], ["pmuludq", "pmaddwd"], ["pmuludq", "pmaddwd", "vpmaddwd y"], match={"vector_bits_up_to": 256}),
        R("^V?PSADBW", 3, ["p5"], "psadbw", ["psadbw", "vpsadbw y"]),
        R("^V?MOV(Q|D|PQI2QI|64to|PQIto|DI2|PDI2|SDto64|SS2DI)[A-Za-z0-9]*rr|^V?MOV(64toPQI|PQIto64|DI2PDI|PDI2DI|64toSD|SDto64)", 2, None, ["movq x->r->x", "movd x->r->x"], ["movq r->x", "movq x->r"],
          match={"load": False, "store": False}, note="the two ways were measured together"),
        R("^V?MOVMSKP", 3, ["p0"], (), "movmskpd"),
        # Conversions.
        R("^V?CVTT?S[SD]2SI", 7, [fp, "p0"], "cvttsd2si;cvtsi2sd", "cvttsd2si"),
        R("^V?CVTSI(64)?2S[SD]", 5, [fp, "p5"], "cvttsd2si;cvtsi2sd", "cvtsi2sd"),
        R("^V?CVTSS2SD|^V?CVTSD2SS", 5, [fp, "p5"], "cvtss2sd;cvtsd2ss", ["cvtss2sd", "cvtsd2ss"]),
        R("^VCVTDQ2PDY", 7, [fp, "p5"], "vcvtdq2pd y", "vcvtdq2pd y"),
        R("^V?CVTDQ2PD", 5, [fp, "p5"], "cvtdq2pd", "cvtdq2pd"),
        # Integer.
        R("^DIV32|^DIV16", 12, [("p1", 6)], "div32", "div32"), R("^IDIV32|^IDIV16", 13, [("p1", 6)], "idiv32", "idiv32"),
        R("^I?DIV64", 15, [("p1", 10)], "div64", "div64"),
        R("^IMUL(32|64)r", 3, ["p1"], ["imul rr", "imul32 rri"], "imul"),
        R("^I?MUL(32|64)(r|m)", 3, ["p1", "p5"], "mul64 (rax)", "mul"),
        R("^(POPCNT|LZCNT|TZCNT|BSF|BSR)(32|64)r", 3, ["p1"], ["popcnt", "lzcnt", "tzcnt"], ["popcnt", "tzcnt", "bsf"]),
        R("^(SHL|SHR|SAR|ROL|ROR)(8|16|32|64)rCL", 1, [(shift, 1, 2)], "shl cl", "shl cl"),
        R("^(SHL|SHR|SAR|ROL|ROR)(8|16|32|64)r[i1]", 1, [shift], ["shl i", "sar i", "rol i"], ["shl i", "rol i"]),
        R("^(SHLX|SHRX|SARX|RORX)(32|64)r", 1, [shift], "shlx", "shlx"),
        R("^SHLD|^SHRD", 3, ["p1"], "shld"),
        R("^LEA", 2, [lea3], ["lea (r,r,8)", "lea 8(r,r,8)", "lea32 (r,r,4)"], "lea 8(r,r,8)", match={"scale_from": 2}),
        R("^LEA", 1, [alu], ["lea (r,r)", "lea 1(r,r)"], "lea (r,r)"),
        R("^CMOV(32|64)r", 1, [(shift, 1, 2)], ["cmovbe", "cmova chain"], "cmova", text="^cmovn?(a|be)[lq]? "),
        R("^CMOV(16|32|64)r", 1, [shift], ["cmove", "cmovl"], "cmove"),
        R("^SETCC", 1, [(shift, 1, 2)], (), "seta", text="^setn?(a|be) "),
        R("^SETCC", 1, [shift], "cmp+setb+movzx", "setb"),
        R("^BSWAP64", 2, [shift, "p1"], "bswap"), R("^BSWAP32", 1, ["p1"], (), "bswap32"),
        R("^(ADC|SBB)(8|16|32|64)r", 1, [shift], ["adc", "sbb rr"], "adc"),
        R("^ANDN(32|64)", 1, [lea3], "andn", "andn"),
        R("^BT[CSR]?(16|32|64)r", 1, ["p1"], "bt+", "bt"),
        R("^MOVSX64rm32", load_latency=e.number(6, ("lat", "load movslq")), how="measured"),
        R("^MOVSX64rr32", 1, [lea3], "movslq", "movslq"),
        R("^MOV[SZ]X(16|32|64)rr", 1, [alu], ["movzx b", "movzx w", "movsx b"], "movzbl"),
        R("^XCHG(32|64)r", 1, [(alu, 1, 3)], "movabs-none xchg"),
        R("^(ADD|SUB|AND|OR|XOR|CMP|TEST)(8|16|32|64)", 1, [alu], ["add rr", "xor rr", "and ri"], ["add rr", "xor rr nonzero", "cmp rr", "test rr"]),
        R(None, match={"load": True, "store": True, "floating": False}, slots=4, tp=["rmw add", "rmw add idx"]),
        R("^(NEG|NOT|INC|DEC)(8|16|32|64)", 1, [alu], ["neg", "not", "dec32"], ["neg", "not"]),
        R("^MOV(8|16|32|64)(rr|ri)", 1, [alu], "mov rr self", "mov ri"),
        R("^(PUSH|POP|CALL|RET|LEAVE)", address_latency=0, how="documented", note="the stack engine"),
        R("^JCC", 1, [shift], (), (), how="documented"), R("^JMP", 1, ["p6"], (), (), how="documented"),
        R("^(CALL|RET)", 1, ["p6"], (), (), how="documented"),
    ]
    instructions = [r for r in instructions if r]
    fp_load = {"floating": True}
    core = {
        "clock_ghz": plain(2.6, note="2.4 to 3.1 over the day, in steps of 0.1"), "llvm_cpu": "sapphirerapids",
        "front_end": {"uops_per_cycle": e.number(8, ("loop", "8 nop + dec;jnz"), ("loop", "16 nop + dec;jnz")),
                      "taken_branches_per_cycle": e.number(1, ("loop", "3 nop + dec;jnz")),
                      "rename_width": e.number(6, ("loop", "5 nop + dec;jnz"), ("loop", "35 nop + dec;jnz"))},
        "window": {"reorder_buffer": plain(512, note="step seen at 490 to 512"), "retire_width": plain(8, "documented"),
                   "load_queue": plain(192, note="step seen at 192 to 208"), "store_buffer": plain(112, "documented"),
                   "integer_registers": plain(245, note="step seen near 245"), "vector_registers": plain(300, "assumed")},
        "ports": [f"p{k}" for k in range(12)] + ["div"], "bind_ports_at_rename": True,
        "schedulers": [{"name": "compute", "ports": "p0 p1 p5 p6 p10", "entries": plain(97, note="step seen at 97")},
                       {"name": "load", "ports": "p2 p3 p11", "entries": plain(70, note="step seen near 70")},
                       {"name": "store", "ports": "p4 p7 p8 p9", "entries": plain(38, "documented")}],
        "llvm_ports": {name: " ".join(f"p{int(n)}" for n in name[7:].split("_")) for name in
                       ("SPRPort00 SPRPort00_01 SPRPort00_01_05 SPRPort00_01_05_06 SPRPort00_01_05_06_10 SPRPort00_05 SPRPort00_05_06 SPRPort00_06 "
                        "SPRPort01 SPRPort01_05 SPRPort01_05_10 SPRPort02 SPRPort02_03 SPRPort02_03_07_08_11 SPRPort02_03_11 SPRPort03 SPRPort04 "
                        "SPRPort04_09 SPRPort05 SPRPort06 SPRPort07 SPRPort07_08 SPRPort08 SPRPort09 SPRPort10 SPRPort11").split()},
        "instructions": instructions,
        "bypasses": [{"from": "fp_add", "to": "fp_add", "cycles": -1, "note": "lat addsd 2.006, addsd->mulsd 7.029"}],
        "rename": {
            "zero_idioms": [{"opcode": "^(XOR|SUB)(32|64)rr|^V?(PXOR|XORPS|XORPD|PSUB[BWDQ]|PANDN)(Y|Z128|Z256|Z|DZ|QZ)?r"}],
            "eliminated_moves": [{"opcode": "^MOV(64|32)rr|^V?MOV(APD|APS|UPD|UPS|DQA|DQU)(Y|Z128|Z256|Z|64Z|32Z)?rr"}],
            "folded": [{"match": {"opcode": "^(ADD|SUB)64ri|^(INC|DEC)64r$"}, "immediate_below": 1024},
                       {"match": {"opcode": "^LEA64r$", "indexed": False}, "immediate_below": 1024}],
            "fused": [{"first": {"opcode": "^(TEST|AND)(8|16|32|64)(rr|ri|rm|mr|i)", "store": False}, "second": {"opcode": "^JCC"}},
                      {"first": {"opcode": "^(CMP|ADD|SUB)(8|16|32|64)(rr|ri|rm|mr|i)", "store": False},
                       "second": {"opcode": "^JCC", "text": "^jn?(e|z|b|c|ae|a|be|l|g|le|ge)\\b"}},
                      {"first": {"opcode": "^(INC|DEC)(8|16|32|64)r"}, "second": {"opcode": "^JCC", "text": "^jn?(e|z|l|g|le|ge)\\b"}}],
            "extra_slots": [{"match": {"opcode": "^V", "load": True, "store": False, "indexed": True, "text": "\\),? ?%[xyz]mm\\d+, %"}, "slots": 1},
                            {"match": {"opcode": "^(CMP|TEST)\\d+(mi|rm|mr)", "indexed": True}, "slots": 1}],
            "false_dependences": [{"opcode": "^(SQRTS[SD]|CVTSI2S|CVTSI642S|CVTS[SD]2S[SD]|ROUNDS)"}],
            "micro_fusion": True},
        "memory": {
            "loads": [{"match": {"vector_bits_from": 512}, "latency": plain(7, "assumed"), "ports": ports("p2 p3")},
                      {"match": {"vector_bits_from": 256}, "latency": e.number(7, ("lat", "load vmovupd y + movq")), "ports": ports("p2 p3 p11")},
                      {"match": fp_load, "latency": e.number(6, ("lat", "load movsd + movq"), ("lat", "movupd x load + movq")), "ports": ports("p2 p3 p11")},
                      {"latency": e.number(5, ("lat", "load chase (r,r,8)"), ("lat", "load movzbl")), "ports": ports("p2 p3 p11")}],
            "stores": [{"match": {"vector_bits_from": 512}, "address_ports": ports("p7 p8"), "data_ports": ports(("p4 p9", 1, 2))},
                       {"address_ports": ports("p7 p8"), "data_ports": ports("p4 p9")}],
            "banks": [{"period_bytes": 64, "per_cycle": 2, "note": "tp load sd stride64 0.504"}],
            "forwarding": [
                {"load": {"floating": False, "indexed": False, "opcode": "^(?!(ADD|SUB|AND|OR|XOR)\\d+mr)"}, "store": {"floating": False, "indexed": False},
                 "same_address": True, "renamed": True, "latency": e.number(0, ("lat", "fwd+add 64->64"), ("lat", "O0 ld;add r;st"))},
                {"load": {"floating": False}, "store": {"floating": False}, "latency": e.number(5.7, ("lat", "rmw split ld/add/st 32 idx"), ("lat", "rmw addl r"))},
                {"load": {"floating": False}, "store": {"floating": True}, "latency": e.number(4, ("lat", "fwd fp sd->r64->"))},
                {"load": {"floating": True}, "store": {"floating": False}, "latency": e.number(6, ("lat", "fwd fp r64->sd"))},
                {"load": {"vector_bits_from": 256}, "latency": e.number(7.45, ("lat", "fwd fp ymm"))},
                {"latency": e.number(6.65, ("lat", "fwd fp sd"), ("lat", "fwd fp xmm"), ("lat", "O0 sd ld;add;st"))}],
            "failed_forwarding": e.number(19, ("lat", "fwd 2x32->64 (fail?)"), ("lat", "fwd fp 2sd->xmm")),
            "narrow_forwarding": e.number(16.8, ("lat", "fwd 32->64 (fail?)"), ("lat", "fwd+add 32->64 (fail?)")),
            "store_cycles": e.number(1, ("tp", "store 64 stride64")), "stores_per_line": 2,
            "crossing_load_cycles": e.number(1.06, ("tp", "load x split line")), "crossing_store_cycles": e.number(2, ("tp", "store x split line")),
            "line_bytes": 64},
        "branches": {"misprediction": plain(17, note="random branch fed by a load: 25 cycles in steady state"),
                     "learned_period": plain(6000, note="learned at 4000, a third missed at 8000"), "call_return": plain(3.9), "taken_ports": "p6"},
    }
    return core


# ------------------------------------------------------------------------------------------------- Neoverse V1

def neoverse_v1():
    e = Evidence("neoverse-v1")
    R = lambda *a, **k: rule(e, *a, **k)
    integer, flags, multi, vector, unit, dividers = "S0 S1 M0 M1", "S0 S1 M0", "M0 M1", "V0 V1 V2 V3", "V0 V2", "FD0 FD1 FD2 FD3"
    long_shift = "(lsr|asr|ror) #|lsl #([5-9]|[1-9][0-9])"
    fma = "^F(N?M(ADD|SUB)[SDH]rrr|ML[AS]v)"
    plain_index = "\\[[^#]*\\]$"
    instructions = [
        R("^FN?M(ADD|SUB)[SDH]rrr", 4, [vector], ["fmadd_acc", "fmadd_mul"], "fmadd", kind="fma", accumulator=-1),
        R("^FML[AS]v", 4, [vector], ["fmla_acc", "fmla_mul"], "fmla2d", kind="fma", accumulator=0),
        R("^(ML[AS]v)", 4, [unit], "vmla_acc", "vmla", kind="int_mla", accumulator=0),
        R("^[SU]ML[AS]L", 4, [unit], "smlal_acc", "smlal_acc_k8", kind="int_mlal", accumulator=0),
        R("^[SU]ADALP", 4, ["V1 V3"], "uadalp_acc", "uadalp_k8", kind="adalp", accumulator=0),
        R("^[SU]DOT", 3, [unit], "udot_acc", "udot_k8", kind="dot", accumulator=0),
        R("^M(ADD|SUB)[XW]rrr", 2, None, ["madd_acc", "madd_mul", "mulx"], "madd", kind="madd", accumulator=-1),
        R("^FDIVDrr", 13, [unit, (dividers, 10)], "fdiv_fadd_rand", "fdivd_rand"), R("^FDIVSrr", 9, [unit, (dividers, 3)], "fdiv_s_rand", "fdivs_rand"),
        R("^FDIVv2f64", 13, [unit, (dividers, 20)], (), "fdiv2d_rand"), R("^FDIVv4f32", 9, [unit, (dividers, 12)], (), "fdiv4s_rand"),
        R("^FDIVv2f32", 9, [unit, (dividers, 6)], how="assumed"),
        R("^FSQRTDr", 17, [unit, (dividers, 14)], "fsqrt_fadd_rand", "fsqrtd_rand"), R("^FSQRTSr", 9, [unit, (dividers, 3)], (), "fsqrts_rand"),
        R("^FSQRTv2f64", 17, [unit, (dividers, 28)], (), "fsqrt2d_rand"), R("^FSQRTv4f32", 10, [unit, (dividers, 14)], (), "fsqrt4s_rand"),
        R("^[US]DIVWr", 6, [("M0", 6)], "udivw", "udivw_rand"), R("^[US]DIVXr", 12, [("M0", 12)], (), "udivx_rand"),
        R("^FCSEL", 2, ["V0 V1"], "fcsel", "fcsel", kind="fcsel"), R("^FCMPE?[SD]", 3, ["V0"], ["fcmp_fcsel", "fcmp_csel"], "fcmp", kind="fcmp"),
        R("^EXTR", 2, None, "extr"), R("^(F|FMAX|FMIN|FMAXNM|FMINNM)(ADD)?Pv", 3, None, ["faddp", "fmaxnmp"], "faddp"),
        R("^(ADDV|[SU]ADDLV|[SU]MAXV|[SU]MINV)v", 3, None, ["addv", "uaddlv", "smaxv"], "addv"),
        R("^(FCVTZ[SU]|[SU]CVTF)v", 3, [unit], ["scvtf2d", "fcvtzs2d", "cvt_s_rt"], ["scvtf2d", "scvtf_v"]),
        R("^TBLv16i8One", 2, ["V0 V1"], "tbl", "tbl"), R("^(UMOV|SMOV)v", 2, ["V1"], "umov_rt", "umov"),
        R("^MOVIv2d", 0, [], (), "movi"),
        R("^LD2Twov2d", None, [("V0 V1 V2 V3", 1, 2)], load_ports=ports(("L0 L1 L2", 1, 3)), tp="ld2"),
        R("^LD4Fourv2d", None, [("V0 V1 V2 V3", 1, 8)], load_ports=ports(("L0 L1 L2", 1, 15)), tp="ld4"),
        R("^LDPX", load_ports=ports(("L0 L1 L2", 1, 3)), tp="ldpx"), R("^LDPSW", load_ports=ports(("L0 L1 L2", 1, 3)), how="assumed"),
        R("^LDP[DWS](i|pre|post)", load_ports=ports("L0 L1 L2"), tp="ldpd"), R("^LDN?PQ", load_ports=ports(("L0 L1 L2", 1, 2)), tp="ldpq"),
        R("^LD1Rv", 2.4, None, "ld1r_fmov", "ld1r"),
        R("^LDR[A-Z]*ro[XW]", uses=[], tp=["ldrq_ro", "ldr_lsl3"], text=plain_index), R("^STR[A-Z]*ro[XW]", uses=[], tp="strq_ro", text=plain_index),
        R("^STN?PQ", store_data_ports=ports(("V0 V1", 1, 2)), tp="stpq"), R("^ST(1|2)Two", store_address_ports=ports(("L0 L1", 1, 6)), tp="st2"),
        R("^(B|BL|BR|BLR|RET|Bcc|CBN?Z[WX]|TBN?Z[WX]|BRAA|RETAA)$", 1, ["B0 B1", integer], (), ["cbz_nt", "cmp_bcc_nt"],
          note="branches and integer operations together: four per cycle"),
        # Integer. A shift by more than four, to the right or of an extended register goes to the multi-cycle pipes; what
        # sets flags has three pipes.
        R("^(ADD|SUB)S?[WX]rx", 2, [multi], "add_uxtw"), R("^(ADD|SUB)S?[WX]rs", 2, [multi], "add_lsl7", "add_lsl7", text=long_shift),
        R("^(ADD|SUB)S[WX]r", 1, [flags], "adds_csel", ["cmp", "subs"]), R("^(AND|BIC)S[WX]rs", 2, [multi], text="(lsl|lsr|asr|ror) #"), R("^(AND|BIC)S[WX]r", 1, [flags], "and_tst"),
        R("^(ADD|SUB)[WX]r", 1, [integer], ["add", "addreg", "add_lsl2"], ["add", "add_lsl2"]),
        R("^(AND|ORR|EOR|BIC|ORN|EON)[WX]r", 1, [integer], ["eor", "eor_lsr"], "mov"), R("^MOV[ZNK][WX]i", 1, [integer], (), "movz"),
        R("^([SU]BFM[WX]ri|(LSL|LSR|ASR|ROR)V[WX]r)", 1, [integer], ["lsl", "lslv", "ubfx", "sxtw"], "ubfx"), R("^BFM[WX]ri", 2, [multi], "bfi", "bfi"),
        R("^(CLZ|CLS|RBIT|REV|REV16|REV32)[WX]r", 1, [integer], ["clz", "rbit"]), R("^CS(EL|INC|INV|NEG)[WX]r", 1, [integer], ["csel", "cinc"], "csel"),
        R("^(CCM[PN]|ADCS?|SBCS?)[WX]", 1, [integer]), R("^ADRP?$", 1, [integer]),
        R("^[SU]MULHrr", 3, [multi], ["umulh", "smulh"], "umulh"), R("^[SU]M(ADD|SUB)Lrrr", 2, None, "smull"),
        # Floating point.
        R("^F(ADD|SUB|ABD)([SD]rr|v|32|64)", 2, [vector], ["fadd", "fadd2d"], ["fadd", "fadd2d"]),
        R("^F(N?MUL|MULX)([SD]rr|v)", 3, [vector], ["fmul", "fmul2d", "fmulx_idx"], ["fmul", "fmul2d"]),
        R("^F(ABS|NEG)([SD]r|v)", 2, [vector], ["fneg", "fabs"], "fabs"), R("^F(MAX|MIN)(NM)?([SD]rr|v[248]f)", 2, [vector], "fmaxnm", "fmaxnm"),
        R("^FMOV[SD][ri]$", 2, [vector], (), "fmov"), R("^FMOV(DX|SW)(High)?r", 2, ["V1"], "fmov_rt", "fmov_xd"), R("^FMOV(XD|WS)r", 3, ["M0"], "fmov_rt", "fmov_dx"),
        R("^FCVT[ANMPZ][SU]U[WX][SD]r", 3, ["V0"], "cvt_rt", "fcvtzs"), R("^[SU]CVTFU[WX][SD]ri", 3, ["M0"], "cvt_rt", "scvtf"),
        R("^FCVT(SD|DS)r", 3, [unit], "fcvtsd"), R("^FRINT[AIMNPXZ]([SD]r|v)", 3, [unit], "frintm"), R("^FCVT[LN]v", 3, [unit], (), "fcvtl"),
        R("^FCCMPE?[SD]", 3, ["V0"], kind="fcmp"),
        # Vectors of integers, permutations.
        R("^(ADD|SUB)v", 2, [vector], "vadd", "vadd"), R("^(AND|ORR|EOR|BIC|ORN|NOT)v", 2, [vector], "vand", ["vand", "movv"]),
        R("^MULv", 4, [unit], "vmul", "vmul"), R("^(EXT|ZIP1|ZIP2|UZP1|UZP2|TRN1|TRN2|REV64|REV32|REV16)v", 2, [vector], ["vext", "zip1"], ["ext", "zip1"]),
        R("^(DUPv.*lane|DUPi)", 2, [vector], "dup", "dup"), R("^DUPv.*gpr", 3, ["M0"], (), "dup_gpr"), R("^INSv.*lane", 2, [vector], "ins", "ins_el"),
        R("^INSv.*gpr", 5, ["M0", vector], "ins_gen_umov", "ins_gen"),
        R("^(SSHLL|USHLL|SHLL|SHL|SSHR|USHR|SSHL|USHL|SHRN)v", 2, ["V1 V3"], ["sshll", "vshl", "vsshr"], ["vshl", "sshll"]), R("^XTNv", 2, None, "xtn"),
        R("^F?CM(GT|GE|EQ|HI|HS|LT|LE|TST)v", 2, [vector], ["cmgt", "fcmgt"], "cmgt"), R("^(BIF|BIT|BSL)v", 2, [vector], "bif"), R("^CNTv", 2, [vector], ["cnt", "cnt16"]),
        R("^(ADDP|[SU](MAX|MIN)P)v", 2, [vector]), R("^[SU]ADDLPv", 2, [vector], "uaddlp"), R("^[SU](ADD|SUB)[LW]v", 2, [vector], "saddw"), R("^([SU](MAX|MIN)|ABS|NEG)v", 2, [vector]),
        R("^(MOVI|MVNI|FMOV)v", 2, [vector]), R("^MOVI$|^MOVID$", 2, [vector]),
        # The updated address of a load or store is an addition of its own; vectors indexed by sixteen need one, too.
        R("^(LDR|STR|LDP|STP)[A-Z]*(pre|post)$", uses=[integer], tp="ldr_post", address_latency=1),
        R("^(LDR|STR)Qro", uses=[integer], tp=["ldrq_lsl4", "strq_lsl4"], text="#4\\]$"),
    ]
    words = lambda pairs: {f"V1Unit{k}": v for k, v in pairs.items()}
    core = {
        "clock_ghz": plain(2.6), "llvm_cpu": "neoverse-v1",
        "front_end": {"uops_per_cycle": e.number(15, ("loop", "loop12nops"), ("loop", "loop14nops"), note="counting what vanishes at rename"),
                      "taken_branches_per_cycle": e.number(1, ("loop", "loop0adds")), "rename_width": plain(8, note="7.9 seen")},
        "window": {"reorder_buffer": plain(256, "documented"), "store_buffer": plain(72, "assumed")},
        "ports": "S0 S1 M0 M1 B0 B1 D0 D1 L0 L1 L2 V0 V1 V2 V3 FD0 FD1 FD2 FD3".split(), "bind_ports_at_rename": False,
        "schedulers": [{"name": "integer", "ports": integer, "entries": plain(32, note="fitted on loops")},
                       {"name": "vector 0", "ports": "V0 V1", "entries": plain(16, note="fitted on dependent pairs")},
                       {"name": "vector 1", "ports": "V2 V3", "entries": plain(16, note="fitted on dependent pairs")},
                       {"name": "memory", "ports": "L0 L1 L2 D0 D1", "entries": plain(24, note="fitted on loops")}],
        "llvm_ports": words({"B": "B0 B1", "D": "D0 D1", "I": integer, "J": "S0 S1 M0", "S": "S0 S1", "M": "M0 M1", "M0": "M0", "M1": "M1",
                             "L": "L0 L1 L2", "L01": "L0 L1", "L2": "L2", "V": vector, "V0": "V0", "V1": "V1", "V2": "V2", "V3": "V3",
                             "V01": "V0 V1", "V02": "V0 V2", "V13": "V1 V3"}),
        "instructions": instructions,
        "bypasses": [
            {"from": "fma", "to": "fma", "accumulator_only": True, "cycles": -2, "ports": unit, "note": "lat fmadd_acc 2, thr fmla2d_k8 0.5"},
            {"from": "fcmp", "to": "fcsel", "cycles": -1, "note": "lat fcmp_fcsel 4, fcmp_csel 7"},
            {"from": "madd", "to": "madd", "accumulator_only": True, "cycles": -1, "note": "lat madd_acc 1"},
            {"from": "int_mla", "to": "int_mla", "accumulator_only": True, "cycles": -2.8, "note": "lat vmla_acc 1.2"},
            {"from": "int_mlal", "to": "int_mlal", "accumulator_only": True, "cycles": -2.6, "note": "lat smlal_acc 1.4"},
            {"from": "adalp", "to": "adalp", "accumulator_only": True, "cycles": -2.6, "note": "lat uadalp_acc 1.4"},
            {"from": "dot", "to": "dot", "accumulator_only": True, "cycles": -1.64, "note": "lat udot_acc 1.364"}],
        "rename": {"no_slot": [{"opcode": "^HINT$"}], "micro_fusion": False},
        "memory": {
            "loads": [{"match": {"floating": True}, "latency": e.number(6, ("lat", "ldrd_fmov"), ("lat", "ldrq_fmov")), "ports": ports("L0 L1 L2")},
                      {"latency": e.number(4, ("lat", "ldr"), ("lat", "ldr_lsl3")), "ports": ports("L0 L1 L2")}],
            "stores": [{"match": {"floating": True}, "address_ports": ports("L0 L1"), "data_ports": ports("V0 V1")},
                       {"address_ports": ports("L0 L1"), "data_ports": ports("D0 D1")}],
            "banks": [{"period_bytes": 256, "per_cycle": 1, "note": "thr ldrd_stride256 1"}, {"period_bytes": 64, "per_cycle": 2, "note": "thr ldrd_stride64 0.5"}],
            "forwarding": [{"load": {"floating": False}, "latency": e.number(4.25, ("lat", "stld_x"), ("lat", "stld_w_add"))},
                           {"latency": e.number(7.3, ("lat", "stld_d"), ("lat", "stld_q"), ("lat", "stld_d_fadd"))}],
            "failed_forwarding": e.number(7.9, ("lat", "st2ld1")),
            "store_cycles": e.number(1, ("thr", "strd_stride64")), "stores_per_line": 2, "line_bytes": 64},
        "branches": {"misprediction": plain(11, "llvm"), "learned_period": plain(8000, note="learned at 4000, missed at 14000"), "call_return": plain(1.68)},
    }
    return core


def toy():
    """Round numbers: two of everything, one cycle each, three for a load and a floating-point operation."""
    n = lambda v: plain(v, "assumed")
    return {
        "clock_ghz": n(1), "front_end": {"rename_width": n(2)}, "window": {"reorder_buffer": n(100)}, "ports": ["int", "fp", "load", "store", "branch"],
        "instructions": [{"match": {"opcode": "DIV"}, "latency": n(10), "ports": ports(("int", 10)), "how": "assumed"},
                         {"match": {"branch": True}, "latency": n(1), "ports": ports("branch"), "how": "assumed"},
                         {"match": {"floating": True}, "latency": n(3), "ports": ports("fp"), "how": "assumed"},
                         {"match": {}, "latency": n(1), "ports": ports("int"), "how": "assumed"}],
        "memory": {"loads": [{"latency": n(3), "ports": ports("load")}], "stores": [{"address_ports": ports("store"), "data_ports": []}],
                   "forwarding": [{"latency": n(4)}], "store_cycles": n(1)},
        "branches": {"misprediction": n(10)},
    }


def lines_of(core):
    """One line per entry, and per element of a list: readable, and a change shows as a line."""
    lines = []
    for key, value in core.items():
        if isinstance(value, list) and value and isinstance(value[0], dict):
            value = "[\n   " + ",\n   ".join(json.dumps(v) for v in value) + "\n  ]"
        elif isinstance(value, dict) and any(isinstance(v, list) for v in value.values()):
            value = "{\n   " + ",\n   ".join(f"{json.dumps(k)}: {json.dumps(v)}" for k, v in value.items()) + "\n  }"
        else:
            value = json.dumps(value)
        lines.append(f"  {json.dumps(key)}: {value}")
    return ' "core": {\n' + ",\n".join(lines) + "\n }"


def write(name, core, **otherwise):
    """Puts the core into the machine file, in its place, or begins one; other parts keep their text."""
    path = f"{ROOT}/data/machines/{name}.machine.json"
    if os.path.exists(path):
        text = open(path).read()
    else:
        head = {"format": "perfcast.machine", "version": 1, "name": name, **otherwise}
        text = "{\n" + ",\n".join(f" {json.dumps(k)}: {json.dumps(v)}" for k, v in head.items()) + "\n}\n"
    found = re.search(r'\n "core": \{\n.*?\n \}(?=[,\n])', text, flags=re.S)
    if found:
        text = text[:found.start()] + "\n" + lines_of(core) + text[found.end():]
    else:
        text = text.rstrip()[:-1].rstrip() + ",\n" + lines_of(core) + "\n}\n"
    with open(path, "w") as file:
        file.write(text)
    json.load(open(path))


if __name__ == "__main__":
    wanted = sys.argv[1:] or ["emerald-rapids", "neoverse-v1", "toy"]
    if "emerald-rapids" in wanted:
        write("emerald-rapids", emerald_rapids(), isa="x86_64",
              description="Intel Emerald Rapids (Raptor Cove), one quiet core of a virtual machine; the core by microbenchmarks without counters")
    if "neoverse-v1" in wanted:
        write("neoverse-v1", neoverse_v1(), isa="aarch64",
              description="Arm Neoverse V1 at 2.6 GHz, a virtual machine without SVE; the core by microbenchmarks without counters")
    if "toy" in wanted:
        write("toy", toy())
