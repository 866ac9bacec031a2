#!/usr/bin/env bash
# run.sh [--all] [TARGET...]: the library for another processor, C library or compiler. It compiles there without a warning,
# its tests pass, and every planner makes the same of the same problems as in BUILD. A target is skipped where its
# tools are not installed: ./dev cross installs them. Without --all the quick tests run, with it those of random problems, too.
. "$(dirname "$0")/../cli/lib.bash"
unset STOWAGE_LONG # it is meant for this machine
here=$SOURCE/tests/cross
all=
[ "${1:-}" != --all ] || { all=1 && shift; }
[ $# -gt 0 ] || set -- aarch64 musl clang O0

declare -A tools=([aarch64]='aarch64-linux-gnu-gcc qemu-aarch64-static' [musl]=musl-gcc [clang]=clang [O0]=${CC:-cc})
declare -A setup=([aarch64]="--cross-file $here/aarch64.ini" [musl]="--cross-file $here/musl.ini"
    [clang]='--buildtype=release' [O0]='-Doptimization=0')
declare -A proof=([aarch64]='Machine: +AArch64' [musl]='NEEDED.*\[libc\.so\]' [clang]='clang version' [O0]='Machine:')
declare -A compiler=([clang]=clang)
declare -A wrapper=([aarch64]='qemu-aarch64-static -L /usr/aarch64-linux-gnu')

for target; do
    [ -n "${tools[$target]:-}" ] || {
        echo "run.sh: there is no target $target, but ${!tools[*]}" >&2
        exit 2
    }
done

# The names of the tests to run: test_auto alone takes longer than all other unit tests.
chosen() {
    meson test -C "$1" --list 2>/dev/null | sed -n 's/^.*stowage:\([a-z]*\) \/ /\1 /p' |
        awk -v all="$all" 'all || ($1 == "unit" && $2 != "test_auto") { print $2 }'
}

run_target() { # TARGET
    local build=$BUILD/cross/$1 built result name
    if [ ! -f "$build/build.ninja" ]; then
        rm -rf "$build"
        # shellcheck disable=SC2086
        CC=${compiler[$1]:-${CC:-cc}} meson setup "$build" "$SOURCE" ${setup[$1]} -Dapp=disabled -Dwerror=true >"$tmp/out" 2>&1
        check "$1: meson configures" same 0 $?
    fi
    ninja -C "$build" >"$tmp/out" 2>&1
    check "$1: everything compiles, without a warning" same 0 $?
    # shellcheck disable=SC2086
    ${wrapper[$1]:-} "$build/tests/cross/digests" >"$tmp/there" 2>"$tmp/err"
    diff "$tmp/here" "$tmp/there" >"$tmp/out"
    check "$1: every planner decides the same" same 0 $?
    # shellcheck disable=SC2046
    meson test -C "$build" --no-rebuild --print-errorlogs --timeout-multiplier 10 $(chosen "$build") >"$tmp/out" 2>&1
    check "$1: tests" same 0 $?
    while read -r result name; do
        check "$1: $name" same OK "$result"
    done < <(jq -r '"\(.result) \(.name | sub(".* / "; ""))"' "$build/meson-logs/testlog.json")
    built=$build/engine/libstowage.so
    check "$1: it is what it says" grep -qE "${proof[$1]}" <(readelf -hdW -p .comment "$built")
    echo "$1: $(readelf -h "$built" | sed -n 's/^ *Machine: *//p'), $(wc -l <"$tmp/there") runs of planners," \
        "$(wc -l <"$build/meson-logs/testlog.json") test programs"
}

# What stands in for cmocka there must be able to fail, too.
cat >"$tmp/failing.c" <<'C'
#include <cmocka.h>
static void fine(void **state) { (void)state; assert_int_equal(1, 1); test_free(test_realloc(NULL, 8)); }
static void unequal(void **state) { (void)state; assert_int_equal(1, 2); }
static void other_text(void **state) { (void)state; assert_string_equal("a", "b"); }
static void untrue(void **state) { (void)state; assert_true(0); }
static void leaks(void **state) { (void)state; (void)!test_realloc(NULL, 8); }
static void skips(void **state) { (void)state; skip(); }
int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(fine), cmocka_unit_test(unequal), cmocka_unit_test(other_text),
        cmocka_unit_test(untrue), cmocka_unit_test(leaks), cmocka_unit_test(skips)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
C
${CC:-cc} -std=c11 "-I$here/standin" "$tmp/failing.c" -o "$tmp/failing"
"$tmp/failing" >"$tmp/out" 2>&1
status=$?
check "the stand-in counts four failed cases" exits 4
check "and one that is fine" says '^\[  PASSED  \] 1 test'
check "and one that is skipped" says '^\[  SKIPPED \] 1 test'

"$BUILD/tests/cross/digests" >"$tmp/here"
check "every planner runs here" [ "$(cut -d' ' -f2 "$tmp/here" | sort -u | wc -l)" -ge 12 ]
for target; do
    missing=()
    for tool in ${tools[$target]}; do
        command -v "$tool" >/dev/null || missing+=("$tool")
    done
    if [ ${#missing[@]} -gt 0 ]; then
        skip "$target: ${missing[*]} missing; ./dev cross installs what is needed"
    else
        run_target "$target"
    fi
done
finish
