#!/usr/bin/env bash
# Files that no reader takes: one line says what they look like and what could be done.
. "$(dirname "$0")/lib.bash"
cd "$tmp" || exit 1

# looks FILE TEXT WHY: a file that begins so is refused for that reason, and never for a column. Every beginning of
# it is refused with one line, too.
looks() {
    local file=$1 bytes
    printf "$2" >"$file"
    refuses "$file" "$file" because "$3"
    bytes=$(stat -c %s "$file")
    for ((i = 0; i < bytes; i++)); do
        head -c "$i" "$file" >"cut-$file"
        run "cut-$file"
        if [ "$status" != 2 ] || [ "$(wc -l <"$tmp/err")" != 1 ] || grep -q 'no column' "$tmp/err"; then
            check "$file: its first $i bytes" false
        fi
    done
}

looks a.gguf 'GGUF\3\0\0\0\0\0\0\0' 'a.gguf: this looks like GGUF, which holds weights and no graph; export '
looks named.txt 'GGUF\3\0\0\0\0\0\0\0' 'named.txt: this looks like GGUF'
looks a.h5 '\211HDF\r\n\032\n\0\0' 'a.h5: this looks like HDF5'
looks a.zst '\050\265\057\375\4\0' 'a.zst: this is compressed with zstd, which is not read: zstd -dc'
looks a.npy '\223NUMPY\1\0' 'a.npy: this looks like a NumPy array'
looks a.safetensors '\20\0\0\0\0\0\0\0{"a":{}}' 'a.safetensors: this looks like safetensors, which hold weights'
looks a.pt 'PK\3\4\0\0\0\0archive/data.pkl' 'a.pt: this looks like a PyTorch archive'
looks a.npz 'PK\3\4\0\0\0\0w.npy' 'a.npz: this looks like NumPy arrays'
looks a.keras 'PK\3\4\0\0\0\0model.weights.h5' 'a.keras: this looks like a Keras archive'
looks a.zip 'PK\3\4\0\0\0\0other' 'a.zip: this is a zip archive'
looks saved_model.pb '\10\1\22\5\12\3\0\0\0' 'saved_model.pb: this looks like a TensorFlow graph'
looks a.mlmodel '\10\4\22\2\12\0' 'a.mlmodel: this looks like a Core ML model'
looks a.mlir 'module {\n}\n' 'a.mlir:3:1: no buffer is allocated here'
looks mlir.txt 'module {\n}\n' 'mlir.txt:1:1: this looks like MLIR in which nothing is allocated yet'
looks a.dot 'digraph g {\n}\n' 'a.dot:1:1: this looks like a drawing'
looks a.xml '<?xml version="1.0"?>\n<html/>\n' 'a.xml:2:[0-9]*: this is no model of OpenVINO: its XML begins with <net>'
looks page.html '<html/>\n' 'page.html:1:1: this looks like XML or HTML, which is no model of OpenVINO'
looks notes.txt '# title\n\nHello, world\n' 'notes.txt:3:1: this is text, but no table of buffers'
looks notes.csv 'Hello, world\n' 'notes.csv:1:1: this is text, but no table of buffers'
looks notes 'Hello\n' 'notes:1:1: this is text, but no table of buffers'

looks blank.txt ' \n\t\n' 'blank.txt:1:1: there is nothing in this text but blanks and comments'
looks comments '# nothing\n' 'comments:1:1: there is nothing in this text but blanks and comments'
# ---- what people paste of other programs ----

# pasted TEXT WHY: refused for what it is, at its own line, whatever the file is called and whatever stands around it.
pasted() {
    local name
    for name in pasted.log pasted.txt pasted pasted.csv; do
        printf '%s\n' "$1" >"$name"
        refuses "$name: ${1:0:40}" "$name" because "$name:1:[0-9]+: $2"
    done
    printf 'a line of something else\n\n%s\nand more\n' "$1" >pasted.log
    refuses "between other lines: ${1:0:40}" pasted.log because "pasted.log:3:[0-9]+: $2"
}
pasted "2017-01-07 10:00:00.000000: I tensorflow/core/framework/log_memory.cc:35] __LOG_MEMORY__ MemoryLogStep { step_id: 2 }" \
    "this is TensorFlow's log of tensors .*in which nothing is allocated: requests to the allocator are missing"
pasted "RuntimeError: CUDA error: out of memory" "this is CUDA.s message that memory ran out, which has no figures"
pasted "| NVIDIA-SMI 550.54.15              Driver Version: 550.54.15      CUDA Version: 12.4     |" 'this is what nvidia-smi prints'
pasted 'mem_heap_B=1000' "this is a profile of Valgrind's massif"
pasted 'Traceback (most recent call last):' 'this is a traceback of Python'

# ---- what is nearly a text that a reader takes ----
printf 'Traceback (most recent call last):\n  x\nI bfc_allocator.cc:1040] Bin (256): \tTotal Chu\n2 MaxAllocSize: 4\n' >near.txt
refuses "a dump without its chunks" near.txt because 'near.txt:3:3: this looks like a dump of a BFC allocator \("bfc_allocator.cc:", "Bin \(N"\), but no line has "Next region of size N", "InUse at \.\.\.", "Free  at \.\.\." or [0-9]+ others; paste from "BFCAllocator dump" on$'
sed 's/^/> /' near.txt >near.log
refuses "a quoted one, at its place" near.log because 'near.log:3:5: this looks like a dump of a BFC allocator'
printf 'a\n[0x1] + 0x5000 0x10\n= End\n' >near.mtrace
refuses "without its first line" near.mtrace because 'near.mtrace:3:1: this looks like a trace of glibc.s mtrace\(\) \("= End", "\] \+ 0x\.\.\."\), but it does not begin with "= Start"; paste the whole file'
printf 'x\nFailed to resize buffer. Reque\n' >near.txt
refuses "a message that is cut" near.txt because 'near.txt:2:1: this looks like what TensorFlow Lite Micro prints of its arena \("Failed to resize buffer"\), but no line has '
printf 'allocation 4: size many\n' >near.txt
refuses "words that are too short to tell" near.txt because 'near.txt:1:1: this is text, but no table of buffers'
printf 'large:          size ind    allocated      nmalloc\n' >near.txt
refuses "words that announce what does not come" near.txt because 'near.txt:1:1: this looks like jemalloc.s statistics \("large: size ind allocated nmalloc"\), but nothing of what its lines announce is told; paste from'
printf '\0bfc_allocator.cc: Bin (256\377' >near.bin
refuses "no text" near.bin because 'near.bin: the file is in none of the formats that can be read'
cat >near.lua <<'END'
stowage.reader { name = "mine", has = "never there", looks = "a text of mine", near = {"mine: %d"}, gives = "plan", read = print }
END
printf 'x\nmine: 5\n' >near.txt
refuses "a reader of the user's own" near.txt --reader near.lua because 'near.txt:2:1: this looks like a text of mine \("mine: N"\), but no line has "never there"; its words are not those of the reader mine'
sed 's/looks = "a text of mine", //' near.lua >none.lua
refuses "near what?" near.txt --reader none.lua because ".*a reader with 'near' needs 'looks'"
printf 'hello\nworld\n' >plain.log
refuses "a log of something else" plain.log because 'plain.log:1:1: nothing in this log is known: no memory plan'
printf '%s\n' '[RecordingMicroAllocator] Arena allocation head 40 bytes' >recorded.log
refuses "a summary where a plan belongs" "$models/example1.json" --join recorded.log because '.*'

for separator in ';' '\t'; do
    printf "id${separator}lower${separator}upper${separator}size\n0${separator}0${separator}1${separator}4\n" >other.csv
    refuses "another separator" other.csv because 'other.csv:1:1: this looks like a table with [a-z]* between its columns; write it with commas'
done

printf 'what,ever\n' >table.csv
refuses "a table of something else" table.csv because 'table.csv:1:1: this is text, but no table of buffers'
refuses "where a plan belongs" check "$models/example1.json" notes.txt because 'notes.txt:3:1: this is text, but no table of buffers'

# A header that names some columns is a table, and says which one it misses.
printf 'lower,upper,size\n' >some.csv
refuses "a table" some.csv because "some.csv:1:1: the header has no column 'id'$"
finish
