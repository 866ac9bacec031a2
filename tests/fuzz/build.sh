#!/usr/bin/env bash
# build.sh FOLDER: build every fuzz target into FOLDER with libFuzzer, the address and the
# undefined-behavior sanitizer. Each of its findings ends the process: offsets of null pointers are among them, which gcc
# does not look for. Needs clang.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
folder=${1:?"usage: build.sh FOLDER"}
mkdir -p "$folder/share" "$folder/lua"
awk -f app/lua/readers/rows.awk scripts/readers/*.lua >"$folder/lua/reader_words.inc" # as app/lua/meson.build makes it
ln -sfn "$PWD" "$folder/share/stowage"
read -ra libraries <<<"$(pkg-config --cflags --libs fontconfig glib-2.0 jansson expat libpcre2-8 zlib lua5.4 cairo cairo-svg cairo-pdf pangocairo)"
flags=(-std=c11 -g -O1 -D_GNU_SOURCE -Iengine -Iapp -Itests -I"$folder" -fno-omit-frame-pointer
  -fsanitize=address,undefined -fno-sanitize-recover=undefined -DSW_VERSION='"fuzz"'
  -DSW_DATA_DIR='"/nowhere"')
compiler=(clang)
[ -z "$(command -v ccache)" ] || compiler=(ccache clang)
linker=()
[ -z "$(command -v ld.lld)" ] || linker=(-fuse-ld=lld) # it links each target in a quarter of the time
objects=()
compile() { # SOURCE OBJECT, unless the object is newer than all sources
  [ "$2" -nt "$1" ] && [ -z "$(find engine app tests/fuzz -name '*.[ch]' -newer "$2" -print -quit)" ] ||
    "${compiler[@]}" "${flags[@]}" -fsanitize=fuzzer-no-link "${libraries[@]}" \
      -Wno-unused-command-line-argument -c "$1" -o "$2"
}
mapfile -t sources < <(find engine app/{formats,attach,lua,view,export,command} -name '*.c' -not -path '*/examples/*' -not -path '*/record/*' | sort)
for source in "${sources[@]}" app/data.c tests/fuzz/{fuzz,splice,mutator}.c; do
  object=$folder/${source//\//_}.o
  objects+=("$object")
  compile "$source" "$object" &
  while [ "$(jobs -rp | wc -l)" -ge "$(nproc)" ]; do
    wait -n
  done
done
wait
for source in tests/fuzz/fuzz_*.c; do
  target=$(basename "$source" .c)
  clang "${flags[@]}" "${linker[@]}" -fsanitize=fuzzer "$source" "${objects[@]}" "${libraries[@]}" -lm \
    -o "$folder/$target"
done
