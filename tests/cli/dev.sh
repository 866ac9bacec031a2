#!/usr/bin/env bash
# ./dev: what it says without building anything, and how it counts test cases.
. "$(dirname "$0")/lib.bash"
dev=$SOURCE/dev

"$dev" help >"$tmp/out" 2>"$tmp/err"
status=$?
check "help: exit 0" exits 0
for command in run shell test build bench fuzz format deb picture browser asan cluster cross help; do
    check "help names $command" says "^  $command "
done
"$dev" frobnicate >"$tmp/out" 2>"$tmp/err"
status=$?
check "unknown command: exit 2" exits 2
check "unknown command: said" grep -q '^dev: unknown command frobnicate' "$tmp/err"
"$dev" fuzz >"$tmp/out" 2>"$tmp/err"
status=$?
check "fuzz without seconds: exit 2" exits 2
"$dev" test --longer >"$tmp/out" 2>"$tmp/err"
status=$?
check "test with an unknown option: exit 2" exits 2

# In a folder of its own, with a builder that only says what it was asked for.
mkdir -p "$tmp/project/build" "$tmp/project/tests" "$tmp/bin"
cp "$dev" "$tmp/project"
printf '#!/bin/sh\nexit 0\n' >"$tmp/project/tests/sources.sh"
touch "$tmp/project/build/build.ninja"
printf '#!/bin/sh\necho "ninja $*"\n' >"$tmp/bin/ninja"
printf '#!/bin/sh\necho "the program: $*"; exit 3\n' >"$tmp/project/build/stowage"
printf '#!/bin/sh\necho install ok installed\n' >"$tmp/bin/dpkg-query"
chmod +x "$tmp/project/tests/sources.sh" "$tmp/project/build/stowage" "$tmp"/bin/*
dev_here() { # ARGUMENT...
    CI=true PATH=$tmp/bin:$PATH SHELL=/bin/sh "$tmp/project/dev" "$@" >"$tmp/out" 2>"$tmp/err" </dev/null
    status=$?
}
dev_here run a 'b c'
check "run starts the program, and ends as it does" exits 3
check "with its arguments" says '^the program: a b c$'
check "run builds the program alone" same "$(cat "$tmp/project/build/build.log")" "ninja -C build stowage"
dev_here shell -c 'stowage here'
check "shell has the program in its PATH" says '^the program: here$'
check "shell builds the program and its page" same "$(cat "$tmp/project/build/build.log")" "ninja -C build stowage stowage.1"
dev_here build
check "build builds all" same "$(cat "$tmp/project/build/build.log")" "ninja -C build"

# Results as meson writes them: cmocka's counts, a suite's own line, programs that say nothing or crash.
cat >"$tmp/testlog.json" <<'J'
{"name": "a", "result": "OK", "stdout": "[==========] 3 test(s) run.[  PASSED  ] 2 test(s).\n", "stderr": "[  SKIPPED ] 1 test(s), listed below:\n[  SKIPPED ] test_x\n"}
{"name": "b", "result": "FAIL", "stdout": "FAILED: x\n3 passed, 1 failed, 2 skipped\n", "stderr": ""}
{"name": "c", "result": "SKIP", "stdout": "skipped: no data\n", "stderr": null}
{"name": "d", "result": "FAIL", "stdout": "[  PASSED  ] 4 test(s).\n", "stderr": "ERROR: LeakSanitizer: detected memory leaks\n"}
{"name": "e", "result": "TIMEOUT"}
{"name": "f", "result": "OK", "stdout": "", "stderr": ""}
{"name": "g", "result": "FAIL", "stdout": "[  PASSED  ] 1 test(s).\n", "stderr": "[  FAILED  ] 2 test(s), listed below:\n[  FAILED  ] test_y\n"}
J
sed -n '/^count_cases()/,/^}/p' "$dev" >"$tmp/count.bash"
. "$tmp/count.bash"
check "counts test cases" same "$(count_cases "$tmp/testlog.json" | tr '\t' ' ')" "11 5 4"
check "the entry for continuous integration runs the tests" grep -q '^\./dev test$' "$SOURCE/.ci/run"

# The control files of the Debian packages.
eval "$(sed -n '/^packages=(/,/)/p; /^deb_packages=/p' "$dev")"
check "./dev installs what building packages needs" same "" "$(sed -n '/^Build-Depends:/,/^[S-Z]/{s/^Build-Depends://;/^[S-Z]/d;s/([^)]*)//g;s/<[^>]*>//g;s/, */\n/g;p}' \
    "$SOURCE/app/debian/control" | awk 'NF {print $1}' | sed 's/debhelper-compat/debhelper/' | grep -vxF "$(printf '%s\n' "${packages[@]}" "${deb_packages[@]}")")"
check "the packages have the version of the program" same "$(sed -n '1s/.*(\(.*\)).*/\1/p' "$SOURCE/app/debian/changelog")" \
    "$(sed -n "s/^ *version: '\([0-9.]*\)'.*/\1/p" "$SOURCE/meson.build" | head -1)"
check "no version of another package is demanded" same "debhelper-compat (= 13), libstowage1 (= \${binary:Version})," \
    "$(grep -oE '[a-z0-9-]+ \([<>=][^)]*\),?' "$SOURCE/app/debian/control" | xargs)"
finish
