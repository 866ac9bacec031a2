#!/usr/bin/env bash
# The Debian packages: built of a copy, without an error of lintian, and installed into an empty root, from where the program
# runs and programs build against the library.
. "$(dirname "$0")/lib.bash"
eval "$(sed -n '/^packages=(/,/)/p; /^deb_packages=/p' "$SOURCE/dev")"
missing=$(for package in "${packages[@]}" "${deb_packages[@]}"; do
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q '^install ok installed$' || echo "$package"
done | xargs)
if [ -n "$missing" ]; then
    echo "skipped: no Debian packages are built without $missing"
    finished=yes
    exit 77
fi

before=$(cd "$SOURCE" && find . -maxdepth 1 | sort)
"$SOURCE/dev" deb "$tmp/deb" >"$tmp/out" 2>"$tmp/err"
status=$?
check "./dev deb builds, and lintian finds no error" exits 0
check "nor has it a warning" same "" "$(grep '^[EW]:' "$tmp/out")"
check "nothing comes to the sources" same "$(cd "$SOURCE" && find . -maxdepth 1 | sort)" "$before"
[ "$status" = 0 ] || tail -n 40 "$tmp/err"
architecture=$(dpkg --print-architecture)
for package in stowage libstowage1 libstowage-dev; do
    check "$package" [ -s "$(echo "$tmp/deb/${package}"_*_"$architecture.deb")" ]
done
holds() { dpkg-deb --fsys-tarfile "$tmp/deb/$1"_*.deb | tar -t | sed 's#^\./##' | grep -v '/$'; }
check "no file is in two packages" same "" "$(for package in stowage libstowage1 libstowage-dev; do holds "$package"; done | sort | uniq -d)"
check "all that is installed is in one of them" same "" "$(comm -23 <(cd "$tmp/deb/stowage/debian/tmp" && find . ! -type d | sed 's#.*/##' | sort -u) \
    <(for package in stowage libstowage1 libstowage-dev; do holds "$package"; done | sed 's#.*/##; s#\.1\.gz$#.1#' | sort -u))"

# dpkg puts files into another root for root alone; others unpack them.
root=$tmp/root
mkdir -p "$root/var/lib/dpkg/info" "$root/var/lib/dpkg/updates"
touch "$root/var/lib/dpkg/status"
if [ "$(id -u)" = 0 ]; then
    check "dpkg installs them into an empty root" dpkg --root="$root" --log="$tmp/dpkg.log" --force-depends --install "$tmp"/deb/stowage_*.deb "$tmp"/deb/libstowage1_*.deb "$tmp"/deb/libstowage-dev_*.deb
    check "they are installed there" same 3 "$(dpkg-query --admindir="$root/var/lib/dpkg" -W -f='${Status}\n' | grep -c '^install ok installed$')"
else
    for package in stowage libstowage1 libstowage-dev; do
        check "$package is unpacked" dpkg-deb -x "$tmp/deb/${package}"_*.deb "$root"
    done
fi

STOWAGE=$root/usr/bin/stowage
run --version
check "the program is of this version" same "$(cat "$tmp/out")" "stowage $(dpkg-deb -f "$tmp"/deb/stowage_*.deb Version)"
run list scripts --format json
check "it finds what came with it" json "length > 0 and all(.[]; .path | startswith(\"$root/usr/share/stowage/\"))"
run plan "$root/usr/share/stowage/scripts/models/example1.json" -p lifetime --format json
check "it plans" json '.peak == 5120'
run export "$root/usr/share/stowage/scripts/models/example1.json" -o "$tmp/x.svg"
check "it draws" [ -s "$tmp/x.svg" ]
check "no path of the sources is in it" same 0 "$(strings -a "$STOWAGE" | grep -cF -e "$SOURCE" -e "$tmp")"
for name in $("$STOWAGE" list subcommands | awk '{print $1}'); do
    check "man stowage-$name" [ -s "$root/usr/share/man/man1/stowage-$name.1.gz" ]
done
check "completion for three shells" [ -s "$root/usr/share/bash-completion/completions/stowage" -a -s "$root/usr/share/zsh/vendor-completions/_stowage" \
    -a -s "$root/usr/share/fish/vendor_completions.d/stowage.fish" ]

library=$(dirname "$(find "$root" -name libstowage.so)")
check "the library is called as its package" same "$(objdump -p "$library/libstowage.so" | awk '$1 == "SONAME" {print $2}')" libstowage.so.1
export PKG_CONFIG_LIBDIR=$library/pkgconfig PKG_CONFIG_SYSROOT_DIR=$root
examples=$root/usr/share/doc/libstowage-dev/examples
five() { # NAME COMPILER FILE
    local flags
    flags=$(pkg-config --cflags --libs stowage)
    # shellcheck disable=SC2086
    check "$1 compiles" $2 -Wall -Wextra -Werror "$examples/$3" -o "$tmp/five" $flags
    LD_LIBRARY_PATH=$library "$tmp/five" >"$tmp/out" 2>"$tmp/err"
    check "$1 runs" says '^peak 2[0-9]+, at least 2[0-9]+$'
}
five "the example in C" "${CC:-cc} -std=c11" five_buffers.c
five "the example in C++" "g++ -std=c++17" five_buffers.cpp
rm -f "$tmp/five"
# shellcheck disable=SC2046
check "it links statically as well" ${CC:-cc} -std=c11 "$examples/five_buffers.c" -o "$tmp/five" $(pkg-config --cflags stowage) "$library/libstowage.a" -lm
check "and runs so" grep -q '^peak 2' <("$tmp/five")
(cd "$tmp" && STOWAGE_RECORD=toy.trace PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$root/usr/share/stowage python3 "$examples/toy_planner.py") >"$tmp/out" 2>"$tmp/err"
check "the recorder in Python records" grep -qx '{"end":"done"}' "$tmp/toy.trace"
if [ "$(id -u)" = 0 ]; then
    check "purged they leave nothing" dpkg --root="$root" --log="$tmp/dpkg.log" --purge stowage libstowage-dev libstowage1
    check "but what was there" same "" "$(find "$root" -type f -not -path "$root/var/lib/dpkg/*")"
fi
finish
