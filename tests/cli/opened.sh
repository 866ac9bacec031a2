#!/usr/bin/env bash
# Files that are none: pipes, devices, folders and files without end, wherever a file is read. Nothing waits, and nothing is read
# beyond --max-input. A program that waits is ended after a while and has failed.
. "$(dirname "$0")/lib.bash"
cd "$tmp" || exit 1
run() {
    timeout -k 1 60 "$STOWAGE" "$@" >"$tmp/out" 2>"$tmp/err" </dev/null
    status=$?
}
model=$models/example1.json
cp "$model" m.json
cp "$SOURCE/scripts/costs/energy.lua" cost.lua
echo goto-peak >script
mkfifo pipe pipe.lua
ln -s /dev/zero zero
ln -s /dev/zero zero.lua
mkdir folder

# ---- every option and operand that names a file ----
for name in zero folder; do
    refuses "FILE $name" plan $name because "$name: cannot read: (it is a device|Is a directory)"
    refuses "--tiers $name" plan m.json --tiers $name because "$name: cannot read: (it is a device|Is a directory)"
done
for name in pipe; do
    what='(it is a pipe|it is a device|Is a directory)'
    refuses "FILE $name" plan $name because "$name: cannot read: $what"
    refuses "the explorer $name" $name --screen 80x24 because "$name: cannot read: $what"
    refuses "check FILE $name" check m.json $name because "$name: cannot read: $what"
    refuses "diff $name" diff m.json $name because "$name: cannot read: $what"
    refuses "convert $name" convert $name -o x.csv because "$name: cannot read: $what"
    for option in tiers order join; do
        refuses "--$option $name" plan m.json --$option $name because ".*($what|--join)"
    done
    for option in cost actions breeding policy; do
        refuses "--$option $name" plan m.json -p tier-search --$option ./$name because ".*$what"
    done
    refuses "--script $name" m.json --script $name --screen 80x24 because ".*$name: cannot read: $what"
    refuses "--config $name" m.json --config $name --screen 80x24 because ".*$what"
    refuses "--annotate $name" export m.json --annotate $name -o x.svg because ".*$what"
    refuses "run --merge $name" run "$SOURCE/scripts/experiments/planners.lua" --merge $name because ".*$what"
done
for name in pipe.lua zero.lua; do
    refuses "a planner $name" plan m.json -p ./$name because ".*it is a (pipe|device)"
    refuses "a theme $name" m.json --theme ./$name --screen 80x24 because ".*it is a (pipe|device)"
    refuses "an experiment $name" run $name because ".*it is a (pipe|device)"
    mv $name module.lua
    echo 'return require "module"' >requires.lua
    refuses "require of $name" plan requires.lua because "requires.lua:1: module.lua: cannot read: it is a (pipe|device)"
    mv module.lua $name
done
for command in 'cost ./pipe' 'planner ./pipe.lua' 'theme ./pipe.lua' 'cost /dev/stdin'; do
    echo "$command" >script
    timeout -k 1 60 "$STOWAGE" m.json -p tier-search --script script --screen 80x24 < <(sleep 300 & echo $! >sleeper) >out 2>err
    check ":$command is refused, and not waited for" same 2 $?
    kill "$(cat sleeper)" 2>/dev/null
done

# ---- what a session names ----
printf 'save %s\n' "$tmp/a.sess" >script
timeout 60 "$STOWAGE" m.json --script script --screen 80x24 >/dev/null
for option in tiers order join; do
    sed "s#^commands#$option pipe\n&#" a.sess >b.sess
    refuses "the $option of a session" b.sess --screen 80x24 because "b.sess: a session names regular files only, and pipe is none"
    sed "s#^commands#$option zero\n&#" a.sess >b.sess
    refuses "the $option of a session, a device" b.sess --screen 80x24 because "b.sess: a session names regular files only, and zero is none"
done
# It says nothing of what stands in a file that lies elsewhere.
mkdir -p elsewhere near
cp m.json near
sed "s#^input .*#input m.json#" a.sess >near/a.sess
echo 'password:hunter2' >elsewhere/secret
ln -s ../elsewhere/secret near/link
for name in ../elsewhere/secret link; do
    for option in order tiers join input; do
        if [ $option = input ]; then sed "s#^input .*#input $name#" near/a.sess >near/b.sess; else sed "s#^commands#$option $name\n&#" near/a.sess >near/b.sess; fi
        run near/b.sess --screen 80x24
        check "$option $name: exit 2" exits 2
        check "$option $name: not what stands there" bash -c "! grep -q 'hunter2\|password' '$tmp/err' '$tmp/out'"
    done
done
echo 'password:hunter2' >near/own
sed "s#^commands#order own\n&#" near/a.sess >near/b.sess
refuses "what stands in a file beside the session" near/b.sess --screen 80x24 because ".*own:1:1: no operator is called 'password:hunter2'"

# ---- streams that were handed over ----
for name in - /dev/stdin; do
    "$STOWAGE" plan $name --format json < <(cat m.json) | jq 'del(.seconds, .graph)' >a
    "$STOWAGE" plan $name --format json <m.json | jq 'del(.seconds, .graph)' >b
    "$STOWAGE" plan m.json --format json | jq 'del(.seconds, .graph)' >c
    check "$name: a pipe" cmp a c
    check "$name: a file" cmp b c
done
check "<(command)" same 5120 "$("$STOWAGE" plan <(cat m.json) --format json | jq .peak)"

# ---- how much ----
truncate -s 10G large.csv # takes no room on the disk
refuses "ten GB of nothing" plan large.csv --max-input 1G because 'large.csv: cannot read: 10,737,418,240 B, more than 1,073,741,824 B, which is the most that is read \(--max-input SIZE sets it\)'
refuses "in the explorer" large.csv --max-input 1G --screen 80x24 because 'large.csv: cannot read: 10,737,418,240 B, '
size=$(stat -c %s m.json)
run plan m.json --max-input "$size"
check "exactly so much" exits 0
refuses "one byte more" plan m.json --max-input $((size - 1)) because "m.json: cannot read: $size B, more than $((size - 1)) B"
refuses "tiers, too" plan "$models/example1.json" --tiers large.csv --max-input 1M because 'large.csv: cannot read: '
{ echo 'id,lower,upper,size'; for i in {1..4000}; do echo "buffer_$i,$i,$((i + 1)),16"; done; } >wide.csv
gzip -k wide.csv
check "gzip makes it small" [ "$(stat -c %s wide.csv.gz)" -lt 40000 ]
refuses "what gzip expands to" plan wide.csv.gz --max-input 50K because 'wide.csv.gz: this expands to more than 51200 bytes, which is the most that is read \(--max-input SIZE sets it\)'
"$STOWAGE" plan - --max-input 50K <wide.csv >out 2>err
check "a stream" same 2 $?
"$STOWAGE" trace wide.csv -p first-fit -o wide.trace
gzip -k wide.trace
refuses "a trace out of gzip" plan wide.trace.gz --max-input 100K because '.*more than 102,400 B, which is the most that is read'
refuses "--max-input 0" plan m.json --max-input 0 because '--max-input 0: expected a number of bytes, from 1'
refuses "--max-input of words" plan m.json --max-input much because '--max-input: .*'

# ---- the only door ----
# Files that may open something themselves, each for what is no reading of a file: it makes files to write (sink_file) or of
# its own (spool, live_run, autosave, survey_rows), its child's pipe (child, survey_jobs) or looks at processes (keeper, launch, processes).
openers=$(cd "$SOURCE" && grep -rlE --include='*.c' \
    '(^|[^>._a-zA-Z0-9])(open|openat|open64|openat64|creat|fopen|fopen64|freopen|gzopen|luaL_loadfilex?|json_load_file|cairo_image_surface_create_from_png|mmap|mmap64)\(' app |
    sort | tr '\n' ' ')
check "only these open files" same "app/attach/child.c app/attach/keeper.c app/attach/launch.c app/attach/live_run.c app/attach/processes.c app/cli/survey/survey_jobs.c app/cli/survey/survey_rows.c app/command/doors/autosave.c app/formats/open_file.c app/formats/sink_file.c app/formats/wrapped/spool.c " "$openers"
check "and to read a file only one" same "app/formats/open_file.c" \
    "$(cd "$SOURCE" && grep -rlE '\<open(at)?\(.*O_RDONLY|\<fopen\(' app --include='*.c' | xargs grep -lE '\<open(at)?\((path|name|from|to|file)[^)]*O_RDONLY' | grep -v attach/ | sort | tr '\n' ' ' | sed 's/ $//')"
finish
