/* Frames without a terminal: every size, edges of blocks, what a click finds, colors. */
#include "tui/drawn.h"
#include "lua/theme_file.h"

#include <locale.h>
#include <stdio.h>

#define MODEL SW_TEST_SOURCE "/tests/tui/models/small.json"
#define TIERS SW_TEST_SOURCE "/scripts/models/two_tiers.json"

static void every_size(void **state) {
    (void)state;
    static const char *const paths[] = {MODEL, TIERS, SW_TEST_SOURCE "/tests/tui/models/empty.json",
                                        SW_TEST_SOURCE "/tests/tui/models/one.csv"};
    struct sw_frame frame = {0};
    for (size_t i = 0; i < 4; i++) {
        struct sw_session *session = open_model(paths[i], NULL);
        run(session, "last");
        for (int ascii = 0; ascii < 2; ascii++) {
            sw_session_display(session)->ascii = ascii;
            for (unsigned w = 0; w < 140; w = w < 8 ? w + 1 : w * 5 / 4) {
                for (unsigned h = 0; h < 60; h = h < 4 ? h + 1 : h * 4 / 3) {
                    draw(&frame, session, w, h);
                }
            }
        }
        sw_session_free(session);
    }
    sw_frame_done(&frame);
}

/* What can be the inside of a block: twice the same of it shows no edge. */
static bool is_inside(const char *text) {
    static const char *const insides[] = {" ", "·", ".", ":", "=", "/", "─", "-", "▀", "▄", "═"};
    for (size_t i = 0; i < sizeof insides / sizeof *insides; i++) {
        if (strcmp(text, insides[i]) == 0) {
            return true;
        }
    }
    return false;
}

/* In one color, in both alphabets, two blocks side by side or one upon the other show an edge. */
static void blocks_have_edges(void **state) {
    (void)state;
    struct sw_frame frame = {0};
    char path[] = "/tmp/stowage-model-XXXXXX";
    int fd = mkstemp(path);
    FILE *file = fd >= 0 ? fdopen(fd, "w") : NULL;
    assert_non_null(file);
    uint64_t seed = 7;
    fputs("id,lower,upper,size\n", file);
    for (int i = 0; i < 90; i++) {
        int from = (int)sw_random_below(&seed, 40);
        fprintf(file, "b%d,%d,%d,%d\n", i, from, from + 1 + (int)sw_random_below(&seed, 9),
                64 * (1 + (int)sw_random_below(&seed, 12)));
    }
    fclose(file);
    for (int which = 0; which < 8; which++) {
        struct sw_session *session = open_model(path, which & 2 ? "best-fit" : "greedy-by-size");
        run(session, "last");
        run(session, "ghosts off");
        sw_session_display(session)->ascii = which & 1;
        unsigned columns = which & 4 ? 200 : 120, rows = which & 4 ? 60 : 30, pairs = 0;
        draw(&frame, session, columns, rows);
        for (unsigned y = 0; y + 1 < rows; y++) {
            for (unsigned x = 0; x + 1 < columns; x++) {
                const struct sw_cell *cell = sw_grid_cell(&frame.grid, x, y);
                const struct sw_cell *right = cell + 1;
                if (cell->item.kind == SW_ITEM_BUFFER && right->item.kind == SW_ITEM_BUFFER &&
                    cell->item.id != right->item.id) {
                    pairs++;
                    if (is_inside(cell->text) && strcmp(cell->text, right->text) == 0) {
                        fail_msg("no edge at %u,%u: '%s%s'", x, y, cell->text, right->text);
                    }
                }
            }
        }
        assert_true(pairs > 3);
        sw_session_free(session);
    }
    sw_frame_done(&frame);
    unlink(path);
}

static void click_finds_a_block(void **state) {
    (void)state;
    struct sw_frame frame = {0};
    struct sw_session *session = open_model(MODEL, "first-fit");
    uint32_t count = sw_problem_buffer_count(sw_search_problem(sw_session_search(session)));
    bool seen[64] = {false};
    run(session, "last");
    run(session, "select");
    draw(&frame, session, 200, 60);
    for (unsigned y = 0; y < 60; y++) {
        for (unsigned x = 0; x < 200; x++) {
            const struct sw_cell *cell = sw_grid_cell(&frame.grid, x, y);
            if (cell->item.kind == SW_ITEM_BUFFER) {
                seen[cell->item.id] = true;
            }
        }
    }
    for (uint32_t i = 0; i + 1 < count; i++) {
        assert_true(seen[i]); /* all but the 40 bytes of the last */
    }
    sw_frame_done(&frame);
    sw_session_free(session);
}

/* However few rows there are: the lines of the peak and of the bound, a seventh of the map apart, are two rows, and no
 * line stands at the tick of a lower value. */
static void levels_have_their_rows(void **state) {
    (void)state;
    struct sw_frame frame = {0};
    struct sw_session *session =
        open_model(SW_TEST_SOURCE "/scripts/models/mobilenet_v1_025_96.json", "greedy-by-size");
    run(session, "goto-peak");
    for (int ascii = 0; ascii < 2; ascii++) {
        sw_session_display(session)->ascii = ascii;
        for (unsigned rows = 24; rows <= 60; rows++) {
            draw(&frame, session, 80, rows);
            unsigned bounds = 0;
            for (unsigned y = 0; y < rows; y++) {
                char row[8 * 80] = "";
                for (unsigned x = 0; x < 80; x++) {
                    strcat(row, sw_grid_cell(&frame.grid, x, y)->text);
                }
                bool tick = strstr(row, "┤") || row[6] == '+', line = y > 0 && strstr(row, "bound 54K");
                bounds += line;
                if (line && (strstr(row, "peak 63K") || (tick && !strstr(row, "64K")))) {
                    fail_msg("80x%u: '%s'", rows, row);
                }
            }
            assert_int_equal(bounds, 2); /* in the map, and over the live bytes */
        }
    }
    sw_frame_done(&frame);
    sw_session_free(session);
}

/* However few colors there are: nothing is written in the color of its ground, and the colors of
 * the blocks do not all become one. */
static void colors(void **state) {
    (void)state;
    static const int depths[] = {8, 16, 256, 1 << 24};
    for (const char *const *name = sw_theme_names(); *name; name++) {
        struct sw_theme theme;
        struct sw_error error = {0};
        assert_true(sw_theme_load(*name, &theme, &error));
        for (size_t d = 0; d < 4 && theme.colors; d++) {
            int seen[SW_HUES] = {0}, distinct = 0, f = -1, b = -1;
            for (int i = 0; i < SW_HUES; i++) {
                sw_color_pair(theme.blocks[i].foreground, theme.blocks[i].background, depths[d], &f, &b);
                assert_int_not_equal(f, b);
                seen[i] = b;
                bool again = false;
                for (int k = 0; k < i; k++) {
                    again |= seen[k] == b;
                }
                distinct += !again;
            }
            /* Few terminals' colors are greys: black, white, and of sixteen two between them. */
            int least = strcmp(*name, "grey") != 0 ? 4 : depths[d] > 8 ? 2 : 1;
            assert_true(distinct >= (depths[d] > 16 ? SW_HUES : least));
            for (int i = 0; i < SW_STYLE_COUNT; i++) {
                struct sw_look look = theme.styles[i];
                struct sw_color back = look.background.set ? look.background : theme.background;
                struct sw_color front = look.foreground.set ? look.foreground : theme.foreground;
                sw_color_pair(front, back, depths[d], &f, &b);
                assert_true(f != b || f < 0);
            }
        }
    }
}

int main(void) {
    if (!setlocale(LC_CTYPE, "C.UTF-8")) {
        puts("skipped: there is no locale C.UTF-8");
        return 77;
    }
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_size), cmocka_unit_test(blocks_have_edges),
                                       cmocka_unit_test(click_finds_a_block), cmocka_unit_test(levels_have_their_rows),
                                       cmocka_unit_test(colors)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
