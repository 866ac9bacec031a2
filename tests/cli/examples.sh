#!/usr/bin/env bash
# Every example in scripts/README.md is run: what its first line says decides how.
. "$(dirname "$0")/lib.bash"
readme=$SOURCE/scripts/README.md
mkdir "$tmp/examples"
awk -v folder="$tmp/examples" '
    /^```lua$/ { inside = 1; count++; file = sprintf("%s/%02d.lua", folder, count); next }
    /^```$/ { inside = 0 }
    inside { print >file }' "$readme"
examples=0
for file in "$tmp/examples"/*.lua; do
    kind=$(sed -n '1s/^-- example: //p' "$file")
    name="example $(basename "$file" .lua), $kind"
    examples=$((examples + 1))
    case $kind in
    model) run plan "$file" ;;
    tiers) run plan "$models/teaching.lua" --tiers "$file" -p tier-search ;;
    cost) run plan "$models/two_tiers.json" -p tier-search --cost "$file" ;;
    action | rules) run plan "$models/two_tiers.json" -p tier-search --actions "$file" ;;
    breeding) run plan "$models/branches.json" -p order-genetic --breeding "$file" ;;
    assignments) run plan "$SOURCE/tests/golden/models/migrate.json" -p segment-genetic --breeding "$file" ;;
    reuse) run plan "$models/cpu_npu.lua" -p token-sharing --breeding "$file" ;;
    policy) run plan "$models/branches.json" -p lifetime-best-fit --policy "$file" ;;
    planner) run plan "$models/teaching.lua" -p "$file" ;;
    script) run "$models/teaching.lua" --script "$file" --screen 80x24 ;;
    experiment) run run "$file" ;;
    *) status="no '-- example: KIND' in its first line" ;;
    esac
    check "$name" [ "$status" = 0 ]
    check "$name: prints something" [ -s "$tmp/out" ]
done
check "there are examples" [ "$examples" -ge 7 ]
# The command lines, from the folder above scripts/.
cd "$SOURCE" || exit 1
while IFS= read -r line; do
    # shellcheck disable=SC2086
    eval "run ${line#\$ stowage }"
    check "$line" exits 0
done < <(sed -n '/^```console$/,/^```$/p' "$readme" | grep '^\$ stowage ')
for link in $(grep -oE '\]\([^)#]+\)' "$readme" | tr -d '])('); do
    check "$link is there" [ -e "$SOURCE/scripts/$link" ]
done
finish
