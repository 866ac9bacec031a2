"""What record.sh asks of the recorder in Python: the words and the output of cases.c, where both have them."""
import errno
import math
import os
import resource
import signal
import sys
import threading

sys.path.insert(0, os.environ["RECORDER"])
import stowage_record  # noqa: E402

HOSTILE = (b'"\\\b\f\n\r\t\x01\x1f\x7f}{%s%n/ \xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80 '
           b"\xc0\x80 \xe0\x80\x80 \xed\xa0\x80 \xf4\x90\x80\x80 \xff\xfe \xe2\x82 \xf0\x9f\x98")


def named(error):
    return {0: "0"}.get(error) or errno.errorcode.get(error)


def everything(r, text):
    after = (text or b"")
    after = after if isinstance(after, bytes) else after.encode()
    r.tier(text, 65536, 16)
    r.tier(text)
    r.operator(text, 3)
    r.operator(text, -1)
    for how in "input", "output", "scratch":
        r.operator_uses(text, text, how)
    r.buffer(text, 100, 0, 7, alignment=16)
    r.buffer(text, 2**64 - 2, -1, 2**63 - 1)
    r.alloc(text, 512, 0)
    r.alloc(text, 512)
    r.free(text)
    r.group(text)
    r.demand(text)
    r.forbidden(text, 0, 10, tier=text)
    r.candidate(4096, 1024, "refused", b"too small by 512 of " + after, tier=text)
    r.candidate(None, None, text)
    r.figure(text, 1.5)
    r.decision(text, text, 4096, b"100% of " + after, tier=text, two=2)
    r.decision("place")
    r.state(text, ["offset", '"size"'], [[0, 2048], [4096.5, -1e300]])
    r.state(text, [], [])
    r.state(text, ["offset", '"size"'], [])
    r.end(text)
    r.end(text)


def nothing(path):
    os.environ.pop("STOWAGE_RECORD", None)
    r = stowage_record.open(planner="p", model="m")
    with r:
        everything(r, "x")
        everything(r, None)
    os.environ["STOWAGE_RECORD"] = ""
    print(int(not r), int(not stowage_record.open()), r.close())


def hostile(path):
    r = stowage_record.open(path, HOSTILE, HOSTILE)
    everything(r, HOSTILE)
    r.decision("place", "cut", 0, b"\xf0\x9f\x98")
    longer = "x" * 4999
    r.decision("place", longer, 0, longer + "7")
    r.decision("place", "empty", 0, "")
    error = r.close()
    r = stowage_record.open(path)
    everything(r, None)
    print(named(error), named(r.close()))


def figures(path):
    r = stowage_record.open(path, "figures")
    values = [0, 1, -1, 0.1, 1 / 3, 1e15, 1e15 + 0.5, -123456789012345, 1e21, 5e-324, 1e300, sys.float_info.max,
              sys.float_info.min, 1e22, 123.456, 2.5e-7, 100000]
    for i, value in enumerate(values):
        r.figure("f%d" % i, value)
    r.figure("infinite", math.inf)
    r.figure("none", math.nan)
    r.decision("place", "x", 2**64 - 2, "as is")
    print(77, named(r.close()))


def decide(r, thread, decisions):
    for i in range(decisions):
        name = "t%d-%d" % (thread, i)
        r.buffer(name, 64, 0, 1, alignment=1)
        for _ in range(5):
            r.candidate(0, 0, "refused", name)
        r.demand(name)
        r.decision("place", name, 0, **{name: i})
    r.candidate(0, 0, "refused", "no decision follows")


def run_threads(r, decisions):
    threads = [threading.Thread(target=decide, args=(r, i, decisions)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return r.close()


def threads(path):
    first = run_threads(stowage_record.open(path, "threads"), 500)
    print(named(first), named(run_threads(stowage_record.open(path, "threads again"), 500)))


def forever(path):
    run_threads(stowage_record.open(path, "forever"), 5000)
    signal.pause()


def many(r):
    for _ in range(3000):
        r.candidate(0, 0, "fits")
        r.decision("place", "x", 0, "again")
    return r.close()


def full(path):
    print(named(many(stowage_record.open(path, "full"))))


caught = 0


def catch_it(number, _):
    global caught
    caught = number


def limited(path):
    signal.signal(signal.SIGXFSZ, catch_it if "CATCH" in os.environ else signal.SIG_DFL)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100000, 100000))
    print(named(many(stowage_record.open(path, "limited"))), caught)


def broken(path):
    ends = os.pipe()
    signal.signal(signal.SIGPIPE, catch_it if "CATCH" in os.environ else signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, {signal.SIGPIPE} if "BLOCK" in os.environ else set())
    if "WAITING" in os.environ:
        signal.pthread_kill(threading.get_ident(), signal.SIGPIPE)
    r = stowage_record.open("/dev/fd/%d" % ends[1], "broken")
    os.close(ends[0])
    error = run_threads(r, 500) if "CASES_THREADS" in os.environ else many(r)
    print(named(error), "caught", caught, "blocked", int(signal.SIGPIPE in signal.pthread_sigmask(signal.SIG_BLOCK, ())),
          "waiting", int(signal.SIGPIPE in signal.sigpending()))


def slow(path):
    r = stowage_record.open(path, "slow")
    os.set_blocking(r._file, False)
    print(named(many(r)), file=sys.stderr)


def again(path):
    a, b = stowage_record.open(path, "one"), stowage_record.open(path, "side")
    b.decision("place", "b", 0)
    a.decision("place", "a", 0)
    busy, first = named(b.close()), named(a.close())
    c = stowage_record.open(path, "two")
    c.end("failed on purpose")
    print(busy, first, named(c.close()))


def numbered(path):
    for _ in range(3):
        with stowage_record.open(path + "-%n-%p-%%-%x", "second") as r:
            r.decision("place", "x", 0, "from the second file")
    print(os.getpid(), named(stowage_record.open("/nowhere/x", "p").close()))


def forked(path):
    r = stowage_record.open(path, "forked")
    r.buffer("before", 1, 0, 1)
    children = []
    for _ in range(3):
        child = os.fork()
        if child == 0:
            for _ in range(500):
                r.candidate(0, 0, "fits")
                r.decision("place", "child", 0)
            os._exit(r.close())
        children.append(child)
    other = threading.Thread(target=decide, args=(r, 9, 500))
    other.start()
    bad = 0
    for _ in range(50):
        child = os.fork()
        if child == 0:
            r.decision("place", "late child", 0)
            os._exit(r.close())
        bad += os.waitpid(child, 0)[1] != 0
    other.join()
    bad += sum(os.waitpid(child, 0)[1] != 0 for child in children)
    print(bad, named(r.close()))


def demands(path):
    names = "y", "z", 'café 😀"\n'
    r = stowage_record.open(path, "demands")
    for step in range(1, 5):
        for i, name in enumerate(names):
            demand = r.demand(name)
            tier, offset = demand or ("untouched", 99)
            print("%d %d: %d %s %d, %d %d %d %d" % (
                step, i, demand is not None, tier or "-", offset, r.forbidden(name, 0, 10, tier="sram"),
                r.forbidden(name, 4095, 4096, tier="sram"), r.forbidden(name, 4096, 9999, tier="sram"),
                r.forbidden(name, 0, 10, tier="dram")))
        r.decision("place", "y", 0)
    print(named(r.close()))


def refused(path):
    i = 1
    while os.path.exists("%s/%d" % (path, i)):
        os.environ["STOWAGE_DEMANDS"] = "%s/%d" % (path, i)
        r = stowage_record.open("/dev/null", "refused")
        r.decision("place", "x", 0)
        given = r.demand("y") is not None or r.forbidden("y", 0, 1)
        print(named(r.close()), int(given))
        i += 1


def kinds(path):
    r = stowage_record.open(path, "kinds")
    for i, after in enumerate(("backtrack", "lift", "release", "move")):
        r.buffer(after, 64, 0, 7)
        r.candidate(64, None, "chosen", "the end is open")
        r.decision("append", after, 64 * i)
        r.decision(after, after, (0, None, None, 512)[i])
    r.decision("lift", reason="%d %d %d %d" % (0, -1, 2**31 - 1, -2**31))
    r.decision("note", reason='%d %d %d %d "' % (2**32 - 1, 2**32 - 1, 2**32 - 1, 2**64 - 1))
    r.decision("note", reason="%5d|%-5s|%.1f|%d|%%|%c|%s" % (7, "x", 0.25, -5, "c", "%d"))
    for i in range(85):
        r.decision("note", b"abcdefghijklmnopq"[:i // 5] + b'"\\\x1f\x7f\xc3'[i % 5:i % 5 + 1] + b"abcdefghijklmnopq"[i // 5 + 1:])
    print(named(r.close()))


def wrong(path):
    """Only here: arguments of the wrong type raise, and write nothing; an exception is the end of a run."""
    r = stowage_record.open(path, "wrong")
    raised = []
    for call in (lambda: r.buffer(1, 2, 3, 4), lambda: r.buffer("x", "2"), lambda: r.decision("place", "x", -1), lambda: r.figure("f", "x"),
                 lambda: r.operator_uses("o", "x", "inout"), lambda: r.buffer("x", 1 << 64), lambda: r.state("s", ["c"], [["x"]])):
        try:
            call()
            raised.append("nothing")
        except (TypeError, ValueError) as error:
            raised.append(type(error).__name__)
    try:
        with r:
            raise KeyError("lost")
    except KeyError:
        pass
    print(*raised, named(r.close()))
    with stowage_record.open("/nowhere/x"):
        pass


globals()[sys.argv[1]](sys.argv[2])
