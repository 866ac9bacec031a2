#!/usr/bin/env bash
# What a summary says to do next: every command is given to sh as it is printed, and must make the run again that was
# summarized: the same planner, seed, settings and conditions, with names that a shell would take apart.
. "$(dirname "$0")/lib.bash"
cd "$tmp" || exit 1
mkdir bin
ln -s "$STOWAGE" bin/stowage
export PATH=$tmp/bin:$PATH
export STOWAGE_DATA=$SOURCE

# What a run came to, apart from the time that it took and the commands that follow.
told() { sed -e 's/ in [0-9.]* s/ in T s/' -e '/^next: /,$d' "$1"; }
peak_of() { sed -n 's/^  peak .* \([0-9,]*\) B.*/\1/p' "$1" | head -1 | tr -d ,; }

# repeats WHAT ARGUMENT...: each command that this summary ends with, through sh.
hints=0
repeats() {
    local what=$1 line command count=0
    shift
    run "$@"
    cp out summary
    planner=$(sed -n 's/^\([a-z-]*\), seed.*/\1/p' summary | head -1)
    cp err said
    while IFS= read -r line; do
        command=${line%%   to *}
        count=$((count + 1)) hints=$((hints + 1))
        rm -f plan.csv better.*
        sh -c "$command" >again 2>again_err </dev/null
        case $command in
        "stowage plan "*)
            check "$what: $command" test -s plan.csv
            check "$what: the plan is the run's" same "$(peak_of summary)" "$(awk -F, 'NR > 1 { end = $4 + $5; if (end > peak) peak = end } END { print peak + 0 }' plan.csv)"
            ;;
        "stowage convert "*)
            check "$what: $command" test -s "$(echo better.*)"
            check "$what: the order is the run's" same "$(awk '/^  alive at most/ { gsub(",", ""); print $6 }' summary)" \
                "$("$STOWAGE" plan better.* -p first-fit --format json | jq .lower_bound)"
            ;;
        "stowage compare "*)
            check "$what: $command" test -s again
            unfold again >unfolded
            check "$what: its row is in the table" grep -qE "^$planner .*$(sed -n 's/^  peak .* \([0-9,]*\) B.*/\1/p' summary | head -1)|^$planner .*infeasible" unfolded
            ;;
        "stowage suggest "*)
            check "$what: $command" grep -q "$planner.*: peak.* $(sed -n 's/^  peak .* \([0-9,]*\) B.*/\1/p' summary | head -1) B" again
            check "$what: moves were tried" grep -qE '^[0-9,]+ moves? (was|were) tried' again
            ;;
        "stowage fit "*)
            check "$what: $command" grep -qE '^It (fits|cannot be done with these moves)|^Nothing that was planned fits' again
            ;;
        *)
            check "$what: $command" same "$(told summary)" "$(told again)"
            check "$what: what it says beside" cmp said again_err
            ;;
        esac
    done < <(sed -n -e '/^next: /,$ { s/^next: //; s/^      stowage/stowage/; p }' out)
    check "$what: there is a command" [ "$count" -ge 1 ]
}

net=mobilenet_v1_025_96.json
cp "$models/$net" "$models/two_cores.lua" "$models/randwire.lua" "$models/example1.json" .
repeats "a planner" plan $net -p greedy-by-size
check "the planner is named" grep -q "^next: stowage $net -p greedy-by-size  *to see why" out
check "what lowers the peak is asked" grep -q "^      stowage suggest $net -p greedy-by-size  *to see what lowers the peak" out
repeats "optimal" plan $net
check "but not where nothing does" [ "$(grep -c 'stowage suggest' out)" = 0 ]
repeats "a seed and a setting" plan $net -p order-genetic --seed 7 --set generations=2 --set population=4
repeats "several seeds at once" plan $net -p order-genetic --set generations=1 --set population=2 --threads 3
cat >windows.json <<'EOF'
{"format":"stowage-graph","version":1,"name":"windows",
 "operators":[
  {"name":"a","kind":"conv_2d","inputs":["x"],"outputs":["m"],"window":{"kernel":[1,1]},"macs":65536},
  {"name":"b","kind":"conv_2d","inputs":["m"],"outputs":["y"],"window":{"kernel":[3,3],"pad":[1,1,1,1]},"macs":589824}],
 "buffers":[
  {"name":"x","kind":"input","dtype":"int8","shape":[1,16,16,4]},
  {"name":"m","dtype":"int8","shape":[1,16,16,64]},
  {"name":"y","kind":"output","dtype":"int8","shape":[1,16,16,4]}]}
EOF
for capacity in 9000 100; do
    repeats "infeasible, with windows, $capacity" plan windows.json --capacity $capacity
    check "infeasible, with windows, $capacity: fit changes it" grep -qxE " +stowage fit windows.json --capacity $capacity --capacity-of head +to change the model so that it fits" summary
done
repeats "infeasible" plan $net -p greedy-by-size --capacity '54 KiB'
check "infeasible, without windows: no fit" sh -c '! grep -q "stowage fit" summary'
run plan $net -p greedy-by-size --capacity '54 KiB'
check "infeasible: it carries the capacity" grep -q "^next: stowage $net -p greedy-by-size --capacity '54 KiB'" out
repeats "infeasible for all" plan $net -p best-fit --capacity 40K
repeats "in place" plan $net -p greedy-by-breadth --inplace safe
repeats "a base" plan $net -p greedy-by-breadth --base 0x2000
printf '{"tiers":[{"name":"a b","capacity":60000,"bandwidth":16},{"name":"dram","bandwidth":1,"latency":10}]}' >'my tiers.json'
repeats "tiers, and a cost model that ships" plan $net -p tier-search --tiers 'my tiers.json' --cost energy --work 20000
repeats "a list of segments" plan $net -p tier-search --tiers 'my tiers.json' --set segments=at:3,9 --work 20000
repeats "actions that ship" plan $net -p tier-search --tiers 'my tiers.json' --actions swap --work 20000
repeats "operators that ship" plan $net -p order-genetic --breeding own --set generations=1
repeats "a policy that ships" plan $net -p lifetime-best-fit --policy own_fit
repeats "arguments of a model" plan randwire.lua --arg seed=4 --arg 'nodes=8' -p first-fit
repeats "a better order" plan randwire.lua --arg seed=4 -p order-greedy
"$STOWAGE" plan $net -p first-fit --order <(jq -r '.operators[].name' $net) >out
check "what a pipe brought cannot be read again" bash -c 'grep -q peak out && ! grep -q "^next" out'
jq -r '.operators[].name' $net >order
repeats "an order" plan $net -p greedy-by-breadth --order order
repeats "without a terminal" $net -p greedy-by-breadth

# Names that a shell would take apart; such files are meant wherever one is named.
for name in "it's a \$HOME" '`id`"q"\;*&{a,b}%s' '~' '-x' $'nl\n\ttab\e[31m%d\\\'\xff' plan '#é'; do
    cp $net "./$name"
    cp 'my tiers.json' "./$name.tiers"
    if [ "$name" = plan ]; then
        repeats "a file called $name" -p greedy-by-breadth -- "./$name"
    else
        repeats "a file called $name" plan -p greedy-by-breadth --tiers "./$name.tiers" -- "./$name"
    fi
    rm "./$name" "./$name.tiers"
done
check "nothing of a name acts on a terminal" bash -c "! LC_ALL=C grep -qP '[\x00-\x08\x0b-\x1f\x7f]' summary"

# A session can only be opened again; what came from a stream is gone.
printf 'last\nsave s.stowage\n' >script
"$STOWAGE" $net -p greedy-by-breadth --script script --screen 80x24 >/dev/null
repeats "a session" s.stowage
check "a session is not compared" same 1 "$(sed -n '/^next: /,$p' out | wc -l)"
"$STOWAGE" plan - <$net >out
check "of a stream nothing is said" bash -c '! grep -q "^next" out'
check "there were many" [ "$hints" -ge 30 ]
finish
