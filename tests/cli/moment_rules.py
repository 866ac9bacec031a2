"""Requests that go on from a moment: random heaps, and the rules of their allocators once more, on plain lists."""
import json, random, subprocess, sys

STOWAGE, FOLDER, COUNT = sys.argv[1], sys.argv[2], int(sys.argv[3])
MIB = 1 << 20
READER = """
stowage.reader {
  name = "plain-moment", summary = "a moment for tests", extensions = ".moment", has = {"plain moment"}, gives = "moment",
  read = function(input, moment)
    for line in input:lines() do
      local word, a, b, c, d = line:match("^(%S+) ?(%S*) ?(%S*) ?(%S*) ?(%S*)")
      local n, m = math.tointeger(tonumber(a)), math.tointeger(tonumber(b))
      if word == "S" then moment:segment { address = n, size = m, pool = c ~= "-" and c or nil, stream = d }
      elseif word == "B" then moment:block { address = n, size = m, state = c }
      elseif word == "L" then moment:tell { figure = "limit", bytes = n }
      elseif word == "F" then moment:failed { size = n }
      elseif word == "P" then moment:about { what = "a test", planner = a, settings = b } end
    end
  end,
}
"""


def up(n, a):
    return (n + a - 1) // a * a


class Heap:
    """Segments are [address, size, pool, stream, shown]; blocks [address, size, free, segment]."""

    def __init__(self, kind, limit):
        self.kind, self.limit, self.segments, self.blocks, self.of = kind, limit, [], [], {}

    def reserved(self):
        return sum(s[1] for s in self.segments)

    def rounded(self, size):
        return max(512, up(size, 512)) if self.kind == "cuda-caching" else up(size, 256)

    def room(self, wanted, pool, stream):
        fits = [b for b in self.blocks if b[2] and b[1] >= wanted and (pool is None or b[3][2:4] == [pool, stream])]
        return min(fits, key=lambda b: (b[1], b[0]), default=None)

    def segment_for(self, wanted):
        if self.kind == "bfc-arena":
            if wanted > self.limit - self.reserved():
                return None
            self.cur = max(getattr(self, "cur", MIB), *[min(2 * s[1], 1 << 30) for s in self.segments]) if not hasattr(self, "cur") else self.cur
            raised = False
            while wanted > self.cur:
                self.cur, raised = 2 * self.cur, True
            size = min(self.cur, (self.limit - self.reserved()) // 256 * 256)
            if not raised:
                self.cur = min(2 * self.cur, 1 << 30)
            return size
        size = 2 * MIB if wanted <= MIB else 20 * MIB if wanted < 10 * MIB else up(wanted, 2 * MIB)
        for give_back in (False, True):
            if give_back:  # segments that are wholly free
                for s in [s for s in self.segments if all(b[2] for b in self.blocks if b[3] is s)]:
                    self.segments.remove(s)
                    self.blocks = [b for b in self.blocks if b[3] is not s]
            if self.reserved() + size <= self.limit:
                return size
        return None

    def alloc(self, name, size, stream):
        wanted, pool = self.rounded(size), None
        if self.kind == "cuda-caching":
            pool = "small" if wanted <= MIB else "large"
        block = self.room(wanted, pool, stream)
        if not block:
            got = self.segment_for(wanted)
            if got is None:
                return None
            segment = [1 << 50, got, pool, stream, False]
            segment[0] += sum(s[1] for s in self.segments) + len(self.of) * (1 << 40)
            self.segments.append(segment)
            block = [segment[0], got, True, segment]
            self.blocks.append(block)
        rest = block[1] - wanted
        if self.kind == "bfc-arena":
            cut = rest >= wanted or rest >= 128 * MIB
        else:
            cut = rest >= 512 if pool == "small" else rest > MIB
        if cut:
            self.blocks.append([block[0] + wanted, rest, True, block[3]])
            block[1] = wanted
        block[2] = False
        self.of[name] = block
        return block[0] if block[3][4] else 0, block[1]

    def free(self, name):
        block = self.of.pop(name, None)
        if not block:
            return
        block[2] = True
        for other in [b for b in self.blocks if b[3] is block[3] and b[2] and b is not block]:
            if other[0] + other[1] == block[0] or block[0] + block[1] == other[0]:
                block[0], block[1] = min(block[0], other[0]), block[1] + other[1]
                self.blocks = [b for b in self.blocks if b is not other]


def random_heap(kind, rng, lines):
    heap = Heap(kind, 0)
    for i in range(rng.randint(1, 5)):
        pool, stream, size = None, 0, MIB * rng.randint(1, 8)
        if kind == "cuda-caching":
            pool, stream = rng.choice(["small", "large"]), rng.randint(0, 1)
            size = 2 * MIB if pool == "small" else rng.choice([20 * MIB, 2 * MIB * rng.randint(5, 20)])
        segment = [0x10000000 + i * 0x10000000, size, pool, stream, True]
        heap.segments.append(segment)
        lines.append(f"S {segment[0]} {size} {pool or '-'} {stream}")
        at, was_free = segment[0], False
        while at < segment[0] + size:
            bytes_ = min(512 * rng.randint(1, size // 1024), segment[0] + size - at)
            free = not was_free and rng.random() < 0.6
            heap.blocks.append([at, bytes_, free, segment])
            lines.append(f"B {at} {bytes_} {'free' if free else 'used'}")
            at, was_free = at + bytes_, free
    return heap


def run_case(kind, seed):
    rng = random.Random(f"{kind} {seed}")
    lines = ["plain moment", f"P {kind}"]
    heap = random_heap(kind, rng, lines)
    heap.limit = heap.reserved() + rng.choice([0, 1, 2 * MIB, 30 * MIB, 100 * MIB])
    largest = max((b[1] for b in heap.blocks if b[2]), default=0)
    failed = heap.limit - heap.reserved() + largest + MIB
    if rng.random() < 0.5 or heap.limit > heap.reserved():
        lines.append(f"L {heap.limit}")
    lines.append(f"F {failed}")
    events, living = [], []
    for i in range(rng.randint(1, 30)):
        if living and rng.random() < 0.4:
            events.append(("free", living.pop(rng.randrange(len(living))), 0, 0))
        else:
            size = rng.choice([rng.randint(1, 4096), rng.randint(1, 4 * MIB), rng.randint(1, 24 * MIB), largest or 1])
            events.append(("alloc", f"r{i}", size, rng.randint(0, 1) if kind == "cuda-caching" else 0))
            living.append(f"r{i}")
    open(f"{FOLDER}/m.moment", "w").write("\n".join(lines) + "\n")
    open(f"{FOLDER}/m.csv", "w").write("event,id,size,stream\n" + "".join(
        f"alloc,{n},{s},{k}\n" if e == "alloc" else f"free,{n},,\n" for e, n, s, k in events))
    done = subprocess.run([STOWAGE, "plan", f"{FOLDER}/m.moment", "--reader", f"{FOLDER}/plain.lua", "--then",
                           f"{FOLDER}/m.csv", "--format", "json"], capture_output=True, text=True)
    assert done.returncode in (0, 1), done.stderr
    told = json.loads(done.stdout)
    assert told["limit"] == heap.limit, (told["limit"], heap.limit)
    any_failed = False
    for (event, name, size, stream), row in zip(events, told["requests"], strict=True):
        if event == "free":
            heap.free(name)
            continue
        got = heap.alloc(name, size, stream)
        any_failed |= got is None
        want = (False, None, None) if got is None else (True, got[0] or None, got[1])
        assert (row["served"], row["address"], row["block"]) == want, (kind, seed, name, size, row, want)
    after = told["after"]
    assert after["reserved"] == heap.reserved(), (kind, seed, after, heap.reserved())
    assert after["in_use"] == sum(b[1] for b in heap.blocks if not b[2])
    assert after["largest_free"] == max((b[1] for b in heap.blocks if b[2]), default=0)
    assert done.returncode == any_failed
    if not any_failed:
        check_plan(kind, seed, heap)


def check_plan(kind, seed, heap):
    """The plan of the run has no two blocks in one place at one time, and `stowage check` finds none either."""
    then = [f"{FOLDER}/m.moment", "--reader", f"{FOLDER}/plain.lua", "--then", f"{FOLDER}/m.csv"]
    subprocess.run([STOWAGE, "plan", *then, "-o", f"{FOLDER}/m.plan.csv"], check=True, capture_output=True)
    rows = [line.split(",") for line in open(f"{FOLDER}/m.plan.csv").read().split()[1:]]
    boxes = [(int(r[1]), int(r[2]), int(r[4]), int(r[4]) + int(r[3])) for r in rows if int(r[3]) > 0]
    for i, a in enumerate(boxes):
        for b in boxes[:i]:
            assert a[1] <= b[0] or b[1] <= a[0] or a[3] <= b[2] or b[3] <= a[2], (kind, seed, a, b)
    checked = subprocess.run([STOWAGE, "check", then[0], f"{FOLDER}/m.plan.csv", *then[1:]], capture_output=True, text=True)
    assert checked.returncode == 0, (kind, seed, checked.stdout, checked.stderr)


open(f"{FOLDER}/plain.lua", "w").write(READER)
for seed in range(COUNT):
    for kind in ("bfc-arena", "cuda-caching"):
        run_case(kind, seed)
