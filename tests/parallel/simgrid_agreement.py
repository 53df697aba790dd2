#!/usr/bin/env python3
"""The closed forms of templates, and recorded messages played by the path's laws, against SimGrid on hosts with the same latency
and bandwidth: they must agree where nobody shares a link. usage: simgrid_agreement.py PERFCAST [RANKS...]"""
import json, os, pathlib, subprocess, sys, tempfile, time

perfcast = os.path.abspath(sys.argv[1])
ranks = [int(a) for a in sys.argv[2:]] or [2, 16, 256]
profile = pathlib.Path(__file__).parent.parent / "golden/predict/template/tiny.profile.json"
if not os.path.exists(os.path.join(os.path.dirname(perfcast), "perfcast-simgrid")):
    print("perfcast was built without SimGrid")
    sys.exit(0)
# The distance the two may be apart: in a tree of messages some wait for others of the same root, which the closed forms leave out.
cases = [("halo", {"N": 1000, "steps": 20}, 0.05), ("butterfly", {"N": 65536}, 0.05), ("pipeline", {"N": 1000}, 0.1),
         ("multiphase", {"phases": 20}, 0.3), ("reduction", {}, 0.3), ("all-to-all", {"N": 4096, "steps": 5}, 0.5)]
failed = 0
for name, parameters, within in cases:
    for p in ranks:
        if name == "all-to-all" and p > 64:
            continue
        seconds = []
        started = time.time()
        for network in ([], ["--network", "simgrid", "--platform", "measured"]):
            words = [f"--set={k}={v}" for k, v in parameters.items()]
            done = subprocess.run([perfcast, "predict", str(profile), "--machine", "toy", "--template", name, "--ranks", str(p), *words, *network, "--format", "json"],
                                  capture_output=True, text=True, timeout=300 * int(os.environ.get("PERFCAST_TEST_PATIENCE", "1")))
            if done.returncode:
                print(name, p, done.stderr)
                sys.exit(1)
            seconds.append(json.loads(done.stdout)["predictions"][0]["seconds"])
        apart = seconds[1] / seconds[0] - 1
        ok = abs(apart) <= within
        failed += not ok
        print(f"{name:12} {p:5} ranks: closed form {1e3 * seconds[0]:9.4f} ms, SimGrid {1e3 * seconds[1]:9.4f} ms, {100 * apart:+6.1f} %  ({time.time() - started:.1f} s) {'' if ok else 'TOO FAR'}")


def recorded(programs, weights=None):
    """A profile as the recorder would make it: computation is what the recorded run took."""
    ranks = sum(len(p["ranks"]) for p in programs)
    totals = [{"compute": w, "inside": 0, "elapsed": 1} for w in (weights or [1e-3] * ranks)]
    run = {"ranks": ranks, "counted_rank": 0, "groups": [list(range(ranks))], "programs": programs, "totals": totals}
    return {"format": "perfcast.profile", "version": 1, "program": "played", "run": {}, "messages": {"runs": [run]}}


# What a receiver has room for is not what it gets, a small message may be sent synchronously, tags may be any or many, a
# Sendrecv may use two, requests to nobody count among those started; ranks of one program may compute unlike long.
work = {"do": "compute", "seconds": 1e-3}
cases = {
    "room for more": [{"ranks": [0], "steps": [work, {"do": "send", "to": "=1", "bytes": 800}]},
                      {"ranks": [1], "steps": [work, {"do": "ireceive", "from": "=0", "bytes": 800000}, {"do": "wait", "requests": [0]}]}],
    "synchronous": [{"ranks": [0], "steps": [work, {"do": "ssend", "to": "=1", "bytes": 8}]},
                    {"ranks": [1], "steps": [work, {"do": "receive", "from": "=0", "bytes": 8}]}],
    "any tag": [{"ranks": [0], "steps": [work, {"do": "send", "to": "=1", "bytes": 8, "tag": 20000}]},
                {"ranks": [1], "steps": [work, {"do": "receive", "from": "=0", "bytes": 8, "tag": -1}]}],
    "two tags": [{"ranks": [0], "steps": [work, {"do": "exchange", "to": "+1", "from": "+1", "bytes": 8, "tag": 1, "from_tag": 2}]},
                 {"ranks": [1], "steps": [work, {"do": "exchange", "to": "+1", "from": "+1", "bytes": 8, "tag": 2, "from_tag": 1}]}],
    "nobody": [{"ranks": [0], "steps": [work, {"do": "ireceive", "from": "=1", "bytes": 8}, {"do": "isend", "bytes": 8}, {"do": "wait", "requests": [1, 0]}]},
               {"ranks": [1], "steps": [work, work, {"do": "send", "to": "=0", "bytes": 8}]}],
    "many receives": [{"ranks": [0], "steps": [work, {"do": "loop", "times": 50, "body": [{"do": "send", "to": "=1", "bytes": 8}]}]},
                      {"ranks": [1], "steps": [{"do": "loop", "times": 50, "body": [{"do": "ireceive", "from": "=0", "bytes": 8}]}, work, work,
                                               {"do": "wait", "requests": list(range(50))}]}],
    "one receive from anybody": [{"ranks": [0], "steps": [work, {"do": "receive", "from": "=2", "bytes": 8, "tag": 5}, work,
                                                          {"do": "receive", "from": "any", "bytes": 8, "tag": 6}]},
                                 {"ranks": [1], "steps": [{"do": "send", "to": "=0", "bytes": 8, "tag": 6}]},
                                 {"ranks": [2], "steps": [work, work, work, {"do": "send", "to": "=0", "bytes": 8, "tag": 5}]}],
    "unlike buffers": [{"ranks": [0], "steps": [work, {"do": "gather", "to": "=0", "bytes": 8}, {"do": "barrier"}]},
                       {"ranks": [1], "steps": [work, {"do": "gather", "to": "=0", "bytes": 800000}, {"do": "barrier"}]}],
    "small and large": [{"ranks": [0], "steps": [work, {"do": "loop", "times": 500, "body": [{"do": "send", "to": "=1", "bytes": 8}, {"do": "receive", "from": "=1", "bytes": 8}]},
                                                 {"do": "send", "to": "=1", "bytes": 20000000}]},
                        {"ranks": [1], "steps": [work, {"do": "loop", "times": 500, "body": [{"do": "receive", "from": "=0", "bytes": 8}, {"do": "send", "to": "=0", "bytes": 8}]},
                                                 {"do": "receive", "from": "=0", "bytes": 20000000}]}],
    "unlike": [{"ranks": [0, 1], "steps": [{"do": "barrier", "seconds": 2e-3}]}],
}
with tempfile.TemporaryDirectory() as folder:
    for name, programs in cases.items():
        file = os.path.join(folder, "played.profile.json")
        with open(file, "w") as out:
            json.dump(recorded(programs, [1e-3, 3e-3] if name == "unlike" else None), out)
        answers = []
        for network in ([], ["--network", "simgrid"]):
            done = subprocess.run([perfcast, "predict", file, "--machine", "toy", *network, "--format", "json"], capture_output=True, text=True, timeout=300)
            if done.returncode:
                print(name, done.stderr)
                sys.exit(1)
            answers.append(json.loads(done.stdout)["predictions"][0])
        apart = answers[1]["seconds"] / answers[0]["seconds"] - 1
        counts = [next(p["count"] for p in a["parts"] if "count" in p) for a in answers]
        ok = abs(apart) <= 0.01 and counts[0] == counts[1] and answers[0]["seconds"] >= (3e-3 if name == "unlike" else 1e-3)
        failed += not ok
        print(f"{name:14}: by the path {1e3 * answers[0]['seconds']:9.4f} ms, SimGrid {1e3 * answers[1]['seconds']:9.4f} ms, {counts[0]:g} and {counts[1]:g} messages {'' if ok else 'TOO FAR'}")
    # Collectives are played the way the closed form takes them to be, of little and of much data.
    for act in ("broadcast", "reduce", "allreduce", "allgather", "gather", "scatter", "alltoall", "reduce_scatter", "barrier"):
        for bytes, p in ((8, 64), (1000000, 64), (1000, 13)):
            with open(file, "w") as out:
                json.dump(recorded([{"ranks": list(range(p)), "steps": [{"do": act, "to": "=0", "bytes": bytes}]}], [0] * p), out)
            seconds = []
            for network in ([], ["--network", "simgrid"]):
                done = subprocess.run([perfcast, "predict", file, "--machine", "toy", *network, "--format", "json"], capture_output=True, text=True, timeout=300)
                seconds.append(json.loads(done.stdout)["predictions"][0]["seconds"] if done.returncode == 0 else 0)
            apart = seconds[1] / seconds[0] - 1 if seconds[0] else -1
            if abs(apart) > 0.3:
                failed += 1
            print(f"{act:14} {bytes:8} bytes, {p} ranks: by the path {1e6 * seconds[0]:9.3f} us, SimGrid {1e6 * seconds[1]:9.3f} us {'' if abs(apart) <= 0.3 else 'TOO FAR'}")
    # Hosts are taken by the numbers in their names: on a chain of twelve nobody shares the link to the next.
    platform = os.path.join(folder, "chain.xml")
    with open(platform, "w") as out:
        print("<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM 'https://simgrid.org/simgrid.dtd'>\n<platform version='4.1'><zone id='w' routing='Floyd'>", file=out)
        print(*[f"<host id='h{i}' speed='1Gf'/>" for i in range(12)], *[f"<link id='l{i}' bandwidth='100MBps' latency='10us'/>" for i in range(11)], file=out)
        print(*[f"<route src='h{i}' dst='h{i + 1}'><link_ctn id='l{i}'/></route>" for i in range(11)], "</zone></platform>", file=out)
    step = {"do": "send", "to": "+1", "bytes": 1000000}
    with open(file, "w") as out:
        json.dump(recorded([{"ranks": list(range(0, 12, 2)), "steps": [step]}, {"ranks": list(range(1, 12, 2)), "steps": [{"do": "receive", "from": "-1", "bytes": 1000000}]}]), out)
    done = subprocess.run([perfcast, "predict", file, "--machine", "toy", "--network", "simgrid", "--platform", platform, "--format", "json"], capture_output=True, text=True, timeout=300)
    seconds = json.loads(done.stdout)["predictions"][0]["seconds"] if done.returncode == 0 else 0
    if not 0.0100 < seconds < 0.0101:
        print("a chain of hosts:", seconds, "instead of 10 ms", done.stderr)
        failed += 1
    # Ranks that wait for each other for ever are an answer to neither.
    with open(file, "w") as out:
        json.dump(recorded([{"ranks": [0, 1], "steps": [{"do": "receive", "from": "+1", "bytes": 8}]}]), out)
    for network in ([], ["--network", "simgrid"]):
        done = subprocess.run([perfcast, "predict", file, "--machine", "toy", *network], capture_output=True, text=True, timeout=300)
        if done.returncode != 3 or "for ever" not in done.stderr:
            print("waiting for ever:", network, done.returncode, done.stdout, done.stderr)
            failed += 1
sys.exit(bool(failed))
