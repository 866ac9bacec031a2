"""The planner of toy_planner.c in Python: the same decisions, the same flaw, the same recording.

    STOWAGE_RECORD=toy.trace python3 toy_planner.py [BUFFERS.csv]          id,lower,upper,size; upper is exclusive
"""
import os
import re
import sys

here = os.path.dirname(os.path.abspath(__file__))
for folder in ("..", "../../../stowage"):  # in the sources, and where it is installed
    sys.path.append(os.path.join(here, folder))
import stowage_record  # noqa: E402

MOST = (1 << 63) - 1
BUILT_IN = [("image", 0, 2, 3072), ("conv1", 1, 3, 8192), ("conv2", 2, 4, 6144), ("skip", 1, 7, 2048), ("conv3", 3, 5, 2560),
            ("conv4", 4, 6, 5120), ("sum", 6, 8, 2048), ("pool", 7, 9, 1024), ("dense", 8, 10, 768), ("scores", 9, 11, 40)]


class Buffer:
    def __init__(self, id, lower, upper, size):
        self.id, self.lower, self.upper, self.size, self.offset = id, lower, upper, size, None


def find_gaps(placed, b):
    """The gaps between the blocks that are needed at the same time, and the open one above them."""
    near = sorted((p for p in placed if p.lower < b.upper and b.lower < p.upper), key=lambda p: p.offset)
    gaps, end = [], 0
    for i, block in enumerate(near):
        if i > 0 and block.offset > end:  # the flaw: below near[0] there may be a gap as well
            gaps.append((end, block.offset - end))
        end = max(end, block.offset + block.size)
    return gaps + [(end, MOST - end)]


def try_gap(r, b, start, size):
    """(where it would lie, whether it fits): at the low end, or above what the debugger forbids there, which is all that
    the recorder tells: steps that double leave it behind, halves find where it ends."""
    def forbidden(at):
        return r.forbidden(b.id, at, at + b.size)

    at = below = start
    left, more, fits = size - b.size, 1, size >= b.size
    while fits and forbidden(at):
        fits = left > 0
        more = min(more, left)
        left, below, at, more = left - more, at, at + more, more * 2
    while fits and at - below > 1:
        middle = (below + at) // 2
        if forbidden(middle):
            below = middle
        else:
            at = middle
    return at, fits


def place(r, b, gaps):
    tried = [try_gap(r, b, *gap) for gap in gaps]
    fitting = [i for i, (_, fits) in enumerate(tried) if fits]
    best = min(fitting, key=lambda i: gaps[i][1]) if fitting else None
    for i, ((at, fits), (_, size)) in enumerate(zip(tried, gaps)):
        r.candidate(at, size if i + 1 < len(gaps) else None, "chosen" if i == best else "fits" if fits else "refused",
                    "" if fits else "too small" if size < b.size else "forbidden")
    demanded = r.demand(b.id)
    if demanded and demanded[1] <= MOST // 2:
        b.offset = demanded[1]
        r.decision("place", b.id, b.offset, "demanded")
    elif best is None:
        r.decision("give up", b.id, None, "no gap is allowed")
        return False
    else:
        b.offset = tried[best][0]
        reason = ("smallest gap that fits" if best + 1 < len(gaps) else
                  "no gap fits, so it goes above them" if gaps[best][0] else "nothing is in its way")
        r.decision("place", b.id, b.offset, reason, gaps=len(gaps))
    return True


def plan(r, buffers):
    for b in buffers:
        r.buffer(b.id, b.size, b.lower, b.upper - 1, 1)
    placed, peak, ok = [], 0, True
    for b in sorted(buffers, key=lambda b: (-b.size, b.lower)):
        ok = place(r, b, find_gaps(placed, b))
        if ok:
            placed.append(b)
            peak = max(peak, b.offset + b.size)
        r.state("arena", ["blocks", "peak"], [[len(placed), peak]])
        if not ok:
            break
    r.end(None if ok else "a buffer has no place")
    for b in buffers if ok else []:
        print(b.id, b.offset)
    print("peak %d" % peak if ok else "no plan")
    return ok


def load(path):
    with open(path, encoding="utf-8", errors="surrogateescape", newline="\n") as file:
        lines = file.read().split("\n")
    buffers, total = [], 0
    for number, line in enumerate(lines, 1):
        found = re.fullmatch(r"([^,]{1,63}),(\d+),(\d+),(\d+)", line, re.ASCII)
        if number == 1 and line == "id,lower,upper,size" or number == len(lines) > 1 and not line and buffers:
            continue
        lower, upper, size = map(int, found.groups()[1:]) if found and number > 1 else (1, 0, 0)
        total += size
        if lower >= upper or upper > MOST or total > MOST // 4:
            sys.exit("%s:%d: not a line of id,lower,upper,size" % (path, number))
        buffers.append(Buffer(found.group(1), lower, upper, size))
    return buffers


def main():
    buffers = load(sys.argv[1]) if len(sys.argv) > 1 else [Buffer(*b) for b in BUILT_IN]
    with stowage_record.open(planner="toy") as r:
        ok = plan(r, buffers)
    return not ok


if __name__ == "__main__":
    sys.exit(main())
