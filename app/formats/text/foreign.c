/* Files that no reader takes are told apart by what stands first in them. */
#include "formats/text/foreign.h"
#include "formats/known_by.h"
#include "formats/text/csv.h"

#include <strings.h>

#define INSTEAD "; export the model as .onnx or .tflite and open that"

struct magic {
    const char *bytes;
    size_t length;
    const char *says;
};
#define CLUE(bytes, says) \
    { bytes, sizeof bytes - 1, says }

static const struct magic magics[] = {
    CLUE("GGUF", "this looks like GGUF, which holds weights and no graph" INSTEAD),
    CLUE("\x89HDF\r\n\x1a\n", "this looks like HDF5, in which Keras keeps models (.h5); it is not read" INSTEAD),
    CLUE("\x28\xb5\x2f\xfd", "this is compressed with zstd, which is not read: zstd -dc FILE | stowage plan -"),
    CLUE("\x93NUMPY", "this looks like a NumPy array, which holds no graph" INSTEAD),
};

/* In an archive the names of its files stand as they are: the first ones tell what wrote it. */
static const struct magic archives[] = {
    CLUE("data.pkl", "this looks like a PyTorch archive (.pt), and its weights or scripts are not read; "
                     "write the model with torch.onnx.export and open that"),
    CLUE(".npy", "this looks like NumPy arrays (.npz), which hold no graph" INSTEAD),
    CLUE("model.weights.h5", "this looks like a Keras archive (.keras), which is not read" INSTEAD),
};
#define ARCHIVE_SEARCHED 65536 /* bytes */

static bool text_begins(const char *at, const char *end, const char *word, size_t length) {
    return (size_t)(end - at) >= length && memcmp(at, word, length) == 0;
}

static const char *archive(const struct sw_input *input) {
    size_t length = input->length < ARCHIVE_SEARCHED ? input->length : ARCHIVE_SEARCHED;
    for (size_t i = 0; i < sizeof archives / sizeof *archives; i++) {
        if (memmem(input->bytes, length, archives[i].bytes, archives[i].length)) {
            return archives[i].says;
        }
    }
    return "this is a zip archive, which is not read; unpack it and open the model that is in it";
}

/* The length of a JSON header in eight bytes, the lowest first, then the header. Writers keep to 100 MB. */
static bool is_safetensors(const struct sw_input *input) {
    uint64_t header = 0;
    for (unsigned i = 8; i-- > 0 && input->length > 9;) {
        header = header << 8 | (unsigned char)input->bytes[i];
    }
    return header >= 2 && header <= 100000000 && input->bytes[8] == '{' &&
           (input->bytes[9] == '"' || input->bytes[9] == '}');
}

static bool extension_is(const char *extension, size_t length, const char *word) {
    return strlen(word) == length && strncasecmp(extension, word, length) == 0;
}

const char *sw_foreign_binary(const struct sw_input *input, const char *extension, size_t length) {
    const char *end = sw_text_end(input);
    for (size_t i = 0; i < sizeof magics / sizeof *magics; i++) {
        if (text_begins(input->bytes, end, magics[i].bytes, magics[i].length)) {
            return magics[i].says;
        }
    }
    if (text_begins(input->bytes, end, "PK\3\4", 4)) {
        return archive(input);
    }
    if (is_safetensors(input)) {
        return "this looks like safetensors, which hold weights and no graph" INSTEAD;
    }
    /* Protocol buffers have no mark of their own: here the name decides, and the first field must fit. */
    char first = input->length > 0 ? input->bytes[0] : '\0';
    if (extension_is(extension, length, ".pb") && (first == '\x08' || first == '\x0a')) {
        return "this looks like a TensorFlow graph (.pb), which is not read" INSTEAD;
    }
    if (extension_is(extension, length, ".mlmodel") && first == '\x08') {
        return "this looks like a Core ML model (.mlmodel), which is not read" INSTEAD;
    }
    return NULL;
}

#define TENSORS_SAY                                                                                         \
    "this is TensorFlow's log of tensors (__LOG_MEMORY__), in which nothing is allocated: requests to the " \
    "allocator are missing; TF_CPP_MAX_VLOG_LEVEL=3 makes it log them, which can be opened"
#define CALLS "; --trace-malloc=yes prints the calls, which can be opened"

#define MLIR_SAYS                                                                                  \
    "this looks like MLIR in which nothing is allocated yet: lower it until it has memref.alloc, " \
    "or "                                                                                          \
    "stream.resource.pack (iree-compile --compile-to=stream)"

static const struct magic texts[] = {
    CLUE("module {", MLIR_SAYS),
    CLUE("module{", MLIR_SAYS),
    CLUE("module @", MLIR_SAYS),
    CLUE("module attributes", MLIR_SAYS),
    CLUE("func.func", MLIR_SAYS),
    CLUE("digraph", "this looks like a drawing for Graphviz, which says nothing of sizes; open "
                    "the model itself"),
    CLUE("<", "this looks like XML or HTML, which is no model of OpenVINO: that begins with <net> "
              "and has <layers>"),
};

/* Words that only one program prints, the most telling first: what it is, and what it would take. */
static const struct magic foreign_words[] = {
    CLUE("__LOG_MEMORY__", TENSORS_SAY),
    CLUE("CUDA error: out of memory", "this is CUDA's message that memory ran out, which has no figures"),
    CLUE("CUDA failure 2: out of memory", "this is CUDA's message that memory ran out, which has no figures"),
    CLUE("cuda runtime error (2) : out of memory", "this is CUDA's message that memory ran out, which has no figures"),
    CLUE("cudaMalloc failed: out of memory", "this is a message that memory ran out, which has no figures"),
    CLUE("Maximum pool size exceeded", "this is RMM's message that memory ran out, which has no figures"),
    CLUE("NVIDIA-SMI", "this is what nvidia-smi prints, which has the sums of processes, and neither blocks nor times"),
    CLUE("ROCm System Management Interface",
         "this is what rocm-smi prints, which has the sums of processes, and neither blocks nor times"),
    CLUE("mem_heap_B=", "this is a profile of Valgrind's massif, which has sums over time and no blocks" CALLS),
    CLUE("HEAP SUMMARY:", "this is the summary of Valgrind's memcheck, which has sums, and no times" CALLS),
    CLUE("compute buffer size =",
         "this is what llama.cpp prints of its buffers, sums without tensors; ggml built with AT_PRINTF tells what its "
         "graph allocator decides, which can be opened"),
    CLUE(" overflowed by ", "this is a linker's message that a region is too small, which has no buffers; its map "
                            "(-Map=FILE) can be opened"),
    CLUE("Used Size  Region Size",
         "this is what a linker prints of memory regions (--print-memory-usage), which has no buffers"),
};
static const struct magic traceback =
    CLUE("Traceback (most recent call last):", "this is a traceback of Python, in which there are no buffers");

static bool refuse_word(const struct sw_input *input, const struct magic *word, struct sw_error *error) {
    const char *begin = sw_text_begin(input), *end = sw_text_end(input);
    const char *at = begin < end ? memmem(begin, (size_t)(end - begin), word->bytes, word->length) : NULL;
    return !at || !sw_text_check(input, NULL) || sw_text_fail(input, at, error, "%s", word->says);
}

bool sw_foreign_words(const struct sw_input *input, struct sw_error *error) {
    for (size_t i = 0; i < sizeof foreign_words / sizeof *foreign_words; i++) {
        if (!refuse_word(input, &foreign_words[i], error)) {
            return false;
        }
    }
    return sw_nearest_words(input, error) && refuse_word(input, &traceback, error);
}

bool sw_foreign_log(const struct sw_input *input, struct sw_error *error) {
    if (sw_foreign_words(input, error)) {
        sw_text_fail(input, sw_text_begin(input), error,
                     "nothing in this log is known: no memory plan (of TensorFlow Lite Micro or vela "
                     "--verbose-allocation), no requests to an allocator, no decisions of a planner; see: stowage list "
                     "formats");
        sw_format_tell_added(error);
    }
    return false;
}

/* Is a field of the line a column of tables of buffers, were they separated like that? */
static bool names_column(const char *at, const char *end, char separator) {
    for (const char *stop = at; at < end; at = ++stop) {
        bool inclusive;
        while (stop < end && *stop != separator) {
            stop++;
        }
        if (sw_column_find(at, (size_t)(stop - at), &inclusive) != SW_COLUMN_COUNT) {
            return true;
        }
    }
    return false;
}

/* Spreadsheets write tables with other separators, too. NULL: the line is the header of no such table. */
static const char *other_table(const char *at, const char *end) {
    const char *stop = at;
    while (stop < end && *stop != '\n' && *stop != '\r') {
        stop++;
    }
    if (names_column(at, stop, ';')) {
        return "this looks like a table with semicolons between its columns; write it with commas";
    }
    if (names_column(at, stop, '\t')) {
        return "this looks like a table with tabs between its columns; write it with commas";
    }
    return NULL;
}

bool sw_foreign_text(const struct sw_input *input, struct sw_error *error) {
    const char *at = sw_text_begin(input), *end = sw_text_end(input);
    if (!sw_text_check(input, NULL)) {
        return true;
    }
    while (at < end && (*at == '#' || *at == ' ' || *at == '\t' || *at == '\n' || *at == '\r')) {
        const char *stop = *at == '#' ? memchr(at, '\n', (size_t)(end - at)) : at;
        at = stop ? stop + 1 : end;
    }
    if (at == end) {
        return sw_text_fail(input, sw_text_begin(input), error,
                            "there is nothing in this text but blanks and comments");
    }
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        if (text_begins(at, end, texts[i].bytes, texts[i].length)) {
            return sw_text_fail(input, at, error, "%s", texts[i].says);
        }
    }
    const char *table = other_table(at, end);
    if (table) {
        return sw_text_fail(input, at, error, "%s", table);
    }
    return sw_text_fail(input, at, error,
                        "this is text, but no table of buffers: its first line names none of the columns (id, "
                        "lower, upper, size); see: stowage list formats");
}
