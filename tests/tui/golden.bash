#!/usr/bin/env bash
# Golden screens: frames as text, through --screen and --script, against files in golden/.
#   UPDATE_GOLDEN=1 tests/tui/golden.bash   writes them anew
# STOWAGE is the program; without it build/stowage.
set -u
here=$(cd "$(dirname "$0")" && pwd)
root=${here%/tests/tui}
program=${STOWAGE:-$root/build/stowage}
golden=$here/golden
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
export LC_ALL=C.UTF-8 XDG_CONFIG_HOME=$tmp/config XDG_STATE_HOME=$tmp/state
unset NO_COLOR STOWAGE_STATE
failed=0 passed=0

# frame NAME WxH MODEL [OPTION...] : commands on standard input.
frame() {
    local name=$1 size=$2 model=$3
    shift 3
    # Few processes: starting one takes longer than a frame.
    local script wanted= got= rows columns
    IFS= read -r -d '' script || true
    printf '%s' "$script" >"$tmp/script"
    if ! "$program" "$model" --screen "$size" --script "$tmp/script" "$@" >"$tmp/frame" 2>"$tmp/error"; then
        echo "$name: the program failed"
        cat "$tmp/error"
        failed=$((failed + 1))
        return
    fi
    # Whatever is shown, it is as large as was asked for and no larger.
    read -r rows columns < <(wc -lL <"$tmp/frame")
    if [ "$rows" != "${size#*x}" ] || [ "$columns" -gt "${size%x*}" ]; then
        echo "$name: not $size"
        failed=$((failed + 1))
    fi
    IFS= read -r -d '' got <"$tmp/frame" || true
    if [ -n "${UPDATE_GOLDEN:-}" ]; then
        mkdir -p "$golden"
        cp "$tmp/frame" "$golden/$name.txt"
    elif ! { IFS= read -r -d '' wanted <"$golden/$name.txt" || [ "$wanted" = "$got" ]; }; then
        diff -u "$golden/$name.txt" "$tmp/frame"
        echo "$name: differs (UPDATE_GOLDEN=1 writes it anew)"
        failed=$((failed + 1))
        return
    fi
    passed=$((passed + 1))
}

# 5,000 blocks with short lives and sizes of a long tail, the same every time.
awk 'BEGIN {
    print "id,lower,upper,size"
    x = 1
    for (i = 0; i < 5000; i++) {
        x = (x * 16807) % 2147483647
        life = 1 + x % 37 + (x % 50 == 0) * 400
        x = (x * 16807) % 2147483647
        size = 64 * (1 + x % 64 + (x % 40 == 0) * 2000)
        printf "t%d,%d,%d,%d\n", i, i, i + life, size
    }
}' >"$tmp/many.csv"

for size in 40x12 80x24 120x30 200x60; do
    for alphabet in utf8 ascii; do
        option=()
        [ $alphabet = ascii ] && option=(--ascii)
        frame small-$size-$alphabet $size "$here/models/small.json" -p lifetime "${option[@]}" <<'END'
goto 14
select-current
END
        frame empty-$size-$alphabet $size "$here/models/empty.json" -p first-fit "${option[@]}" <<<'last'
        frame one-$size-$alphabet $size "$here/models/one.csv" -p first-fit "${option[@]}" <<<'last'
        frame many-$size-$alphabet $size "$tmp/many.csv" -p best-fit "${option[@]}" <<'END'
last
goto-peak
END
    done
done
# Runs side by side: why they part, what costs the peak, where every buffer lies.
for size in 80x24 120x40 200x60; do
    frame beside-$size $size "$here/models/small.json" -p greedy-by-size <<'END'
compare first-fit
last
END
done
frame beside-whole-80x24 80x24 "$here/models/small.json" -p greedy-by-size <<'END'
compare first-fit tflm-greedy
last
whole on
END
frame beside-offsets-80x24 80x24 "$here/models/small.json" -p greedy-by-size <<'END'
compare first-fit
last
pane offsets
END
# Every pane: beside the map, below it, and with the screen to itself; of nothing, of one, of many.
for pane in buffers card blame free operators bounds conflicts branches live neighbourhood tokens segments convergence search-tree cost log; do
    for size in 40x12 80x24 120x30; do
        frame pane-$pane-small-$size $size "$here/models/small.json" -p first-fit <<END
last
goto-peak
pane $pane
END
    done
    frame pane-$pane-empty-80x24 80x24 "$here/models/empty.json" -p first-fit <<<"pane $pane"
    frame pane-$pane-many-120x30 120x30 "$tmp/many.csv" -p best-fit <<END
last
cursor bound
select t42
pane $pane
END
    frame pane-$pane-whole-100x30-ascii 100x30 "$root/scripts/models/two_tiers.json" -p tier-search --ascii <<END
last
next-row
pane $pane
whole
END
done
frame tokens-120x40 120x40 "$here/models/small.json" -p token-sharing <<'END'
last
select relu_1_out
pane tokens
END
frame segments-120x40 120x40 "$root/tests/golden/models/swap.json" -p segment-genetic <<'END'
last
select C
pane segments
END
frame segments-reference-120x40 120x40 "$root/tests/golden/models/swap.json" -p farthest-next-use <<'END'
last
pane segments
END
frame sorted-120x30 120x30 "$tmp/many.csv" -p best-fit <<'END'
step 900
filter ^t.*7$
sort size
next-row
next-row
END
small=$here/models/small.json
tiers=$root/scripts/models/two_tiers.json
frame start-80x24 80x24 "$small" </dev/null
frame help-80x24 80x24 "$small" <<<'help'
frame help-all-80x24 80x24 "$small" <<<'help all'
frame help-45x20 45x20 "$small" <<<'help pin'
frame prompt-80x24 80x24 "$small" <<<'key : p i n Tab'
frame zoomed-120x30 120x30 "$small" -p first-fit <<'END'
last
select 層_和
zoom-block
END
frame whatif-120x30 120x30 "$small" -p first-fit <<'END'
step 2
pin probabilities 20K
last
END
frame break-120x30 120x30 "$small" -p lifetime <<'END'
break peak > 12K
continue
END
frame error-80x24 80x24 "$small" <<'END'
key : n o n s e n s e Enter
END
frame tiers-120x30 120x30 "$tiers" <<'END'
last
tier 1
END
frame candidate-120x40 120x40 "$small" -p best-fit <<'END'
step 8
next-candidate
next-candidate
END
frame small-20x5 20x5 "$small" <<<'last'

# One moment of an allocator: the map of its segments, panes of its own.
moment=$root/scripts/models/out_of_memory_moment.log
frame moment-80x24 80x24 "$moment" </dev/null
frame moment-200x60 200x60 "$moment" <<<'select 0x7f3c46200000'
frame moment-80x24-ascii 80x24 "$moment" --ascii <<<'pane sizes'
frame moment-card-100x30 100x30 "$moment" <<<$'select 0x7f3c46200000\npane card\nzoom-block'
frame moment-table-80x24 80x24 "$moment" <<<$'sort size\nwhole on'
frame moment-text-80x24 80x24 "$moment" <<<'text on'
frame moment-tour-100x30 100x30 "$moment" <<<$'tour\nkey Space\nkey Space'

# The five doors are one: a script of keys gives the frame that the commands give.
printf 'step 3\nselect-next\nzoom-in\nghosts\n' >"$tmp/commands"
printf 'key s s s Tab + Y\n' >"$tmp/keys"
for door in commands keys; do
    "$program" "$small" --screen 100x30 --script "$tmp/$door" >"$tmp/frame-$door"
done
if cmp -s "$tmp/frame-commands" "$tmp/frame-keys"; then
    passed=$((passed + 1))
else
    echo "keys and commands give different frames"
    failed=$((failed + 1))
fi

# A saved session shows the same frame when it is opened again.
printf 'step 5\npin probabilities 9000\nlast\nsave %s/s.stowage\nundo\nredo\nselect image\nsave\nselect\n' \
    "$tmp" >"$tmp/script"
printf 'select\n' >"$tmp/after"
"$program" "$small" -p first-fit --screen 100x30 --write-anywhere --script "$tmp/script" >"$tmp/a"
"$program" "$tmp/s.stowage" --screen 100x30 --script "$tmp/after" >"$tmp/b"
if [ -s "$tmp/a" ] && cmp -s "$tmp/a" "$tmp/b"; then
    passed=$((passed + 1))
else
    echo "a session opened again shows something else"
    diff "$tmp/a" "$tmp/b"
    failed=$((failed + 1))
fi

# Without a terminal it is `plan`, to the letter (but for the time it took); without FILE, of the model
# that ships.
same_as_plan() {
    local what=$1 file=$2
    shift 2
    "$program" "$@" </dev/null 2>"$tmp/error" | sed 's/ in [0-9.]* s/ in T s/' >"$tmp/a"
    "$program" plan "$file" </dev/null 2>/dev/null | sed 's/ in [0-9.]* s/ in T s/' >"$tmp/b"
    if [ -s "$tmp/a" ] && [ ! -s "$tmp/error" ] && cmp -s "$tmp/a" "$tmp/b"; then
        passed=$((passed + 1))
    else
        echo "$what: not what plan prints"
        diff "$tmp/a" "$tmp/b"
        failed=$((failed + 1))
    fi
}
same_as_plan "a model" "$small" "$small"
same_as_plan "no model" "$root/scripts/models/mobilenet_v1_025_96.json"

echo "$passed frames as they should be, $failed not"
[ "$failed" = 0 ]
