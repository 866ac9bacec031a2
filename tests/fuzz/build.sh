#!/usr/bin/env bash
# build.sh FOLDER: build every fuzz target into FOLDER with libFuzzer, the address and the
# undefined-behaviour sanitizer. Needs clang. Only what the targets reach is compiled.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
folder=${1:?"usage: build.sh FOLDER"}
mkdir -p "$folder"
read -ra libraries <<<"$(pkg-config --cflags --libs glib-2.0 jansson zlib lua5.4)"
flags=(-std=c11 -g -O1 -D_GNU_SOURCE -Iengine -Iapp -Itests -fno-omit-frame-pointer
  -fsanitize=address,undefined -fno-sanitize-recover=undefined -DSW_VERSION='"fuzz"'
  -DSW_DATA_DIR='"/nowhere"' "-DSW_SOURCE_DIR=\"$PWD\"")
objects=()
for source in engine/*/*.c app/formats/*.c app/data.c \
  app/lua/{graph,json,modules,patterns,sandbox,script,values}.c tests/fuzz/fuzz.c; do
  object=$folder/${source//\//_}.o
  objects+=("$object")
  clang "${flags[@]}" -fsanitize=fuzzer-no-link "${libraries[@]}" \
    -Wno-unused-command-line-argument -c "$source" -o "$object"
done
for source in tests/fuzz/fuzz_*.c; do
  target=$(basename "$source" .c)
  clang "${flags[@]}" -fsanitize=fuzzer "$source" "${objects[@]}" "${libraries[@]}" -lm \
    -o "$folder/$target"
done
