#!/usr/bin/env bash
# Session files from strangers, and where scripts write.
. "$(dirname "$0")/lib.bash"

mkdir "$tmp/w" && cd "$tmp/w" || exit 1
cp "$models/mobilenet_v1_025_96.json" m.json
cp "$SOURCE/scripts/planners/long_first.lua" mine.lua
cp "$SOURCE/scripts/costs/energy.lua" price.lua
session() { printf '%s\n' "$@" >script; "$STOWAGE" m.json -p greedy-by-size --script script --screen 80x24 >frame 2>"$tmp/err"; }

# ---- what a session may say ----
session 'pin conv_1_out 0' 'step 3' last 'save a.sess'
check "a session is saved" [ -s a.sess ]
run a.sess --screen 80x24
check "and comes back" exits 0
run a.sess
check "its summary says that it was changed" says '^changed by what-ifs, so not what the planner does by itself: pin conv_1_out 0$'
run a.sess --format json
check "as JSON, too" json '.what_ifs == "pin conv_1_out 0" and .planner == "greedy-by-size"'
for command in plan compare check; do
    refuses "$command of a session" "$command" a.sess $([ "$command" = check ] && echo plan.csv) because 'a.sess: this is a session of the explorer, which opens it: stowage FILE'
done
# A block that was moved by hand sets the peak: no decision is blamed for it.
printf 'last\npin pw_1_out 1T\nlast\ngoto-peak\n' >script
run m.json -p greedy-by-size --script script --screen 120x30
check "goto-peak blames no decision" says 'no decision set the peak of 1.00T: a block was moved there by hand'
printf 'goto-peak\npin pw_1_out 1T\npane blame\nwhole\n' >script
run m.json -p greedy-by-size --script script --screen 200x40
check "blame names the block" says 'No decision set it: pw_1_out ends there, where it was pinned by hand'
# Where many layouts are tried, the peak is that of the plan, and what was given up is called a trial.
printf 'last\ngoto-peak\n' >script
run m.json --script script --screen 120x30
check "goto-peak goes to the plan's peak" says 'the peak of 54K was set here, by pw_1_out'
check "where the header has it" says '^ m.json  auto .* peak 54K  bound 54K'
printf 'last\ngoto 20\n' >script
run m.json --script script --screen 120x30
check "a trial is called one" says ' trial 63K, plan 54K '
printf 'last\ngoto 20\ngoto-trial-peak\n' >script
run m.json --script script --screen 120x30
check "its peak, too, can be gone to" says 'the peak of this trial, 63K, was set here, by dw_1_out; trial 1 of 3: 63K; the plan: 54K'
printf 'last\ngoto 20\npane blame\nwhole\n' >script
run m.json --script script --screen 120x30
check "blame says so" says 'On view is trial 1 of 3, which was given up; the plan has a peak of 54K'
printf 'break peak > 40K\ncontinue\n' >script
run m.json --script script --screen 120x30
check "a breakpoint on the peak is about the plan" says '^ m.json  auto  seed 1  decision 68/100 |^ m.json  auto  seed 1  decision 70/100 '
printf 'break peak > 60K\ncontinue\n' >script
run m.json --script script --screen 120x30
check "which no trial stops" says 'end of the run: peak 54K'
for line in 'save x.sess' "save $tmp/gone" 'export x.svg' 'write x.csv' 'copy x.txt' 'sav x.sess' \
    'lua stowage.command("save x.sess")' 'key e' quit 'recover drop' 'theme light' 'notes'; do
    { cat a.sess && printf '  %s\n' "$line"; } >b.sess
    refuses "in a session: $line" b.sess --screen 80x24 because "b.sess:[0-9]+:3: [a-z]+ may not come from a session file, only from: "
    refuses "the same without a screen: $line" b.sess because "b.sess:[0-9]+:3: [a-z]+ may not come"
done
check "nothing was written" [ ! -e x.sess ] && check "nor elsewhere" [ ! -e "$tmp/gone" ]

# ---- what never ends ----
mkfifo pipe pipe.lua
for name in pipe /dev/zero -; do
    sed "s#^input .*#input $name#" a.sess >b.sess
    refuses "the input $name" b.sess --screen 80x24 because "b.sess: a session names regular files only, and $name is none"
done
{ cat a.sess && echo 'planner pipe.lua'; } >b.sess
refuses "a planner that is a pipe" b.sess --screen 80x24 because 'b.sess:[0-9]+:1: a session names regular files only'
rm pipe pipe.lua

{ cat a.sess && printf 'find \xff\xfe\xff\n'; } >b.sess
refuses "a command that is not UTF-8" b.sess --screen 80x24 because 'b.sess:[0-9]+:1: a command is text in UTF-8'

# ---- programs ----
session 'planner mine.lua' last 'save p.sess'
check "the session has the program's digest" grep -qE '^program [0-9a-f]{16} mine.lua$' p.sess
run p.sess --screen 80x24
check "a planner in the session's folder runs" exits 0
cp mine.lua kept.lua && echo '-- changed' >>mine.lua
refuses "a planner that has changed" p.sess --screen 80x24 because '.*mine.lua is a program that has changed since the session was saved; without a terminal'
cp kept.lua mine.lua
mkdir sub && sed 's#^input .*#input ../m.json#; s#\(^program .*\) mine.lua#\1 ../mine.lua#' p.sess >sub/p.sess
refuses "a planner outside of the session's folder" sub/p.sess --screen 80x24 because '.*mine.lua is a program outside of the session.s folder; without a terminal'
grep -v '^program' p.sess >old.sess
refuses "a planner without a digest" old.sess --screen 80x24 because 'old.sess:[0-9]+:1: .*mine.lua is a program of which the session has no digest'
# A planner's modules are programs too; and the session can be opened from any folder.
mkdir parts && echo 'return { long = 8 }' >parts/few.lua
sed '1i local few = require "parts.few"' mine.lua >made.lua
session 'planner made.lua' last 'save q.sess'
check "the digest of a planner's module" grep -qE '^program [0-9a-f]{16} parts/few.lua$' q.sess
mkdir elsewhere
(cd elsewhere && "$STOWAGE" ../q.sess --screen 80x24) >frame 2>"$tmp/err"
check "a session with a planner opens from another folder" [ $? -eq 0 ]
mkdir moved && cp m.json mine.lua q.sess made.lua moved && cp -r parts moved
(mv parts away_parts && cd elsewhere && "$STOWAGE" ../moved/q.sess --screen 80x24) >frame 2>"$tmp/err"
check "and from where it was moved to, with its files" [ $? -eq 0 ]
mv away_parts parts
"$STOWAGE" m.json -p made.lua --script script --screen 80x24 >frame 2>"$tmp/err"
(cd elsewhere && "$STOWAGE" ../q.sess --screen 80x24) >frame 2>"$tmp/err"
check "a planner in Lua that the session began with" [ $? -eq 0 ]
echo '-- changed' >>parts/few.lua
refuses "a module that has changed" q.sess --screen 80x24 because '.*parts/few.lua is a program that has changed since the session was saved'

"$STOWAGE" m.json -p greedy-by-size --cost price.lua --script script --screen 80x24 >frame 2>&1
printf 'last\nsave c.sess\n' >script
"$STOWAGE" m.json -p tier-search --cost price.lua --script script --screen 80x24 >frame 2>"$tmp/err"
if [ -s c.sess ]; then
    echo '-- changed' >>price.lua
    refuses "a cost model that has changed" c.sess --screen 80x24 because '.*price.lua is a program that has changed'
fi

# ---- where scripts write ----
rm -f ./*.svg
writes() { session last "$1"; }

mkdir -p "$tmp/o" below
ln -s "$tmp/o" away && ln -s "$tmp/o/target.csv" link.csv && echo kept >there.csv
refused() { # NAME LINE PATTERN
    writes "$2"
    status=$?
    check "$1: refused" grep -qE -- "$3" "$tmp/err"
}
refused "above" 'write ../x.csv' 'a script writes only below the working directory; --write-anywhere allows it'
refused "elsewhere" "write $tmp/o/x.csv" 'only below the working directory'
refused "through a folder that is a link" 'write away/x.csv' 'only below the working directory'
refused "through a link" 'write link.csv' 'does not write through a symbolic link'
refused "over a file that was there" 'write there.csv' 'this was there before'
refused "by Lua" 'lua stowage.command("write ../x.csv")' 'only below the working directory'
check "nothing is written there" [ ! -e "$tmp/x.csv" ]
check "nor through links" [ -z "$(ls "$tmp/o")" ]
check "what was there is kept" same kept "$(cat there.csv)"
session last 'write below/x.csv' 'write below/x.csv' 'write ./below/../below/x.csv'
check "below, and again over what it made itself" [ -s below/x.csv ]
check "without a word" [ ! -s "$tmp/err" ]
printf 'last\nwrite there.csv\nwrite %s\n' "$tmp/o/x.csv" >script
run m.json -p greedy-by-size --script script --screen 80x24 --write-anywhere
check "--write-anywhere" exits 0
check "writes elsewhere" [ -s "$tmp/o/x.csv" ]
printf 'last\nwrite ../y.csv\n' >script
refuses "--trust lifts no such limit" m.json -p greedy-by-size --script script --screen 80x24 --trust because 'script:2:1: .*only below the working directory'

finish
