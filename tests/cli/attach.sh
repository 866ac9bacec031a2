#!/usr/bin/env bash
# stowage attach without a terminal: planners of others that are run, held, run again and kept. What needs a terminal is tested in
# tests/tui/test_attached.c, the child itself in tests/attach.
. "$(dirname "$0")/lib.bash"
planner=$BUILD/tests/attach/attach_planner
export TMPDIR=$tmp/scratch PLANNER_COUNT=$tmp/count PLANNER_RUNS=$tmp/runs
mkdir "$TMPDIR"
cd "$tmp" || exit # scripts write below the working directory
# attached LINES BEHAVIOUR [BUFFERS]: these commands, then a frame.
attached() {
    printf '%b' "$1" >"$tmp/script"
    rm -f "$PLANNER_COUNT" "$PLANNER_RUNS"
    run attach --script "$tmp/script" --screen "${screen:-110x30}" -- "$planner" "${@:2}"
}
runs() { [ "$(wc -l <"$PLANNER_RUNS")" -eq "$1" ]; }
decided() { [ "$(wc -c <"$PLANNER_COUNT")" "$1" "$2" ]; }
# No process has the planner's name and this test's variable.
none_runs() {
    local pid
    for pid in $(pgrep -x attach_planner); do
        tr '\0' '\n' 2>/dev/null <"/proc/$pid/environ" | grep -qxF "PLANNER_RUNS=$PLANNER_RUNS" && return 1
    done
    return 0
}
# Nothing is left: no file, and no process but those that were killed a moment ago.
clean() {
    local again
    [ -z "$(ls -A "$TMPDIR")" ] || { ls -A "$TMPDIR"; return 1; }
    for again in 1 2 3 4 5 6 7 8 9 10; do
        none_runs && return 0
        read -rt 0.1 <> <(:)
    done
    return 1
}

# ---- the summary ----
for behaviour in steady deaf twice fork leave late online; do
    run attach --format json -- "$planner" "$behaviour" 20
    check "$behaviour: exit 0" exits 0
    check "$behaviour: calm" calm
    check "$behaviour: the plan" json '.planner == "recorded" and .buffers == 20 and .decisions == 20 and .feasible == true'
    check "$behaviour: nothing left" clean
done
run attach -- "$planner" steady 20
check "without a terminal: the summary of plan" says '^recorded \(foreign-first-fit\), seed 1: 20 decisions'
check "without a terminal: no hint that names a file below /proc" bash -c "! grep -q /proc '$tmp/out' '$tmp/err'"
run attach --format json -- "$planner" crash 20
check "a crash: what was recorded" json '.decisions == 10'
check "a crash: how it ended" grep -qx 'stowage: the command was ended by SIGABRT (Aborted)' "$tmp/err"
check "a crash: what it said last" grep -qx "planner: assertion 'gap >= 0' failed" "$tmp/err"
run attach --format json -- "$planner" fail 20
check "exit status 3: said" complains 'the command ended with exit status 3'
check "exit status 3: the plan" json '.decisions == 20'
PLANNER_BYTES=$((1 << 30)) run attach --format json -- "$planner" loud 20
check "a loud planner: the plan, and none of what it prints" json '.decisions == 20'
run attach --format json -- "$planner" broken 20
check "a line that is none: exit 2" exits 2
check "a line that is none: which" grep -qE '^stowage: attach_planner:52:22: ' "$tmp/err"
run attach --run 2 --format json -- "$planner" twice 20
check "the second run" json '.decisions == 20'

# ---- what is refused ----
refuses "no such command" attach --format json -- "$tmp/absent" because ".*absent.*No such file"
refuses "no such command, explored" attach --screen 80x24 -- stowage-absent because ".*stowage-absent"
refuses "a command that records nothing" attach --format json -- true because "the command ended with exit status 0 and recorded nothing"
refuses "the same, explored" attach --screen 80x24 -- sh -c 'echo no licence >&2; exit 4' because \
    "the command ended with exit status 4 and recorded nothing: .*; it said last: no licence"
refuses "no command" attach because ".*"
refuses "a run that does not come" attach --run 3 --screen 80x24 -- "$planner" twice 4 because ".*--run 3.*"
refuses "a session that is none" "$models/example1.json" --run-command --screen 80x24 because ".*--run-command"
check "nothing left" clean

# ---- what is kept ----
run attach --format json -o "$tmp/run.trace" -- "$planner" steady 20
check "-o keeps the recording" same "$(grep -c '"decision"' "$tmp/run.trace")" 20
STOWAGE_RECORD=$tmp/direct.trace "$planner" steady 20
check "-o keeps every byte" cmp "$tmp/run.trace" "$tmp/direct.trace"
printf 'goto 3\n' >"$tmp/script"
run attach --script "$tmp/script" --screen 80x24 -o "$tmp/part.trace" -- "$planner" steady 2000
check "-o of a frame: what was read until then" cmp "$tmp/part.trace" <(head -c "$(stat -c %s "$tmp/part.trace")" \
    <(STOWAGE_RECORD=/dev/stdout "$planner" steady 2000))
if [ -w /dev/full ]; then
    refuses "-o to a full disk" attach --format json -o /dev/full -- "$planner" steady 20 because "/dev/full.*No space"
fi
refuses "-o to nowhere" attach --format json -o "$tmp/absent/run.trace" -- "$planner" steady 20 because ".*absent/run.trace"
check "no part of a file is left" same "$(find "$tmp" -name '.stowage-*')" ""

# ---- steps, and the planner held ----
attached 'step\nstep\nback\nstep\n' steady 2000
check "steps: exit 0" exits 0
check "steps: where" says 'decision 2/[0-9,]+\+  held, [0-9]+ ahead'
check "held: it has decided no more than the pipe and what was read hold" decided -lt 200
check "held: one run" runs 1
attached 'break buffer b700\nrun\n' steady 2000
check "a breakpoint: where" says 'decision 701/'
check "a breakpoint: said" says 'stopped: buffer b700'
check "a breakpoint holds it" decided -lt 1000
attached 'last\nfirst\n' steady 2000
check "back to the beginning" says 'decision 0/2,000 '
check "all was decided" decided -eq 2000
for behaviour in late online; do
    attached 'step\nstep\nselect b1\nmark here\nstep 7\n' $behaviour 40
    check "$behaviour: steps while buffers come" says 'decision 9/'
    # By its border: how much of the run was read ahead decides whether its name has room.
    check "$behaviour: what is selected stays" says '╔'
    attached 'last\n' $behaviour 40
    check "$behaviour: to the end" says 'decision 40/40 '
    attached 'break buffer b30\nrun\n' $behaviour 40
    check "$behaviour: a breakpoint on what does not exist yet is refused, or met" bash -c "grep -q 'decision 31/' '$tmp/out' || grep -q b30 '$tmp/err'"
done
attached 'last\n' twice 20
check "two runs: the first one" says 'decision 20/20 '
attached 'last\n' broken 20
check "a line that is none: what came before" says 'decision 10/10 '
check "a line that is none: said" says 'cannot be read on: line 52: '
attached 'last\n' crash 20
check "a crash: said" says 'without its end, after decision 10: the command was ended by SIGABRT'
check "nothing left" clean

# ---- the same bytes, however fast it writes ----
# A recording is given at once, three bytes at a time, and up to decision 7 with a part of what follows: then it stops for good.
cat >"$tmp/at_once" <<'EOF'
cat "$RECORDING" >"$STOWAGE_RECORD"
EOF
cat >"$tmp/in_drops" <<'EOF'
dd if="$RECORDING" of="$STOWAGE_RECORD" bs=3 2>/dev/null
EOF
cat >"$tmp/stops" <<'EOF'
exec 3>"$STOWAGE_RECORD"
head -n "$STOPS" "$RECORDING" >&3
tail -n +"$((STOPS + 1))" "$RECORDING" | head -c "$MORE" >&3
exec sleep 1000
EOF
# come WAY: the run of the present script, with all that comes of it, as a file.
come() {
    run attach --script "$tmp/script" --screen 110x30 -o "$tmp/came.trace" -- sh "$tmp/$1"
    { cat "$tmp/out" "$tmp/err"; echo "exit $status"; } >"$tmp/$1.$MORE.part"
    [ "$status" -ne 0 ] || cat "$tmp/came.trace" >>"$tmp/$1.$MORE.part"
    rm -f "$tmp/came.trace"
}
for behaviour in steady online; do
    export RECORDING=$tmp/$behaviour.recorded STOPS MORE=0
    STOWAGE_RECORD=$RECORDING "$planner" $behaviour 60
    STOPS=$(grep -n '^{"decision"' "$RECORDING" | sed -n '7s/:.*//p')
    for commands in '' 'step\nstep\npane log' 'goto 5\npin b7 0' 'goto 7\nback\nselect b3\npane buffers' 'break step 6\nrun\npane decisions' \
        'goto 4\nselect b50'; do
        printf '%b\n' "$commands" >"$tmp/script"
        rm -f "$tmp"/*.part
        come at_once
        come in_drops
        for MORE in 1 900; do
            case $behaviour$commands in steady*pin*) ;; *) come stops ;; esac # a pin runs it again, to its end
        done
        check "$behaviour, '$commands': however it comes" same 1 "$(md5sum "$tmp"/*.part | cut -d' ' -f1 | sort -u | wc -l)"
    done
    printf 'last\npane decisions\n' >"$tmp/script"
    for way in at_once in_drops; do
        run attach --script "$tmp/script" --screen 110x30 -- sh "$tmp/$way"
        check "$behaviour, $way: to the end" says 'decision 60/60 '
        cp "$tmp/out" "$tmp/$way.end"
    done
    check "$behaviour: the same at the end" cmp "$tmp/at_once.end" "$tmp/in_drops.end"
done
printf 'goto 5\npin b7 0\n' >"$tmp/script"
refuses "a buffer that comes later" attach --script "$tmp/script" --screen 110x30 -- sh "$tmp/at_once" because \
    ".*:2:1: there is no buffer 'b7' in what the planner has recorded so far, up to decision 5"
unset RECORDING STOPS MORE

# ---- what-ifs ----
attached 'goto 5\npin b5 4096\nstep\n' steady 20
check "a pin: the planner heeds it" says 'Places b5 \(64 B\) at sram\+4096'
check "a pin: two runs" runs 2
attached 'goto 5\npin b5 4096\nstep\nforbid b9 0 512\nlast\nsave two.stowage\n' steady 20
check "demands accumulate: three runs" runs 3
check "demands accumulate: both heeded" same "$(jq -r 'select(.decision) | select(.buffer == "b5" or .buffer == "b9") | .offset' \
    "$tmp/two.stowage.3.trace" | tr '\n' ' ')" "4096 768 "
attached 'goto 5\nforbid b9 0 512\nundo\nredo\nundo\nforbid b9 0 512\nlast\n' steady 20
check "the same demand again runs nothing" runs 2
attached 'last\ngoto 9\npin b5 4096\n' steady 20
check "a pin of what is placed already: said" complains '.*the run stays as it is: b5 had its place before this decision, .*'
attached 'last\ngoto 9\nforbid b5 0 4096\n' steady 20
check "a range of what is placed already: said" complains '.*the run stays as it is: b5 had its place before .*'
attached 'goto 14\npin b15 512\nlast\n' deaf 20
check "a deaf planner: exit 2" exits 2
check "a deaf planner: said" complains '.*the planner never asks whether a place is demanded'
# The recorder reads the demands when it is asked, not when it is opened: a planner that uses it and never asks is told so.
cat >"$tmp/silent.c" <<'EOF'
#define STOWAGE_RECORD_IMPLEMENTATION
#include "stowage/record.h"
int main(int argc, char **argv) {
    struct stowage_record *r = stowage_record_open(NULL, "silent", NULL);
    const char *tier;
    uint64_t offset;
    (void)argv;
    for (int i = 0; i < 4; i++) {
        char name[] = {'b', (char)('0' + i), 0};
        stowage_record_buffer(r, name, 64, 0, 3, 1);
    }
    for (int i = 0; i < 4; i++) {
        char name[] = {'b', (char)('0' + i), 0};
        if (argc < 2 || !stowage_record_demand(r, name, &tier, &offset)) offset = (uint64_t)(64 * i);
        stowage_record_decision(r, "place", name, NULL, offset, "next");
    }
    return stowage_record_close(r);
}
EOF
cat >"$tmp/silent.py" <<'EOF'
import sys
import stowage_record
with stowage_record.open(planner="silent", model="m") as r:
    for i in range(4):
        r.buffer("b%d" % i, 64, 0, 3)
    for i in range(4):
        place = r.demand("b%d" % i) if len(sys.argv) > 1 else None
        r.decision("place", "b%d" % i, place[1] if place else 64 * i, "next")
EOF
# shellcheck disable=SC2086 # words
$CC -std=c99 -I"$SOURCE/engine/record" "$tmp/silent.c" -o "$tmp/silent" -pthread
run attach -- "$tmp/silent"
check "a model without a name is called after the command" says '^silent: 4 buffers'
printf 'goto 2\npin b3 4096\nstep 2\n' >"$tmp/script"
for silent in "$tmp/silent" "python3 $tmp/silent.py"; do
    # shellcheck disable=SC2086 # words
    refuses "it records and never asks" attach --script "$tmp/script" --screen 110x30 -- env PYTHONPATH="$SOURCE/engine/record" $silent \
        because ".*the planner never asks whether a place is demanded .*"
    # shellcheck disable=SC2086 # words
    run attach --script "$tmp/script" --screen 110x30 -- env PYTHONPATH="$SOURCE/engine/record" $silent asks
    check "it records and asks" says 'Places b3 \(64 B\) at [a-z]+\+4096'
done
attached 'goto 14\npin b15 512\n' moody 20
check "a moody planner: said" complains '.*the planner is not deterministic: decision 1[1-4] was place b1[0-3] sram\+[0-9]+, is place b1[0-3] sram\+[0-9]+$'
screen=200x40 attached 'goto 14\npin b15 512\nstep 2\n' defiant 20
check "a defiant planner: said at the decision" bash -c "tr -s ' \\n' '  ' <'$tmp/out' | grep -oE '│[^│]*│?' >/dev/null && grep -q 'at 512, placed at 128: the planner ignored it' '$tmp/out'"
screen=200x40 attached 'goto 14\nforbid b15 0 4096\nstep 2\n' defiant 20
check "a range: heeded by that one" says 'Places b15 \(64 B\) at sram\+4096'
attached 'goto 4\npin b5 512\nlast\n' crash 20
check "a run again that crashes: said" says 'without its end, after decision 10: the command was ended by SIGABRT'
check "nothing left" clean
mkdir "$tmp/where"
cat >"$tmp/where/planner.sh" <<EOF
#!/bin/sh
pwd >>"$tmp/folders"
exec "$planner" steady 20
EOF
chmod +x "$tmp/where/planner.sh"
printf 'goto 2\npin b3 4096\n' >"$tmp/script"
(cd where && "$STOWAGE" attach --script "$tmp/script" --screen 80x24 -- ./planner.sh >/dev/null)
check "run again in the same folder" same "$(sort -u "$tmp/folders")" "$tmp/where"

# ---- sessions ----
session=s.stowage
attached 'goto 5\npin b5 4096\nstep\nforbid b9 0 512\nlast\nsave s.stowage\n' steady 20
cp "$tmp/out" "$tmp/before"
rm -f "$PLANNER_RUNS"
run "$session" --screen 110x30
check "opened again: exit 0" exits 0
check "opened again: both branches" says 'branch 3 of 3'
check "opened again: nothing was run" [ ! -e "$PLANNER_RUNS" ]
check "opened again: the command line is not there" bash -c "! grep -q '/proc' '$tmp/out'"
cat "$session" >"$tmp/once"
printf 'save s.stowage\n' >"$tmp/script"
run "$session" --script "$tmp/script" --screen 110x30
check "saved over itself: the same bytes" cmp "$session" "$tmp/once"
printf 'goto 3\npin b4 8192\n' >"$tmp/script"
refuses "a pin in it runs nothing" "$session" --script "$tmp/script" --screen 80x24 because ".*would run the command again.*run-command yes"
check "a pin in it runs nothing" [ ! -e "$PLANNER_RUNS" ]
run "$session" --script "$tmp/script" --screen 110x30 --run-command
check "--run-command: exit 0" exits 0
check "--run-command: the branch" says 'branch 4 of 4'
check "--run-command: one run" runs 1
rm -f "$PLANNER_RUNS"
printf 'run-command yes\n' >"$tmp/script"
refuses "run-command yes from a script" "$session" --script "$tmp/script" --screen 80x24 because ".*run-command"
cp "$session" "$tmp/evil.stowage"
for n in '' .2 .3; do cp "$session$n.trace" "$tmp/evil.stowage$n.trace"; done
sed -i 's/^input .*/input evil.stowage.trace/' "$tmp/evil.stowage"
echo 'run-command yes' >>"$tmp/evil.stowage"
refuses "run-command yes from a session file" "$tmp/evil.stowage" --screen 80x24 because ".*run-command"
printf 'lua stowage.command("run-command yes")\n' >"$tmp/script"
run "$session" --script "$tmp/script" --screen 80x24
check "run-command yes from Lua" [ "$status" -ne 0 ]
check "none of them ran it" [ ! -e "$PLANNER_RUNS" ]
sed -i '/^run-command/d; s/^argument "steady"/argument "a\\u001b[31m\\nrm -rf ~\\u202e"/' "$tmp/evil.stowage"
printf 'tour off\n' >"$tmp/script"
run "$tmp/evil.stowage" --screen 110x30
check "hostile arguments: opened" exits 0
check "hostile arguments: nothing was run" [ ! -e "$PLANNER_RUNS" ]
check "hostile arguments: no raw bytes" bash -c "! LC_ALL=C grep -qP '\x1b\[31m|\xe2\x80\xae' '$tmp/out'"
rm "$tmp/evil.stowage.2.trace"
refuses "a recording is missing" "$tmp/evil.stowage" --screen 80x24 because ".*evil.stowage.*evil.stowage.2.trace: cannot open: No such file"
cp "$tmp/evil.stowage.3.trace" "$tmp/evil.stowage.2.trace"
refuses "a recording has changed" "$tmp/evil.stowage" --screen 80x24 because ".*evil.stowage.2.trace is not what it was"
cp "$session.2.trace" "$tmp/evil.stowage.2.trace"
# What the planner was ended in the middle of may lack the end of its last line.
printf '\n{"buffer":"more","size":1,"first":0,"last":0}\n' >>"$tmp/evil.stowage.trace"
refuses "the input has changed" "$tmp/evil.stowage" --screen 80x24 because ".*evil.stowage.trace has changed since"
printf '{"buffer":"more"{"decision":"place"}\n' >>"$tmp/evil.stowage.trace"
refuses "the input has changed and is broken" "$tmp/evil.stowage" --screen 80x24 \
    because ".*evil.stowage.trace has changed since the session was saved; line [0-9]+, column [0-9]+: "
rm "$tmp/evil.stowage.trace"
refuses "the input is missing" "$tmp/evil.stowage" --screen 80x24 because ".*evil.stowage.trace"
printf 'save none.stowage\n' >"$tmp/script"
run "$models/example1.json" --script "$tmp/script" --screen 80x24
sed -i 's|^planner|attached "/"\nargument "true"\nplanner|' none.stowage
refuses "a command for an input that is no recorded run" "$tmp/none.stowage" --screen 80x24 because ".*its input is no recorded run"
odd=$(printf 'caf\351')
mkdir "$tmp/odd"
cat >"$tmp/odd/$odd" <<EOF
#!/bin/sh
[ "\$1" = "$odd" ] && exec "$planner" steady 20
EOF
chmod +x "$tmp/odd/$odd"
printf 'save odd.stowage\n' >"$tmp/script"
run attach --script "$tmp/script" --screen 80x24 -- "$tmp/odd/$odd" "$odd"
check "arguments that are no UTF-8: exit 0" exits 0
printf 'goto 2\npin b3 4096\n' >"$tmp/script"
run "$tmp/odd.stowage" --script "$tmp/script" --screen 80x24 --run-command
check "arguments that are no UTF-8 come back as they were" exits 0
check "nothing left" clean

# ---- ended from outside ----
rm -f "$PLANNER_COUNT" # of a planner that ran before: it would let the first signal come before this one has begun
for signal in TERM INT HUP; do
    for behaviour in hang stubborn; do
        # under nohup, or in the background of a script, some of these would be ignored
        env --default-signal=TERM,INT,HUP "$STOWAGE" attach --format json -- "$planner" $behaviour 20 >"$tmp/out" 2>"$tmp/err" </dev/null &
        stowage=$!
        until [ -e "$PLANNER_COUNT" ] && [ "$(wc -c <"$PLANNER_COUNT")" -ge 10 ]; do read -rt 0.05 <> <(:); done
        kill -$signal $stowage
        wait $stowage 2>/dev/null
        check "$signal while it has a $behaviour planner: nothing left" clean
        rm -f "$PLANNER_COUNT"
    done
done
finish
