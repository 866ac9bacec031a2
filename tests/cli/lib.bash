# Sourced by every suite of the command line. meson sets STOWAGE (the program), SOURCE and BUILD (the
# folders) and SANITIZE (what the build was made with).
set -u
export LC_ALL=C.UTF-8
unset POSIXLY_CORRECT STOWAGE_DATA STOWAGE_STATE
models=$SOURCE/scripts/models
data=$SOURCE/../shared/data
tmp=$(mktemp -d)
home=$(mktemp -d) # a folder of its own: what the user has there is neither read nor changed
export XDG_CONFIG_HOME=$home/config XDG_STATE_HOME=$home/state
# A suite that ends without finish has not failed as it should.
trap 'status=$?; rm -rf "$tmp" "$home"; [ "$status" != 0 ] || [ -n "${finished:-}" ] || { echo "FAILED: the suite has no end"; exit 1; }' EXIT
passed=0 failed=0 skipped=0

# run ARGUMENT...: the program, without a terminal; sets status, and the files $tmp/out and $tmp/err.
run() {
    "$STOWAGE" "$@" >"$tmp/out" 2>"$tmp/err" </dev/null
    status=$?
}

# check NAME COMMAND...: one test case.
check() {
    local name=$1
    shift
    if [ "$1" = json ] && put_off "$name" "$2"; then
        return
    fi
    if "$@" >"$tmp/check" 2>&1; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        printf 'FAILED: %s: %s\n' "$name" "$*"
        sed 's/^/    | /' "$tmp/check"
        [ -f "$tmp/out" ] && { printf '    status %s, standard output:\n' "${status-}"; head -c 2000 "$tmp/out" | sed 's/^/    > /'; echo; }
        [ -f "$tmp/err" ] && { printf '    standard error:\n'; head -c 2000 "$tmp/err" | sed 's/^/    ! /'; echo; }
    fi
}

skip() {
    skipped=$((skipped + 1))
    printf 'skipped: %s\n' "$*"
}

# matches PATTERN FILE: is there such a line? To start grep takes longer than to look at a few lines; what bash does not
# find in them is grep's to say.
matches() {
    local lines line
    mapfile -t -n 100 lines <"$2"
    for line in "${lines[@]}"; do
        [[ $line =~ $1 ]] && return
    done 2>/dev/null
    grep -qE -- "$1" "$2"
}

# The usual questions about the last run.
exits() { [ "$status" -eq "$1" ]; }
says() { matches "$1" "$tmp/out"; }
# Text whose lines were broken at 80 columns, with the parts of each in one line again.
unbroken() { sed -z 's/\n  \([0-9a-zA-Z]\)/ \1/g' "$1"; }
silent() { [ ! -s "$tmp/out" ]; }
calm() { [ ! -s "$tmp/err" ]; }
complains() {
    local lines
    mapfile -n 2 lines <"$tmp/err"
    [ ${#lines[@]} -eq 1 ] && [[ $lines == *$'\n' ]] && matches "^stowage: $1" "$tmp/err"
}
# json FILTER: is it true of standard output?
json() { [ -s "$tmp/out" ] && jq -e "$1" "$tmp/out"; }
# jq takes longer to start than to answer, so checks by json are put off, and finish asks them all at once.
put_off_names=() put_off_filters=()
put_off() { # NAME FILTER: not what is large, nor what may be no JSON
    local text
    IFS= read -r -d '' -N 100001 text <"$tmp/out"
    [ ${#text} -gt 1 ] && [ ${#text} -lt 100000 ] && [[ $text == [\[\{]* ]] || return
    printf '%s' "$text" >"$tmp/put_off.${#put_off_names[@]}"
    put_off_names+=("$1") put_off_filters+=("$2")
}
ask_put_off() {
    local i count=${#put_off_names[@]} files=() wrong
    [ "$count" -gt 0 ] || return
    {
        printf '[inputs] as $d | if ($d | length) != %s then "all" else\n' "$count"
        for ((i = 0; i < count; i++)); do
            files+=("$tmp/put_off.$i")
            printf '($d[%s] | if (try ([(%s\n)] | length > 0 and (last | . != null and . != false)) catch false) then empty else "%s" end),\n' \
                "$i" "${put_off_filters[i]}" "$i"
        done
        echo 'empty end'
    } >"$tmp/put_off.jq"
    wrong=$(jq -nr -f "$tmp/put_off.jq" "${files[@]}" 2>/dev/null) || wrong=all
    for ((i = 0; i < count; i++)); do
        if [ "$wrong" = all ] || [[ $'\n'$wrong$'\n' == *$'\n'$i$'\n'* ]]; then
            mv "$tmp/put_off.$i" "$tmp/out" # alone, so that it is told why
            rm -f "$tmp/err"
            check "${put_off_names[i]}" asked "${put_off_filters[i]}"
        else
            passed=$((passed + 1))
        fi
    done
    put_off_names=() put_off_filters=()
}
asked() { json "$@"; }
same() { [ "$1" = "$2" ]; }

# refuses NAME ARGUMENT... because PATTERN: exit 2, nothing on standard output, one line on standard error.
refuses() {
    local name=$1 arguments=()
    shift
    while [ "$1" != because ]; do
        arguments+=("$1")
        shift
    done
    run "${arguments[@]}"
    check "$name: exit 2" exits 2
    check "$name: nothing on standard output" silent
    check "$name: says why" complains "$2"
}

finish() {
    finished=yes
    ask_put_off
    printf '%s passed, %s failed, %s skipped\n' "$passed" "$failed" "$skipped"
    [ "$failed" -eq 0 ]
}

command -v jq >/dev/null || {
    echo "skipped: jq is not installed"
    exit 77
}

# All lines; a third of them under the sanitizers, where the plain run has had them all.
thin() { if [ "$SANITIZE" = none ]; then cat; else awk 'NR % 3 == 1'; fi; }

# A table of compare as text, with a row for each of the planners that are named below the row of the first of them.
unfold() {
    awk '/^  \+[0-9]+ others / { others = 1; sub(/^[^:]*:/, "") }
        !/^ / { others = 0; row = $0 }
        !others { print; next }
        { count = split($0, names, /[ ,]+/)
          for (i = 1; i <= count; i++) if (names[i] != "") { one = row; sub(/^[^ ]+/, names[i], one); print one } }' "$@"
}
