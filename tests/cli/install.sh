#!/usr/bin/env bash
# meson install: the program works from where it was put, and a program builds against the library.
. "$(dirname "$0")/lib.bash"
root=$tmp/root

meson install -C "$BUILD" --no-rebuild --destdir "$root" >"$tmp/install.log" 2>&1
check "meson install" same "$?" 0
prefix=$(meson introspect "$BUILD" --buildoptions | jq -r '.[] | select(.name == "prefix") | .value')
for file in bin/stowage share/man/man1/stowage.1 share/man/man1/stowage-plan.1 share/zsh/site-functions/_stowage \
    share/fish/vendor_completions.d/stowage.fish share/bash-completion/completions/stowage \
    share/stowage/scripts/models/mobilenet_v1_025_96.json include/stowage/stowage.h include/stowage/search/search.h \
    include/stowage/record.h share/stowage/stowage_record.py share/stowage/stowage_malloc.c; do
    check "installs $file" [ -s "$root$prefix/$file" ]
done
check "installs themes" [ -n "$(find "$root$prefix/share/stowage/themes" -name '*.lua' 2>/dev/null)" ]
check "installs nothing private" same "" "$(find "$root" -name '*internal.h' -o -name README.md -not -path '*/doc/stowage/examples/*')"
pc=$(find "$root" -name stowage.pc)
check "installs stowage.pc" [ -s "${pc:-/nowhere}" ]

# Neither for messages nor for a debugger: what is built here is used elsewhere. With debug information, and without.
installed=$root$prefix/bin/stowage
library=$(find "$root" -name 'libstowage.so.*' -type f)
archive=$(find "$root" -name libstowage.a)
for file in "$installed" "$library" "$archive"; do
    check "no path of the sources in $(basename "$file")" same 0 "$(strings -a "$file" | grep -cF -e "$SOURCE" -e "$BUILD")"
done
check "strings would see one" same 1 "$(printf '\1%s/app\0' "$SOURCE" | strings -a | grep -cF "$SOURCE")"
strip -o "$tmp/stripped" "$installed"
check "nor in it without debug information" same 0 "$(strings -a "$tmp/stripped" | grep -cF -e "$SOURCE" -e "$BUILD")"
# Straight from the build folder it finds the sources, from wherever it is called.
(cd / && "$STOWAGE" list scripts --format json) >"$tmp/out" 2>"$tmp/err"
check "the program that is not installed finds the sources" json "length > 0 and all(.[]; .path | startswith(\"$SOURCE/scripts/\"))"

STOWAGE=$installed
run list scripts --format json
check "the installed program finds what was installed with it" json "all(.[]; .path | startswith(\"$root\"))"
run plan "$root$prefix/share/stowage/scripts/models/example1.json" -p lifetime --format json
check "the installed program plans" json '.peak == 5120'
run
check "the installed program has a model to open" exits 0

cat >"$tmp/tiny.c" <<'C'
#include <stowage.h>

#include <stdio.h>

/* Two buffers that live one after the other share their bytes. */
int main(void) {
    struct sw_error error = {0};
    struct sw_builder *builder = sw_builder_new(&error);
    struct sw_buffer_spec a = {.name = "a", .kind = SW_KIND_INTERMEDIATE, .has_size = true, .size = 100,
                               .has_first = true, .has_last = true, .first = 0, .last = 1};
    struct sw_buffer_spec b = a;
    b.name = "b";
    b.first = 2;
    b.last = 3;
    bool ok = builder && sw_builder_buffer(builder, &a, &error) && sw_builder_buffer(builder, &b, &error);
    struct sw_problem *problem = ok ? sw_builder_finish(builder, &error) : NULL;
    struct sw_search *search = problem ? sw_search_new(problem, sw_planner_find("best-fit", &error), NULL, &error) : NULL;
    if (!search || sw_search_run(search, 0, NULL, NULL, &error) != SW_STEP_DONE) {
        fprintf(stderr, "%s\n", error.message);
        return 1;
    }
    printf("%s %llu\n", STOWAGE_VERSION, (unsigned long long)sw_layout_peak(sw_search_layout(search)));
    sw_search_free(search);
    sw_problem_unref(problem);
    sw_builder_free(builder);
    return 0;
}
C
export PKG_CONFIG_PATH=$(dirname "$pc") PKG_CONFIG_SYSROOT_DIR=$root
flags=$(pkg-config --cflags --libs stowage)
check "pkg-config knows stowage" [ -n "$flags" ]
[ "$SANITIZE" = none ] || flags="$flags -fsanitize=$SANITIZE"
library=$(dirname "$(find "$root" -name 'libstowage.so' | head -n 1)")
# shellcheck disable=SC2086
check "a program compiles, without a warning" ${CC:-cc} -std=c11 -Wall -Wextra -Werror "$tmp/tiny.c" -o "$tmp/tiny" $flags
LD_LIBRARY_PATH=$library "$tmp/tiny" >"$tmp/out" 2>"$tmp/err"
status=$?
check "and runs: exit 0" exits 0
check "pkg-config knows libstowage, too" same "$(pkg-config --libs stowage)" "$(pkg-config --libs libstowage)"
examples=$root$prefix/share/doc/stowage/examples
# shellcheck disable=SC2086
check "the example in C has at most 40 lines" [ "$(wc -l <"$examples/five_buffers.c")" -le 40 ]
check "the example in C compiles against the installed copy" ${CC:-cc} -std=c11 -Wall -Wextra -Werror "$examples/five_buffers.c" -o "$tmp/five_c" $flags
LD_LIBRARY_PATH=$library "$tmp/five_c" >"$tmp/five_c.out" 2>&1
check "and prints five decisions with reasons" same 5 "$(grep -cE '^places .*: ' "$tmp/five_c.out")"
check "and five offsets" same 5 "$(grep -cE '^[a-z]+ +at +[0-9]+$' "$tmp/five_c.out")"
check "and the peak" grep -qE '^peak 2[0-9]+, at least 2[0-9]+$' "$tmp/five_c.out"
# The recorder needs the header only.
# shellcheck disable=SC2046
check "the planner that records compiles against the installed copy" ${CC:-cc} -std=c11 -Wall -Wextra -Werror "$examples/toy_planner.c" \
    -o "$tmp/toy" -pthread $(pkg-config --cflags stowage)
(cd "$tmp" && STOWAGE_RECORD=toy.trace ./toy) >"$tmp/toy.out" 2>&1
check "and plans" grep -qx 'peak 20264' "$tmp/toy.out"
check "and records" grep -qx '{"end":"done"}' "$tmp/toy.trace"
if command -v python3 >/dev/null; then
    (cd "$tmp" && STOWAGE_RECORD=toy_py.trace PYTHONDONTWRITEBYTECODE=1 python3 "$examples/toy_planner.py") >"$tmp/toy_py.out" 2>&1
    check "in Python the same" cmp "$tmp/toy.trace" "$tmp/toy_py.trace"
else
    skip "the planner in Python: python3 is not installed"
fi
if command -v g++ >/dev/null; then
    # shellcheck disable=SC2086
    check "the example in C++ compiles against the installed copy" g++ -std=c++17 -Wall -Wextra -Wconversion -Werror "$examples/five_buffers.cpp" -o "$tmp/five_cpp" $flags
    LD_LIBRARY_PATH=$library "$tmp/five_cpp" >"$tmp/five_cpp.out" 2>&1
    check "and prints the same" cmp -s "$tmp/five_c.out" "$tmp/five_cpp.out"
    for header in $(cd "$root$prefix/include/stowage" && find . -name '*.h'); do
        printf '#include <%s>\n' "$header" >"$tmp/alone.cc"
        cp "$tmp/alone.cc" "$tmp/alone.c"
        check "$header alone is C++17" g++ -std=c++17 -Wall -Wextra -Wconversion -Werror -fsyntax-only "-I$root$prefix/include/stowage" "$tmp/alone.cc"
        check "$header alone is C11" ${CC:-cc} -std=c11 -Wall -Wextra -Wconversion -Werror -fsyntax-only "-I$root$prefix/include/stowage" "$tmp/alone.c"
    done
else
    skip "C++: there is no g++"
fi
check "and plans" same "$(cat "$tmp/out")" "$(run --version; awk '{ print $2 }' "$tmp/out") 100"

# The library alone, where nothing of the program's libraries is installed: pkg-config knows none of them.
hidden='jansson|expat|zlib|lua.*|cairo.*|pango.*|ncurses.*|fontconfig|glib.*|libpcre2.*|cmocka|vterm'
cat >"$tmp/pkg-config" <<S
#!/bin/sh
for word; do
    if echo "\$word" | grep -qxE '$hidden'; then echo "\$word" >>"$tmp/asked"; exit 1; fi
done
exec $(command -v pkg-config) "\$@"
S
chmod +x "$tmp/pkg-config"
unset PKG_CONFIG_PATH PKG_CONFIG_SYSROOT_DIR
alone() { PKG_CONFIG=$tmp/pkg-config meson setup "$tmp/$1" "$SOURCE" --buildtype=release -Dwerror=true "-Dapp=$1" >"$tmp/out" 2>&1; }
alone enabled
check "without its libraries the program cannot be built" same 1 $?
check "which says what is missing" says 'ERROR: .*[Dd]ependency.* "?jansson"? not found'
: >"$tmp/asked"
alone disabled
check "-Dapp=disabled configures without them" same 0 $?
check "and asks for none of them but cmocka" same cmocka "$(sort -u "$tmp/asked")"
ninja -C "$tmp/disabled" libstowage >"$tmp/out" 2>&1
check "and builds the library" same 0 $?
root=$tmp/alone
meson install -C "$tmp/disabled" --no-rebuild --destdir "$root" >"$tmp/out" 2>&1
check "and installs it" same 0 $?
check "and nothing else" same "include lib share/doc share/stowage" \
    "$(cd "$root$prefix" && find . -type f -o -type l | sed -E 's#^\./(share/[^/]*|[^/]*)/.*#\1#' | sort -u | xargs)"
library=$(dirname "$(find "$root" -name libstowage.so)")
check "released without a path of the sources" same 0 \
    "$(strings -a "$library"/libstowage.* | grep -cF -e "$SOURCE" -e "$tmp")"
flags=$(PKG_CONFIG_PATH=$library/pkgconfig PKG_CONFIG_SYSROOT_DIR=$root pkg-config --cflags --libs stowage)
# shellcheck disable=SC2086
check "the example compiles against it" ${CC:-cc} -std=c11 -Wall -Wextra -Werror "$root$prefix/share/doc/stowage/examples/five_buffers.c" -o "$tmp/five_alone" $flags
LD_LIBRARY_PATH=$library "$tmp/five_alone" >"$tmp/five_alone.out" 2>&1
check "and prints the same" cmp -s "$tmp/five_c.out" "$tmp/five_alone.out"
finish
