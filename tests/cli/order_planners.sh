#!/usr/bin/env bash
# Planners that put the operators in order: what they print, what they write, what one may ask of them, in the explorer too.
. "$(dirname "$0")/lib.bash"
# 656 bytes in the order of the file, 528 in the best one, by trying all 34 orders; op4 runs with 496 or more in each.
cat >"$tmp/g.json" <<'END'
{"format":"stowage-graph","version":1,"name":"g","operators":[
 {"name":"op0","inputs":["x"],"outputs":["t0"]},
 {"name":"op1","inputs":["t0"],"outputs":["t1"]},
 {"name":"op2","inputs":["t1"],"outputs":["t2"]},
 {"name":"op3","inputs":["x","t2"],"outputs":["t3"]},
 {"name":"op4","inputs":["t0"],"outputs":["t4"]},
 {"name":"op5","inputs":["t1","t4","t2"],"outputs":["t5"]}],
 "buffers":[{"name":"x","kind":"input","size":80},{"name":"t0","size":208},{"name":"t1","size":32},
 {"name":"t2","size":128},{"name":"t3","size":208},{"name":"t4","size":208},{"name":"t5","kind":"output","size":64}]}
END
orders="order order-exact order-beam order-greedy"

# ---- the summary ----
for planner in $orders; do
    run plan "$tmp/g.json" -p "$planner" --format json
    check "$planner: exit 0" exits 0
    check "$planner: what is alive, before and now" json '.details.live_peak == 528 and .details.live_peak_before == 656'
    check "$planner: the order has all operators" json '.details.order | sort == ["op0","op1","op2","op3","op4","op5"]'
    check "$planner: the bound is none above" json '.details.order_bound <= 528 and .lower_bound == 528'
done
run plan "$tmp/g.json" -p order-exact --format json
check "exact: proved" json '.details.order_proved and .details.order_bound == 528 and .optimal and .peak == 528'
run plan "$tmp/g.json" -p order-beam --format json
check "a beam proves nothing" json '.details.order_proved == false and .optimal == false'
run plan "$tmp/g.json" -p order-lpmf --format json
check "lpmf: the rule's own order, be it no better" json '.details.live_peak == 656 and .details.live_peak_before == 656'
run plan "$tmp/g.json" -p order-lpmf --set from=end --format json
check "lpmf from the end" json '.details.live_peak >= 528'
run plan "$tmp/g.json" -p order
check "text: proved" says '^  peak +528 B +528 B +optimal: no order needs less$'
check "text: what the order saves" says '^  alive at most +528 B +528 B +656 B in the order of the file, -19\.5%; no order needs less$'
check "text: what to do with it" says "^next: stowage convert .*g\.json -p order -o better\.json "
run plan "$tmp/g.json" -p order --set then=first-fit --format json
check "then: the planner of offsets" json '.planner == "order" and .peak >= 528'
refuses "then: no planner that chooses an order itself" plan "$tmp/g.json" -p order --set then=order-greedy because ".*"

# ---- where a new order plans no better, the file's is kept ----
run plan "$tmp/g.json" -p order --set then=greedy-by-size --format json
check "greedy-by-size needs 720 in the best order: it is not taken" json \
    '.peak == 656 and .details.order == ["op0","op1","op2","op3","op4","op5"]'
run plan "$tmp/g.json" -p order --set then=greedy-by-size --set accept=always --format json
check "accept=always takes it" json '.peak == 720 and .details.live_peak == 528'

# ---- compare ----
run compare "$tmp/g.json" -p auto,order-exact,order-beam
check "compare: a plus is a proof for every order" says '^order-exact +528\+ +-19\.5% '
check "compare: a star for this one" says '^auto +656\* +0\.0% '
check "compare: both are explained" says '^\* proved: nothing smaller exists in this order of the operators$'
check "compare: the plus" says '^\+ proved: nothing smaller exists in any order of the operators$'
check "compare: the other bound" says '^order-beam puts the operators in another order, in which 528 B is the bound$'

# ---- out ----
run convert "$tmp/g.json" -p order-exact -o "$tmp/better.json"
check "convert -p: exit 0" exits 0
run plan "$tmp/better.json" -p auto --format json
check "convert -p: the model in that order" json '.peak == 528 and .optimal'
run plan "$tmp/better.json" -p order-exact --format json
check "convert -p: nothing is left to gain" json '.details.live_peak_before == 528 and .details.order_proved'
refuses "convert -p with a planner that orders nothing" convert "$tmp/g.json" -p first-fit -o "$tmp/none.json" because ".*"
refuses "convert -p and --order" convert "$tmp/g.json" -p order --order "$tmp/order" -o "$tmp/none.json" because ".*"
check "nothing is written" [ ! -e "$tmp/none.json" ]
run plan "$tmp/g.json" -p order-exact -o "$tmp/plan.json"
check "a plan in JSON holds its order" exits 0
run check "$tmp/g.json" "$tmp/plan.json"
check "check: by that order" exits 0
jq '.details.order |= reverse' "$tmp/plan.json" >"$tmp/wrong.json"
run check "$tmp/g.json" "$tmp/wrong.json"
check "check: an order that is none" exits 2
jq 'del(.details.order)' "$tmp/plan.json" >"$tmp/without.json"
run check "$tmp/g.json" "$tmp/without.json"
check "check: without its order the plan is for another model" exits 1
run plan "$tmp/g.json" -p order-exact -o "$tmp/plan.csv"
check "a plan in CSV: for which model" complains ".*note: this plan is for the model with its operators in another order; .*"
run plan "$tmp/g.json" -p order-exact --format json
jq -r '.details.order[]' "$tmp/out" >"$tmp/order"
run check "$tmp/g.json" "$tmp/plan.csv" --order "$tmp/order"
check "check --order" exits 0

# ---- two orders ----
run diff "$tmp/g.json" "$tmp/better.json"
check "diff: what stands elsewhere" says '^2 of 6 operators stand elsewhere: op4 4 -> 2, op5 5 -> 4$'
run diff "$tmp/g.json" "$tmp/better.json" --format md
check "diff: in Markdown" says '^2 of 6 operators stand elsewhere: op4 4 -> 2, op5 5 -> 4$'
run diff "$tmp/g.json" "$tmp/better.json" --format json
check "diff: as JSON" json '.moved == [{"operator":"op4","old":4,"new":2,"undone_peak":656},{"operator":"op5","old":5,"new":4,"undone_peak":656}]'
run diff "$tmp/g.json" "$tmp/g.json" --format json
check "diff: the same order" json '.moved == []'
run diff "$tmp/g.json" "$models/mobilenet_v1_025_96.json" --format json
check "diff: other operators" json '.moved == null'
run diff "$tmp/g.json" "$tmp/g.json" -p order-exact
check "diff: both sides in their order" says ' 528 +528 +same'

# ---- what is asked of the order besides ----
asked() { # SETTING PEAK
    run plan "$tmp/g.json" -p order-exact --set "$1" --format json
    check "$1: $2, proved" json ".details.live_peak == $2 and .details.order_bound == $2 and .details.order_proved"
}
asked "before=op3<op4" 656
asked "before=op4<op2" 528
asked 'before=op1<op4;"op4"<op2' 528
asked "before=0<1<4<2" 528
asked "together=op2,op3" 656
asked "together=op1, op4" 528
run plan "$tmp/g.json" -p order-exact --set 'before=op3<op4'
check "asked: said in the proof" says 'optimal: no order with what was asked for needs less$'
refuses "asked: the data have it the other way" plan "$tmp/g.json" -p order --set 'before=op5<op1' because "op5 cannot run before op1: .*"
refuses "asked: a circle" plan "$tmp/g.json" -p order --set 'before=op3<op4;op4<op2;op2<op3' because ".* cannot run before .*"
refuses "asked: itself" plan "$tmp/g.json" -p order --set 'before=op3<op3' because "op3 cannot run before op3: it is the same operator"
refuses "asked: one has to run between" plan "$tmp/g.json" -p order --set 'together=op1,op5' because \
    "op1 and the operators listed with it cannot be kept together: op2 has to run between them"
refuses "asked: twice" plan "$tmp/g.json" -p order --set 'together=op1,op2;op2,op3' because "op2 is listed twice: .*"
refuses "asked: no operator" plan "$tmp/g.json" -p order --set 'before=op3<door' because "before: there is no operator 'door'"
refuses "asked: one alone" plan "$tmp/g.json" -p order --set 'before=op3' because "before: one operator alone; say A<B"
refuses "asked: a quotation mark" plan "$tmp/g.json" -p order --set 'before="op3<op4' because "before: a quotation mark is missing"

# ---- what every order holds ----
run plan "$tmp/g.json" -p first-fit --bounds
check "bounds: the claim" says '^order: every order of the operators has 528 B or more alive; the best one has no more, this one 656 B$'
check "bounds: its witness" says '^every order holds 496 B or more when op4 runs: 2 buffers always, and, of what may be alive then, at best one other:$'
check "bounds: a buffer that no order can do without" says '^  t4 +208 B  in every order$'
check "bounds: one that some order can" says '^  x +80 B  the cheapest choice$'
check "bounds: the rest of the proof" says '^That no order needs less than 528 B was found by trying every order within less\.$'
run plan "$tmp/g.json" -p first-fit --bounds --format json
check "bounds: as JSON" json '.details.bounds.order | .bytes == 528 and .best == 528 and .present == 656 and .operator == "op4" and .held_bytes == 496'
run plan "$tmp/better.json" -p first-fit --bounds
check "bounds: of the best order" says '^order: every order of the operators has 528 B or more alive; this one has no more$'

# ---- writing in place ----
cat >"$tmp/over.json" <<'END'
{"format":"stowage-graph","version":1,"name":"over","operators":[
 {"name":"f","inputs":["x"],"outputs":["a"]},
 {"name":"r","inputs":["a"],"outputs":["b"],"inplace":true},
 {"name":"g","inputs":["b"],"outputs":["y"]}],
 "buffers":[{"name":"x","kind":"input","size":64},{"name":"a","size":100},{"name":"b","size":100},{"name":"y","kind":"output","size":10}]}
END
run plan "$tmp/over.json" -p order-exact --format json
check "in place off: both are alive" json '.details.live_peak == 200 and .details.order_bound == 200 and .optimal'
run plan "$tmp/over.json" -p order-exact --inplace safe --format json
check "in place safe: the saving is part of the cost" json '.details.live_peak == 164 and .details.order_bound == 164 and .peak == 164 and .optimal'
run plan "$tmp/over.json" -p first-fit --inplace safe --bounds
check "in place safe: in the bounds, too" says '^order: every order of the operators has 164 B or more alive; this one has no more$'

# ---- control flow stays whole ----
loop=$SOURCE/tests/fuzz/corpus/tflite/loop
run plan "$loop" -p order-exact --format json
check "a loop: in its order" json '.details.order == ["while_0","while_0/cond/begin","while_0/cond/conv_2d_0","while_0/cond/end","while_0/subgraph2/begin","while_0/subgraph2/conv_2d_0","while_0/subgraph2/conv_2d_1","while_0/subgraph2/end"] and .details.order_proved'
run convert "$loop" -p order-exact -o "$tmp/loop.tflite"
check "a loop: written" cmp "$loop" "$tmp/loop.tflite"
jq '(.operators[] | select(.name == "op4" or .name == "op5")).joined = true' "$tmp/g.json" >"$tmp/joined.json"
run plan "$tmp/joined.json" -p order-exact --format json
check "joined: right behind each other, proved" json '(.details.order | (index("op4") - index("op3") == 1) and (index("op5") - index("op4") == 1)) and .details.order_bound == 656 and .optimal'
run convert "$tmp/joined.json" -o - 
check "joined: written as JSON" json '[.operators[].joined] == [null,null,null,null,true,true]'
printf 'op0\nop1\nop2\nop4\nop3\nop5\n' >"$tmp/order"
refuses "joined: an order that takes them apart" plan "$tmp/joined.json" --order "$tmp/order" because ".*order:4:1: op4 must run right after op3: they are parts of one operator"
jq '.operators[3].joined = 1' "$tmp/g.json" >"$tmp/wrong.json"
refuses "joined: no truth" plan "$tmp/wrong.json" because '.*"joined" must be true or false'
refuses "joined: a wish that comes between" plan "$tmp/joined.json" -p order --set 'before=op3<op2' because "op3 cannot run before op2: .*"
refuses "joined: one with two groups" plan "$tmp/joined.json" -p order --set 'together=op2,op3' because "op3 is listed twice: .*"
printf 'reorder op5 4\n' >"$tmp/script"
run "$tmp/joined.json" --script "$tmp/script" --screen 100x20
check "joined: no single one moves" complains ".*op5 is one of several parts of an operator, which stay together"

# ---- what has no order to choose ----
printf 'id,lower,upper,size\nb,0,1,4\n' >"$tmp/t.csv"
refuses "no operators" plan "$tmp/t.csv" -p order because ".*operators.*"
jq '.operators[0].core = "one" | .operators[1].core = "two"' "$tmp/g.json" >"$tmp/cores.json"
refuses "several cores" plan "$tmp/cores.json" -p order because ".*on several cores .*"
jq '.buffers[1].first = 0 | .buffers[1].last = 4' "$tmp/g.json" >"$tmp/given.json"
run plan "$tmp/given.json" -p order --format json
check "a lifetime that is given, and is what the operators say: an order" json '.details.live_peak == 528'
jq '.buffers[4].first = 3 | .buffers[4].last = 4' "$tmp/g.json" >"$tmp/given.json"
refuses "a lifetime of its own" plan "$tmp/given.json" -p order because ".*t3 has a lifetime .*"

# ---- a limit ----
run plan "$tmp/g.json" -p order-exact --work 1 --format json
check "a limit: an order and a plan all the same" json '.feasible and .peak <= 656 and .details.order_bound <= 528'

# ---- the explorer ----
explore() { # COMMANDS
    printf '%b' "$1" >"$tmp/script"
    run "$tmp/g.json" -p "${2:-order-greedy}" --script "$tmp/script" --screen 130x30
}
explore 'step 3\n'
check "screen: what runs next" says 'Chooses op1 among 2 operators that may'
check "screen: what is alive afterwards, and while it runs" says 'after while verdict'
check "screen: not the bound of a layout" says "order now 288  file's 656  orders' bound 432"
explore 'step 3\nnext op4\n'
check "next: that one runs" says 'Chooses op4 among 2 operators'
check "next: a branch" says 'branch 2 of 2'
explore 'step 3\nnext op5\n'
check "next: not before what it waits for" complains '.*op5 may not run here: .*'
explore 'last\n' order-exact
check "screen: the order that was found" says 'peak 528  bound 528'
explore 'before op3 op4\nlast\n' order-exact
check "before: a run that has it" says 'peak 656  bound 656'
explore 'before 3 4\nlast\n' order-exact
check "before: by the steps at which they stand" says 'peak 656  bound 656'
explore 'together op2 op3\nlast\n' order-exact
check "together: a run that has it" says 'peak 656  bound 656'
explore 'reorder auto\nlast\n' auto
check "reorder auto: a branch in the order that needs least" says 'branch 2 of 2 .*peak 528  bound 528'
explore 'last\npane blame\nwhole\n' auto
check "blame: what reordering would save" says 'All operators in a better order \(reorder auto\): the bound falls by 128 B to 528 B; no order'
check "blame: what no order can avoid" says 'Every order holds 496 B or more when op4 runs, always t0 and t4 \(pane bounds\)\.'
explore 'last\nreorder auto\nlast\npane blame\nwhole\n' auto
check "blame: and then nothing" says 'No order of the operators lowers the bound: each needs as much\.'
explore 'last\npane schedule\nwhole\n' auto
check "schedule: what a better order would move" says 'A better order moves 2 of 6 operators \(reorder auto\)\.'
explore 'last\npane schedule\nwhole\n' order-exact
check "schedule: what has moved" says '2 of 6 operators moved\.'
check "schedule: what a move is worth" says 'op4 +4 +2 656 \(reorder op4 3\)'
explore 'last\nreorder op4 3\nlast\n' order-exact
check "schedule: undone, and it is so" says 'branch 2 of 2 +peak 656  bound 656'
run export "$tmp/g.json" -p order-exact --view schedule -o "$tmp/s.svg"
check "schedule: a picture" exits 0
check "schedule: its words" grep -q 'live bytes in the order of the file' "$tmp/s.svg"
explore 'before op3 op4\n' first-fit
check "before: first-fit chooses no order" complains '.*first-fit does not choose the order of the operators; .*'
cd "$tmp" || exit
printf 'step 3\nnext op4\nlast\nbefore op3 op4\nreorder auto\nlast\nsave s.stowage\n' >script
run g.json -p order-greedy --script script --screen 100x20
cp out first 2>/dev/null || cp "$tmp/out" "$tmp/first"
run s.stowage --screen 100x20
check "a session brings it all back" same "$(head -n 1 "$tmp/out" | tr -s ' ' | cut -d' ' -f3-)" "$(head -n 1 "$tmp/first" | tr -s ' ' | cut -d' ' -f3-)"
finish
