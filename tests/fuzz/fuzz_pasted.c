/* Text that was pasted: whatever is taken off, what is left stands in the original, in the same order. */
#include "fuzz/fuzz.h"

#include "formats/wrapped/pasted.h"
#include "formats/text/utf8.h"

#include <string.h>

/* Each byte is the original's, but those that were put in place of others. */
static void follow_pieces(const struct sw_pasted *pasted, const struct sw_input *input) {
    for (size_t i = 0; i < pasted->pieces.count; i++) {
        struct sw_pasted_piece piece = pasted->pieces.items[i];
        bool last = i + 1 == pasted->pieces.count;
        struct sw_pasted_piece next = last ? (struct sw_pasted_piece){pasted->bytes.count, input->length} : piece;
        next = last ? next : pasted->pieces.items[i + 1];
        size_t length = next.at - piece.at;
        if (next.at < piece.at || next.from < piece.from || next.from - piece.from < length) {
            fuzz_fail("piece %zu stands before what is before it", i);
        }
        for (size_t k = 0; k < length; k++) {
            char from = input->bytes[piece.from + k];
            if (pasted->bytes.items[piece.at + k] != from && !strchr("\r\n&\xc2", from)) {
                fuzz_fail("piece %zu is another text", i);
            }
        }
    }
}

static void locate_line(const struct sw_pasted *pasted, const struct sw_input *input, uint32_t line) {
    uint32_t column = 1;
    sw_pasted_locate(pasted, input, &line, &column);
    struct sw_position end = sw_text_position(input, sw_text_end(input));
    if (line > end.line || (line == end.line && column > end.column)) {
        fuzz_fail("%u:%u is behind the end", line, column);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct sw_input input = fuzz_input(data, size);
    struct sw_error error = {0};
    if (!sw_text_check(&input, NULL)) {
        return 0;
    }
    for (unsigned way = 0; way < SW_PASTED_WAYS; way++) {
        struct sw_pasted pasted;
        struct sw_sink words = {0};
        if (!sw_pasted_clean(&input, (enum sw_pasted_way)way, &pasted, &error)) {
            fuzz_fail("cleaning failed: %s", error.message);
        }
        struct sw_input copy = {.name = "copy", .bytes = pasted.bytes.items, .length = pasted.bytes.count};
        if (copy.length > 0 && !sw_text_check(&copy, NULL)) {
            fuzz_fail("the copy is no text");
        }
        follow_pieces(&pasted, &input);
        for (uint32_t line = 1; line < 8; line++) {
            locate_line(&pasted, &input, line);
        }
        sw_pasted_words(&pasted, &words);
        if (sw_pasted_changed(&pasted) != (words.text.count > 0)) {
            fuzz_fail("what was taken off is not said");
        }
        sw_sink_done(&words);
        sw_pasted_done(&pasted);
    }
    struct sw_problem *problem = sw_load_input(&input, NULL, &error);
    if (!problem) {
        fuzz_check_error(&input, &error);
    }
    sw_problem_unref(problem);
    return 0;
}
