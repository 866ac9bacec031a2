"""The recorder of stowage/record.h in Python: a memory planner writes down what it decides.

Python 3.8 or newer, nothing but the standard library; copy this file, or import it from where it is installed.

    import stowage_record
    with stowage_record.open(planner="my-planner", model="my-model") as r:
        r.buffer("conv1", 4096, 0, 3, alignment=16)
        r.candidate(0, 1024, "refused", "too small by 3,072")
        r.decision("place", "conv1", 8192, "lowest that fits", score=1.5)

The verbs, the file and what is promised of it are those of the header, which says more. Here:

- open() without a path takes $STOWAGE_RECORD. Where nothing is recorded it gives an object that does nothing and
  is false.
- Numbers that are None are left out, as times are that are negative, and capacities and alignments that are 0. An
  offset that is None is "no place" in a candidate. Text is str or bytes; what is no UTF-8 becomes U+FFFD.
- The first error of the system ends the recording. close() tells its errno, or 0; the end of a with block warns of
  it. An argument of the wrong type is an error of the program: it raises TypeError or ValueError, and writes nothing.
- Threads: a decision goes out with what its own thread has given since its last one, in one write.
"""
import errno
import json
import math
import operator
import os
import re
import signal
import stat
import threading
import warnings

__all__ = ["open"]

_lock = threading.RLock()  # of what follows; it is taken before that of a record
_records = []  # that are open
_files = set()  # (device, number) of each that this process has opened
_opens = 0
_SIGNALS = {getattr(signal, name) for name in ("SIGPIPE", "SIGXFSZ") if hasattr(signal, name)}
_DECLARED_MOST = 32768
_OPEN = object()  # a value that is written as null, where None is left out


def open(path=None, planner="", model=None):  # noqa: A001, a verb of the recorder
    """Begin a run. path None: $STOWAGE_RECORD; unset or empty: nothing is recorded."""
    global _opens
    path = os.environ.get("STOWAGE_RECORD") if path is None else os.fspath(path)
    if not path:
        return _Nothing()
    with _lock:
        _opens += 1
        opens = _opens
    return _Record(path, opens, planner, model)


class _Nothing:
    """Takes every verb and does nothing."""

    def __bool__(self):
        return False

    def __enter__(self):
        return self

    def __exit__(self, *_):
        return None

    def _nothing(self, *_, **__):
        return None

    tier = operator = operator_uses = buffer = alloc = free = group = candidate = figure = _nothing
    decision = state = end = demand = _nothing

    def forbidden(self, *_, **__):
        return False

    def close(self):
        return 0


class _Record:
    def __init__(self, path, opens, planner, model):
        self._lock = threading.RLock()
        self._mine = threading.local()
        self._shared = []  # tiers, operators and buffers that wait for the next line of another kind
        self._waiting = 0  # their bytes
        self._decisions = 0
        self._ended = self._closed = False
        self._process = os.getpid()
        self._file, self._identity, self._error = -1, None, 0
        header = _line(("stowage-trace", 1), ("planner", _text(planner)), ("model", _text(model)))
        try:
            self._open(_expand(os.fsencode(path), self._process, opens))
        except OSError as error:
            self._error = error.errno or errno.EIO
        self._demands, self._demand_error = None, 0  # read when they are asked for: the debugger sees that
        with _lock:
            _records.append(self)
        self._write(header)

    def _open(self, name):
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_CLOEXEC", 0)
        self._file = os.open(name, flags, 0o666)
        status = os.fstat(self._file)
        if stat.S_ISCHR(status.st_mode):
            return
        identity = status.st_dev, status.st_ino
        with _lock:
            if any(other._identity == identity for other in _records):
                raise OSError(errno.EBUSY, os.strerror(errno.EBUSY))
            if identity not in _files:
                _files.add(identity)
                if stat.S_ISREG(status.st_mode):
                    os.ftruncate(self._file, 0)
            self._identity = identity

    # ---- writing ----

    def _thread(self):
        mine = self._mine.__dict__
        if not mine:
            mine.update(lines=[], figures={}, asked=0)
        return mine

    def _declare(self, line):
        with self._lock:
            if not self._error:
                self._shared.append(line)
                self._waiting += len(line)
                if self._waiting > _DECLARED_MOST:
                    self._write(b"")

    def _write(self, lines):
        with self._lock:
            everything = b"".join(self._shared) + lines
            self._shared, self._waiting = [], 0
            if not self._error and everything:
                self._error = _write_quietly(self._file, everything)

    # ---- the problem ----

    def tier(self, name, capacity=0, alignment=0):
        self._declare(_line(("tier", _text(name, "")), ("capacity", _size(capacity) or None),
                            ("alignment", _size(alignment) or None)))

    def operator(self, name, at=None):
        self._declare(_line(("operator", _text(name, "")), ("at", _time(at))))

    def operator_uses(self, operator_name, buffer, how):
        """how: "input", "output" or "scratch"."""
        field = {"input": "inputs", "output": "outputs", "scratch": "scratch"}.get(how)
        if not field:
            raise ValueError('how is "input", "output" or "scratch", not %r' % (how,))
        self._declare(_line(("operator", _text(operator_name, "")), (field, [_text(buffer, "")])))

    def buffer(self, id, size, first=None, last=None, alignment=0):  # noqa: A002
        self._declare(_line(("buffer", _text(id, "")), ("size", _size(size)), ("first", _time(first)),
                            ("last", _time(last)), ("alignment", _size(alignment) or None)))

    def alloc(self, id, size, stream=None):  # noqa: A002
        self._write(_line(("alloc", _text(id, "")), ("size", _size(size)), ("stream", _time(stream))))

    def free(self, id):  # noqa: A002
        self._write(_line(("free", _text(id, ""))))

    # ---- the run ----

    def group(self, name):
        self._write(_line(("group", _text(name, ""))))

    def candidate(self, offset, size, verdict, reason="", tier=None):
        """A place looked at, for this thread's next decision; size is that of the space, None: its end is open."""
        if not self._error:
            self._thread()["lines"].append(_line(
                ("candidate", "no place" if offset is None else _size(offset)), ("tier", _text(tier)),
                ("size", _OPEN if size is None else _size(size)), ("verdict", _text(verdict)),
                ("reason", _text(reason) or None)))

    def figure(self, name, value):
        """A figure of this thread's next decision; the last one of a name counts."""
        if not self._error:
            self._thread()["figures"][_text(name, "")] = float(value)

    def decision(self, kind, buffer=None, offset=None, reason="", tier=None, **figures):
        """The kinds "place", "move" and "append" put the buffer there, "backtrack" and "lift" take its place away."""
        mine = self._thread()
        away = buffer is not None and _text(kind) in ("backtrack", "lift")
        line = _line(("decision", _text(kind, "")), ("buffer", _text(buffer)), ("tier", _text(tier)),
                     ("offset", _size(offset)),
                     ("changes", [{"buffer": _text(buffer), "offset": None}] if away else None),
                     ("reason", _text(reason) or None),
                     ("figures", dict(mine["figures"], **{_text(k): float(v) for k, v in figures.items()}) or None),
                     ("asked", (None, "demand", "forbidden", "demand forbidden")[mine["asked"]]))
        lines = b"".join(mine["lines"]) + line
        mine.update(lines=[], figures={}, asked=0)
        with self._lock:
            self._decisions += 1  # also those that an error keeps from the file
            self._write(lines)

    def state(self, name, columns, rows):
        """A table of the planner's own state after the last decision: rows are sequences of numbers."""
        self._write(_line(("state", _text(name, "")), ("columns", [_text(c, "") for c in columns]),
                          ("rows", [[float(value) for value in row] for row in rows])))

    def end(self, failure=None):
        with self._lock:
            if not self._ended:
                self._ended = True
                self._write(_line(("end", "done" if failure is None else "failed"), ("reason", _text(failure))))

    def close(self):
        """Write `end` unless that was done. 0, or the errno of what went wrong first."""
        with _lock, self._lock:
            if not self._closed:
                self._closed = True
                if os.getpid() == self._process:
                    self.end()
                if self in _records:
                    _records.remove(self)
                if self._file >= 0:
                    try:
                        os.close(self._file)
                    except OSError as error:
                        self._error = self._error or error.errno
                self._told = self._error or self._demand_error
                self._error = self._error or errno.EBADF  # of what is recorded after this
        return self._told

    def __enter__(self):
        return self

    def __exit__(self, kind, value, _):
        if kind is not None:
            self.end("%s: %s" % (kind.__name__, value))
        error = self.close()
        if error:
            warnings.warn("stowage_record: the recording is not whole: " + os.strerror(error), RuntimeWarning,
                          stacklevel=2)

    # ---- what the debugger demands ----

    def _asked(self, bit, buffer):
        self._thread()["asked"] |= bit
        with self._lock:
            if self._demands is None:
                self._demands, self._demand_error = _read_demands(os.environ.get("STOWAGE_DEMANDS"))
        buffer = _text(buffer)
        return [d for d in reversed(self._demands)
                if d["step"] <= self._decisions + 1 and d["buffer"] in ("*", buffer)]

    def demand(self, buffer):
        """(tier, offset) where it must lie, tier None being the only one; or None."""
        for d in self._asked(1, buffer):
            if d["kind"] == "pin":
                return d["tier"], d["lo"]
        return None

    def forbidden(self, buffer, lo, hi, tier=None):
        """Does [lo, hi) touch what is forbidden to it? tier None: in any."""
        tier = _text(tier)
        return any(d["kind"] == "forbid" and d["lo"] < hi and lo < d["hi"]
                   and (tier is None or d["tier"] in (None, tier))
                   for d in self._asked(2, buffer))


# ---- lines ----


def _text(value, otherwise=None):
    """What UTF-8 can hold of it."""
    if value is None:
        return otherwise
    if not isinstance(value, (str, bytes)):
        raise TypeError("text is str or bytes, not %s" % type(value).__name__)
    if isinstance(value, bytes):
        value = value.decode("utf-8", "surrogateescape")
    return re.sub("[\ud800-\udfff]", "\ufffd", value)


def _size(value):
    if value is None:
        return None
    value = operator.index(value)
    if not 0 <= value < 1 << 64:
        raise ValueError("%d is no size or offset" % value)
    return value


def _time(value):
    value = None if value is None else operator.index(value)
    if value is not None and value >= 1 << 63:
        raise ValueError("%d is no time" % value)
    return None if value is None or value < 0 else value


def _number(value):
    """As the header writes it: as short as it can be read back from."""
    if not math.isfinite(value):
        return "null"
    return next(text for text in ("%.*g" % (precision, value) for precision in (15, 16, 17)) if float(text) == value)


def _escape(found):
    c = found.group()
    return "\\" + c if c in '"\\' else "\\u%04x" % ord(c)


def _json(value):
    if value is None or value is _OPEN:
        return "null"
    if isinstance(value, str):
        return '"' + re.sub('[\x00-\x1f\x7f"\\\\]', _escape, value) + '"'
    if isinstance(value, dict):
        return "{" + ",".join(_json(k) + ":" + _json(v) for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(_json, value)) + "]"
    return _number(value) if isinstance(value, float) else str(value)


def _line(*fields):
    text = ",".join(_json(key) + ":" + _json(value) for key, value in fields if value is not None)
    return ("{" + text + "}\n").encode("utf-8")


# ---- files ----


def _expand(path, process, opens):
    known = {b"%p": b"%d" % process, b"%n": b"%d" % opens, b"%%": b"%"}
    return re.sub(b"%[pn%]", lambda found: known[found.group()], path)


def _write_all(file, rest):
    while rest:
        try:
            rest = rest[os.write(file, rest):]
        except BlockingIOError:  # a pipe that does not block: wait until it takes more
            import select
            poll = select.poll()
            poll.register(file, select.POLLOUT)
            poll.poll()


def _write_quietly(file, lines):
    """0, or an errno. The signal that a failed write raises is this thread's: it is blocked before, and taken after."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)
    try:
        waiting = signal.sigpending()
        try:
            _write_all(file, memoryview(lines))
            return 0
        except OSError as error:
            raised = {errno.EPIPE: signal.SIGPIPE, errno.EFBIG: signal.SIGXFSZ}.get(error.errno)
            if raised and raised not in waiting and raised in signal.sigpending():
                signal.sigwait({raised})
            return error.errno or errno.EIO
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


# ---- demands ----


def _whole(value):
    if type(value) is not int or not 0 <= value < 1 << 64:
        raise ValueError("no size")
    return value


def _demand(line):
    demand = json.loads(line, parse_constant=_whole)
    if not isinstance(demand, dict):
        raise ValueError("no object")
    kind = "pin" if "pin" in demand else "forbid" if "forbid" in demand else None
    if not kind:
        return None
    what = demand[kind]
    if (not isinstance(what, dict) or not isinstance(what["buffer"], str)
            or not isinstance(what.get("tier"), (str, type(None)))):
        raise ValueError("no buffer")
    return {"kind": kind, "step": _whole(demand["step"]), "buffer": what["buffer"], "tier": what.get("tier"),
            "lo": _whole(what["offset" if kind == "pin" else "lo"]), "hi": 0 if kind == "pin" else _whole(what["hi"])}


def _read_demands(path):
    """All of them and 0, or none and an errno."""
    if not path:
        return [], 0
    try:
        with os.fdopen(os.open(path, os.O_RDONLY), "rb") as file:
            demands = [_demand(line.decode("utf-8")) for line in file if line.strip(b" \t\r\n")]
        return [d for d in demands if d], 0
    except OSError as error:
        return [], error.errno or errno.EIO
    except (ValueError, KeyError, TypeError, RecursionError):
        return [], errno.EINVAL


# ---- forks: nothing is half written then, and nothing waits that both processes would write ----


def _before_fork():
    _lock.acquire()
    for record in _records:
        record._lock.acquire()
        record._write(b"")


def _after_fork():
    for record in _records:
        record._lock.release()
    _lock.release()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before_fork, after_in_parent=_after_fork, after_in_child=_after_fork)
