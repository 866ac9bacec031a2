"""Are files what "Trace Event Format" (the JSON object format) demands of them? A line for each fault.

python3 trace_events.py FILE SUMMARY.json [FILE SUMMARY.json]...
Of the summary, `stowage plan --format json` of the same run, the placements, the decisions and the peak must be there, to the byte; of a
moment its figures, and its blocks must add up to them. "-": none.
"""
import gzip
import json
import sys

NAMED = {"process_name": ("name", str), "thread_name": ("name", str), "process_sort_index": ("sort_index", int), "thread_sort_index": ("sort_index", int)}


def number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def once(items):
    if len({key for key, _ in items}) != len(items):
        raise ValueError("a key stands twice: %s" % [key for key, _ in items])
    return dict(items)


def check(path, summary):
    faults, counts, named, tracks, counters = [], {}, {}, {}, {}
    opened = gzip.open if path.endswith(".gz") else open
    whole = json.load(opened(path, "rt", encoding="utf-8"), object_pairs_hook=once)
    if not isinstance(whole, dict) or not isinstance(whole.get("traceEvents"), list):
        return ["no object with a list traceEvents"], counts
    if whole.get("displayTimeUnit", "ms") not in ("ms", "ns"):
        faults.append("displayTimeUnit is ms or ns")
    for at, event in enumerate(whole["traceEvents"]):
        def fault(what):
            faults.append("event %d, %s: %s" % (at, json.dumps(event)[:200], what))

        phase = event.get("ph")
        counts[phase] = counts.get(phase, 0) + 1
        if phase not in ("M", "X", "C", "i"):
            fault("phase")
            continue
        if not isinstance(event.get("name"), str) or not isinstance(event.get("args"), dict):
            fault("name and args")
        if not all(isinstance(event.get(key), int) for key in ("pid", "tid")):
            fault("pid and tid")
        track = event["pid"], event["tid"]
        if phase == "M":
            key, kind = NAMED.get(event["name"], (None, None))
            if key is None or not isinstance(event["args"].get(key), kind):
                fault("metadata")
            elif (event["name"], track) in named:
                fault("named twice")
            named[event["name"], track] = event["args"].get(key)
            continue
        if not number(event.get("ts")) or event["ts"] < 0 or not isinstance(event.get("cat"), str):
            fault("ts and cat")
        if ("process_name", (event["pid"], 0)) not in named:
            fault("a process without a name before it")
        if phase == "X":
            if not number(event.get("dur")) or event["dur"] < 0:
                fault("dur")
            tracks.setdefault(track, []).append((round(event["ts"] * 1000), -round(event["dur"] * 1000), at))
        if phase in ("X", "i") and ("thread_name", track) not in named:
            fault("a thread without a name before it")
        if phase == "i" and event.get("s") not in ("g", "p", "t"):
            fault("scope")
        if phase == "C":
            if not event["args"] or not all(number(value) for value in event["args"].values()):
                fault("a counter has numbers")
            values = counters.setdefault((event["pid"], event["name"]), [])
            if values and values[-1][0] > event["ts"]:
                fault("counters go forward")
            values.append((event["ts"], event["args"].get("bytes")))

    threads = {}
    for (process, thread) in tracks:
        if threads.setdefault(thread, process) != process:
            faults.append("thread %d is of two processes" % thread)
    for track, events in tracks.items():  # events of a thread nest
        stack = []
        for begin, minus, at in sorted(events):
            end = begin - minus
            while stack and stack[-1] <= begin:
                stack.pop()
            if stack and end > stack[-1]:
                faults.append("event %d ends behind the one it stands in" % at)
            stack.append(end)

    plan = json.load(open(summary, encoding="utf-8")) if summary != "-" else None
    moment = plan and plan.get("moment")
    if moment:
        blocks = [e["args"] for e in whole["traceEvents"] if "state" in e.get("args", {})]
        shown = sorted((b["size"], b["count"], b["state"]) for b in blocks)
        told = sum([segment["blocks"] for segment in moment["segments"]], []) + moment["blocks"]
        if shown != sorted((b["size"], b.get("count", 1), {"untold": "not told"}.get(b["state"], b["state"].replace("_", " "))) for b in told):
            faults.append("blocks: %s" % shown[:20])
        for (_, name), values in counters.items():
            if values != [(0, moment[name[: -len(" bytes")].replace(" ", "_")])]:
                faults.append("%s: %s" % (name, values))
    elif plan:
        buffers = [e for e in whole["traceEvents"] if e.get("cat") == "buffers"]
        told = sorted((e["name"], e["args"]["tier"], e["args"]["offset"], e["args"]["size"]) for e in buffers if e["args"]["offset"] is not None)
        wanted = sorted((p["buffer"], p["tier"], p["offset"], p["size"]) for p in plan["placements"])
        if told != wanted:
            faults.append("placements: %s" % sorted(set(told) ^ set(wanted))[:5])
        decisions = [e["args"]["step"] for e in whole["traceEvents"] if e.get("cat") == "planner" and e["ph"] == "X"]
        if decisions != list(range(1, plan["decisions"] + 1)):
            faults.append("decisions: %d, not %d" % (len(decisions), plan["decisions"]))
        live = counters.get((1, "live bytes"), [(0, 0)])
        if max(value for _, value in live) != plan["lower_bound"] and plan["lower_bound"] != whole["otherData"]["lower_bound"]:
            faults.append("most live: %d, not %d" % (max(value for _, value in live), plan["lower_bound"]))
        if live[-1][1] != 0:
            faults.append("something is alive at the end")
        reserved = [value for (_, name), values in counters.items() if name == "reserved bytes" for _, value in values]
        if plan["peak"] is not None and reserved and max(reserved) != plan["peak"]:
            faults.append("reserved: %d, not %d" % (max(reserved), plan["peak"]))
        if len(plan["tiers"]) > 1:
            of = {name[len("reserved bytes of "):]: max(v for _, v in values) for (_, name), values in counters.items() if name.startswith("reserved bytes of ")}
            if of != {tier["name"]: tier["peak"] for tier in plan["tiers"] if tier["peak"]}:
                faults.append("reserved of tiers: %s" % of)
    return faults, counts


wrong = 0
for path, summary in zip(sys.argv[1::2], sys.argv[2::2]):
    faults, counts = check(path, summary)
    wrong += len(faults)
    print("%s: %s" % (path, " ".join("%s %d" % item for item in sorted(counts.items()))))
    print("".join("  " + fault + "\n" for fault in faults), end="")
sys.exit(wrong > 0)
