#!/usr/bin/env bash
# Recordings: every tour that ships plays, and becomes a whole picture, the same each time.
. "$(dirname "$0")/lib.bash"
model=$SOURCE/scripts/models/mobilenet_v1_025_96.json
moment=$SOURCE/scripts/models/out_of_memory_moment.log
for tour in "$SOURCE"/scripts/tours/*.keys; do
    name=$(basename "$tour" .keys)
    played=("$model" -p greedy-by-size)
    [ "$name" = moment ] && played=("$moment")
    check "$name plays" "$STOWAGE" "${played[@]}" --script "$tour" --screen 110x32 \
        --record "$tmp/$name.svg"
    "$STOWAGE" "${played[@]}" --script "$tour" --screen 110x32 --record "$tmp/again.svg"
    check "$name is the same again" cmp "$tmp/$name.svg" "$tmp/again.svg"
    check "$name begins as a picture" grep -q '^<svg xmlns=' "$tmp/$name.svg"
    check "$name ends as one" test "$(tail -n 1 "$tmp/$name.svg")" = '</svg>'
    check "$name has a title" grep -q '<title>stowage explores ' "$tmp/$name.svg"
    check "$name moves" grep -q '<animate ' "$tmp/$name.svg"
    check "$name needs no script" test "$(grep -c '<script' "$tmp/$name.svg")" = 0
    check "$name: groups are closed" test "$(grep -o '<g ' "$tmp/$name.svg" | wc -l)" = \
        "$(grep -o '</g>' "$tmp/$name.svg" | wc -l)"
done
# The longer a frame stands, the longer the whole.
printf 'step\n# pause 3\nstep\n' >"$tmp/short.keys"
"$STOWAGE" "$model" --script "$tmp/short.keys" --record "$tmp/short.svg"
check 'three frames and a pause' grep -q 'dur="6s"' "$tmp/short.svg"
printf 'step\nfly\n' >"$tmp/wrong.keys"
check 'a wrong command is one line' test "$("$STOWAGE" "$model" --script "$tmp/wrong.keys" \
    --record "$tmp/wrong.svg" 2>&1 | wc -l)" = 1
check 'and nothing is written' test ! -e "$tmp/wrong.svg"
"$STOWAGE" "$model" --record "$tmp/none.svg" 2>"$tmp/error"
check 'a recording needs a script' test $? = 2
check 'which is said' grep -q 'needs a --script' "$tmp/error"
"$STOWAGE" "$model" --script "$tmp/short.keys" --record /nowhere/x.svg 2>"$tmp/error"
check 'a folder that is not there' test $? = 2
# At each station of :tour, Space does what the text asks for.
spaced() { # HOW-OFTEN
    { echo tour; for ((i = 0; i < $1; i++)); do echo 'key Space'; done; } >"$tmp/spaces.txt"
    run "$models/mobilenet_v1_025_96.json" --script "$tmp/spaces.txt" --screen 110x24
}
spaced 1
check "the tour steps" says 'decision 1/'
spaced 2
check "goes to the peak" says 'decision 4/32 .* peak 63K'
spaced 3
check "says why" says 'why the peak, and why the bound'
spaced 6
check "selects the block that is in the way" says 'conv_1_out: 18K, alive 0\.\.1, not placed yet'
spaced 7
check "carries it to the bottom" says 'pin conv_1_out 0\): peak 54K, 9K less'
spaced 9
check "takes that back" says 'undone: pin conv_1_out 0'
spaced 11
check "compares" says 'blocks by what differs from the first run'
check "and has one more station" says '12 of 12'
spaced 12
check "ends" exits 0
check "without a comparison on the screen" test "$(grep -cE 'of 12|from the first run|differences' "$tmp/out")" = 0
run "$models/two_tiers.json" --script "$tmp/spaces.txt" --screen 110x24
check "on any model" exits 0
finish
