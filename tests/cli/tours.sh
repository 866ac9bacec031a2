#!/usr/bin/env bash
# Recordings: every tour that ships plays, and becomes a whole picture, the same each time.
. "$(dirname "$0")/lib.bash"
model=$SOURCE/scripts/models/mobilenet_v1_025_96.json
for tour in "$SOURCE"/scripts/tours/*.keys; do
    name=$(basename "$tour" .keys)
    check "$name plays" "$STOWAGE" "$model" -p greedy-by-size --script "$tour" --screen 110x32 \
        --record "$tmp/$name.svg"
    "$STOWAGE" "$model" -p greedy-by-size --script "$tour" --screen 110x32 --record "$tmp/again.svg"
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
finish
