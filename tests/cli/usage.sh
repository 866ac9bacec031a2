#!/usr/bin/env bash
# Options, operands, help, and what is said about wrong ones.
. "$(dirname "$0")/lib.bash"
model=$models/example1.json

run --version
check "version" says '^stowage [0-9]+\.[0-9]+\.[0-9]+$'
run --help
check "help: exit 0" exits 0
check "help: nothing on standard error" calm
commands=$("$STOWAGE" list subcommands | awk '{print $1}')
check "there are fifteen subcommands" same "$(echo $commands)" "plan trace compare check export diff convert list run attach tune fit suggest gate survey"
for command in $commands; do
    run --help
    check "help names $command" says "^  stowage $command "
    run "$command" --help
    check "$command --help: exit 0" exits 0
    check "$command --help: usage" says "^usage: stowage $command "
    check "$command --help: an example" says "^  stowage $command "
    check "$command --help: fits a terminal" same "" "$(grep -E '.{81}' "$tmp/out")"
    for option in $("$STOWAGE" list options "$command" | awk '{print $1}'); do
        check "$command --help names $option" says "(^|[ ,])$option( |\$)"
        check "the man page has a heading for $option" grep -q -- "^\\\\fB.*${option//-/\\\\-}\\\\fR" "$BUILD/stowage.1"
        check "that of $command, too" grep -q -- "^\\\\fB.*${option//-/\\\\-}\\\\fR" "$BUILD/stowage-$command.1"
    done
    check "the page of $command has no other options" same "$("$STOWAGE" list options "$command" | wc -l)" \
        "$(sed -n '/^\.SH OPTIONS/,/^\.SH EX/p' "$BUILD/stowage-$command.1" | grep -A1 '^\.TP' | grep -c '^\\fB')"
    check "its examples are those of the help" same "$("$STOWAGE" "$command" --help | sed -n 's/^  \(stowage .*\)/\1/p')" \
        "$(sed -n '/^\.SH EXAMPLES/,/^\.fi/s/^\(stowage .*\)/\1/p' "$BUILD/stowage-$command.1" | sed 's/\\-/-/g')"
    check "stowage(1) names it" grep -q "^\.BR stowage.-$command (1)" "$BUILD/stowage.1"
done
for page in "$BUILD"/stowage*.1; do # a page without a date says nothing false
    name=$(basename "$page")
    command -v man >/dev/null && check "man has nothing against $name" same "" "$(MANROFFSEQ='' MANWIDTH=80 man --warnings -l "$page" 2>&1 >"$tmp/shown")"
    command -v man >/dev/null && check "and shows it" grep -q '^EXIT STATUS' "$tmp/shown"
    command -v mandoc >/dev/null && check "nor has mandoc" same "" "$(mandoc -T lint -W warning "$page" | grep -v 'missing date')"
    check "whatis finds $name" grep -qE "^${name%.1} \\\\?- " <(sed -n '/^\.SH NAME/{n;s/\\-/-/g;p}' "$page")
done
command -v man >/dev/null || skip "man is not installed"
command -v mandoc >/dev/null || skip "mandoc is not installed"

# Its prose speaks of no others. The type of a value gives completion its words.
check "the man page has no other options" same "" "$(sed 's/\\-/-/g' "$BUILD/stowage.1" | grep -oE -- '--[a-z][a-z-]+' | sort -u |
    grep -vxF -e --help -e --version -e --old- -e --new- -e "$("$STOWAGE" list options | awk '{print $1}')")"
for option in $("$STOWAGE" list options --format json | jq -r '.[] | select(.argument | test("^[a-z-]+([|][a-z-]+)+$")) | .name'); do
    check "the words of $option are those of its help" same "$("$STOWAGE" list values "${option#--}" | tr '\n' '|')" \
        "$("$STOWAGE" list options --format json | jq -r ".[] | select(.name == \"$option\") | .argument")|"
done

check "the man page says from where the explorer's commands may come" same 4 "$(grep -c '^\.B from: ' "$BUILD/stowage.1")"

run -h
check "-h" says '^usage:'

# Options before and after, short and long, cut short, with = and without.
"$STOWAGE" plan "$model" -p first-fit --format json | jq 'del(.seconds)' >"$tmp/a"
for way in "-p first-fit --format json plan $model" "plan --planner=first-fit $model --format=json" \
    "plan $model -pfirst-fit --form json" "plan --plan first -- $model --format" "plan -p firs --format json -- $model"; do
    case $way in *"$model --format") continue ;; esac
    # shellcheck disable=SC2086
    run $way
    check "the same by: $way" same "$(jq 'del(.seconds)' "$tmp/out")" "$(cat "$tmp/a")"
done
POSIXLY_CORRECT=1 "$STOWAGE" plan "$model" -p first-fit --format json >"$tmp/out"
check "options after operands whatever the environment says" same "$(jq 'del(.seconds)' "$tmp/out")" "$(cat "$tmp/a")"

refuses "unknown option" plan "$model" --frobnicate because 'unknown option --frobnicate'
refuses "an option that is nearly one" plan "$model" --planer x because 'unknown option --planer; did you mean --planner\?$'
refuses "two letters exchanged" plan "$model" --capactiy=1K because 'unknown option --capactiy=1K; did you mean --capacity\?$'
refuses "a command that is nearly one" plna "$model" because "'plna' is neither a command nor a file; did you mean plan\?$"
refuses "a planner that is nearly the beginning of one" plan "$model" -p gredy because "there is no planner 'gredy'; did you mean greedy-by-size\?$"
refuses "unknown letter" plan "$model" -z because 'unknown option -z'
refuses "ambiguous option" plan "$model" --p x because 'option --p is ambiguous: --planner, --policy, --pins, --progress'
refuses "option twice" plan "$model" --seed 1 --seed 2 because 'option --seed is given twice'
refuses "option of another command" plan "$model" --level event because 'option --level does not belong to plan'
refuses "option of the explorer" plan "$model" --screen 80x24 because 'option --screen does not belong to plan'
refuses "option of no command yet" plan "$model" --every x.lua because 'unknown option --every'
refuses "value missing" plan "$model" --seed because 'option --seed needs a value'
refuses "value missing after a letter" plan "$model" -p because 'option -p needs a value'
refuses "value too much" plan "$model" --pins=1 because 'option --pins takes no value'
run --help
check "--help fits a terminal" same "" "$(grep -E '.{81}' "$tmp/out")"
run compare --help
check "help names the formats of a command" says '--format FORMAT +text \(default\), csv, json or md$'
run list --help
check "help names no other formats" says '--format FORMAT +text \(default\) or json$'
refuses "operand missing" plan because 'plan needs FILE'
refuses "second operand missing" check "$model" because 'check needs FILE PLAN'
refuses "too many operands" plan "$model" "$model" because 'plan takes only FILE'
refuses "unknown command" plna "$model" because "'plna' is neither a command nor a file"
refuses "unknown command alone" plna because "'plna' is neither a command nor a file"
refuses "a command of a later day" serve x.lua because "'serve' is neither a command nor a file"
refuses "a file named like a command" -- plan because 'plan: '
refuses "no such planner" plan "$model" -p nosuch because '.*nosuch.*'
refuses "ambiguous planner" plan "$model" -p greedy because '.*greedy.*'
refuses "no such topic" list nosuch because 'list: no topic nosuch'
refuses "no such format" plan "$model" --format xml because '--format xml: expected text, csv, json or md'
refuses "format the command lacks" plan "$model" --format md because 'plan has no format md'
refuses "format against name" plan "$model" --format json -o "$tmp/x.csv" because '--format contradicts the name'
refuses "output of no format" plan "$model" -o "$tmp/x.doc" because '.*'
check "nothing was written" [ ! -e "$tmp/x.doc" ]
refuses "from after to" trace "$model" --from 5 --to 4 because '--from 5 lies after --to 4'
refuses "from 0" trace "$model" --from 0 because '--from 0: expected'
refuses "no such level" trace "$model" --level fine because '--level fine: expected'
refuses "parameter without =" plan "$model" --set keep_outputs because '--set keep_outputs: expected KEY=VALUE'
refuses "no such parameter" plan "$model" -p lifetime --set nosuch=1 because '.*nosuch.*'
refuses "no such value" plan "$model" -p lifetime --set keep_outputs=maybe because '.*keep_outputs.*'
refuses "a parameter that no planner has" compare "$model" --set nosuch=1 because '.*nosuch.*'
refuses "planner twice" compare "$model" -p first-fit,first-fit because 'planner first-fit is named twice'
refuses "planner of no name" compare "$model" -p first-fit,, because '--planner: expected names'

for size in '' x 1x 1KK 1.3K 1.5 -1 +1 ' 1' '1 ' 0x 0xg 18446744073709551616 16777216T 4611686018427387904 64,51 1e3 1KB ٣; do
    refuses "capacity '$size'" plan "$model" --capacity "$size" because "--capacity: .*(is not a|is negative|is too large)"
done
run plan "$models/example1.json" -p random-order --set evaluations=2048
run_told() { sed -e 's/ in [0-9.]* s$//' -e '/^next: /d' "$tmp/out"; } # the commands that follow have the option as it was given
run_told >"$tmp/evaluations"
for count in 2,048 2K "2 KiB" 0x800; do
    run plan "$models/example1.json" -p random-order --set "evaluations=$count"
    run_told >"$tmp/told"
    check "a parameter, $count" cmp "$tmp/told" "$tmp/evaluations"
done
refuses 'a parameter twice' plan "$model" -p random-order --set evaluations=1 --set evaluations=2 because '--set: evaluations is given twice'
for size in 5120 5K 0x1400 1M 2G 5,120 5KiB "5 KiB" 5.00K "5,120 B"; do
    run plan "$model" -p lifetime --capacity "$size" --format json
    check "capacity $size" exits 0
done
run plan "$model" -p lifetime --capacity 5K --format json
check "K is 1024" json '.tiers[0].capacity == 5120'
for seed in x -1 1.0 18446744073709551616 1K; do
    refuses "seed $seed" plan "$model" --seed "$seed" because "--seed $seed: expected"
done
for limit in 0 -1 x inf nan 1e999; do
    refuses "time limit $limit" plan "$model" --time-limit "$limit" because "--time-limit $limit: expected"
done
refuses "work 0" plan "$model" --work 0 because '--work 0: expected'
refuses "base that overflows" plan "$model" --base 0xfffffffffffffff0 because '--base 0xfffffffffffffff0: '
refuses "base that is no number" plan "$model" --base 0xfffffffffffffffff because '--base .*: expected an address'
# ---- the explorer's files and addresses ----
cp "$models/example1.json" "$tmp/mine.json"
for command in save write export copy; do
    printf 'last\n%s %s\n' "$command" "$tmp/mine.json" >"$tmp/script"
    run "$tmp/mine.json" --script "$tmp/script" --screen 80x24
    check "explorer: $command never writes over the open model" cmp "$tmp/mine.json" "$models/example1.json"
    check "explorer: $command says so" grep -q 'is what is open here' "$tmp/err"
done
echo 'export /nonexistent/x.png' >"$tmp/script"
run "$tmp/mine.json" --script "$tmp/script" --screen 80x24
check "explorer: a file that cannot be written is named" grep -q '/nonexistent/x.png: ' "$tmp/err"
for line in hlep:help stpe:step planer:planner nxet-operator:next-operator; do
    echo "${line%:*}" >"$tmp/script"
    run "$tmp/mine.json" --script "$tmp/script" --screen 80x24
    check "explorer: ${line%:*}" grep -q "there is no command '${line%:*}'; did you mean ${line#*:}?" "$tmp/err"
done
for line in 'pane decisons:decisions' 'theme dakr:dark' 'planner gredy:greedy-by-size' 'select b00:b0' 'next opp1:op1' 'export x.svg layuot:layout'; do
    echo "${line%:*}" >"$tmp/script"
    run "$tmp/mine.json" -p order --script "$tmp/script" --screen 80x24
    check "explorer: ${line%:*}" grep -q "there is no .*; did you mean ${line#*:}?" "$tmp/err"
done
for line in 'sort color:birth, size, life, name or offset' 'sort size x:up or down' 'sync x:decision, operator, block or best' 'diff x:on or off' \
    'zoom-time x:in or out'; do
    echo "${line%:*}" >"$tmp/script"
    run "$tmp/mine.json" --script "$tmp/script" --screen 80x24
    check "explorer: ${line%:*}" grep -qE "say ${line#*:}, not '(color|x)'" "$tmp/err"
done
for word in tour:off quit:now; do
    echo "${word%:*} x" >"$tmp/script"
    run "$tmp/mine.json" --script "$tmp/script" --screen 80x24
    check "explorer: ${word%:*} x" grep -q "say ${word%:*}, or ${word%:*} ${word#*:}$" "$tmp/err"
done
# What is like nothing gets the whole list.
for view in '' foo; do
    refuses "view '$view'" export "$model" --view "$view" -o x.svg because "there is no view '$view'; there are: layout, "
done
refuses "a planner that is like none" plan "$model" -p foo because "there is no planner 'foo'; there are lifetime-best-fit, "
refuses "a command that is like none" man because "'man' is neither a command nor a file .see: stowage --help."
refuses "a setting that is too long" plan "$model" --set "k=$(printf 'x%.0s' {1..600})" because '--set: the value of k is longer than 511 bytes'
refuses "values of no option" list values because 'list values takes the name of an option'
echo setp >"$tmp/script"
run "$tmp/mine.json" --script "$tmp/script" --screen 80x24
check "explorer: letters that changed places" grep -q "did you mean step?" "$tmp/err"
echo 'step 2' >"$tmp/script"
run "$tmp/mine.json" -p first-fit --base 0x1000 --script "$tmp/script" --screen 100x24
check "explorer: --base shows in sentences" says 'memory\+6144'
finish
