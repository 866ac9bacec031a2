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
trap 'rm -rf "$tmp" "$home"' EXIT
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

# The usual questions about the last run.
exits() { [ "$status" -eq "$1" ]; }
says() { grep -qE -- "$1" "$tmp/out"; }
silent() { [ ! -s "$tmp/out" ]; }
calm() { [ ! -s "$tmp/err" ]; }
complains() { [ "$(wc -l <"$tmp/err")" -eq 1 ] && grep -qE -- "^stowage: $1" "$tmp/err"; }
# json FILTER: is it true of standard output?
json() { [ -s "$tmp/out" ] && jq -e "$1" "$tmp/out"; }
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
    printf '%s passed, %s failed, %s skipped\n' "$passed" "$failed" "$skipped"
    [ "$failed" -eq 0 ]
}

command -v jq >/dev/null || {
    echo "skipped: jq is not installed"
    exit 77
}

# All lines; a third of them under the sanitizers, where the plain run has had them all.
thin() { if [ "$SANITIZE" = none ]; then cat; else awk 'NR % 3 == 1'; fi; }
