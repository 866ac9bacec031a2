#!/usr/bin/env bash
# ./dev: what it says without building anything, and how it counts test cases.
. "$(dirname "$0")/lib.bash"
dev=$SOURCE/dev

"$dev" help >"$tmp/out" 2>"$tmp/err"
status=$?
check "help: exit 0" exits 0
for command in run test build bench fuzz format asan cluster cross help; do
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
finish
