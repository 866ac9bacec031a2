#!/usr/bin/env bash
# C stands as ./dev format writes it. Other versions of clang-format break some lines elsewhere. Of all files a share is looked at,
# another one for each commit.
. "$(dirname "$0")/lib.bash"
cd "$SOURCE" || exit 1
if ! clang-format --version 2>/dev/null | grep -q ' version 14\.'; then
    echo "skipped: clang-format 14 is not installed"
    exit 77
fi
turns=16
[ -z "${STOWAGE_LONG:-}" ] || turns=1
unformatted() {
    find app engine tests -name '*.[ch]' | sort | awk -v turns=$turns -v share="${STOWAGE_SHARE:-0}" 'NR % turns == share % turns' |
        xargs clang-format --dry-run -Werror 2>&1 | grep -oE '^[^ ]+:[0-9]+:[0-9]+' | sort -u | head -20
}
check "./dev format changes nothing" same "" "$(unformatted)"
check "it ends lines at 120" grep -q '^ColumnLimit: 120$' .clang-format
finish
