/* Finished plans as CSV: what MiniMalloc itself writes. A plan is also a table of buffers, so it is
 * read as a problem by buffers_csv.c; here it is matched to a graph. */
#include "formats/graphs/buffers_csv.h"
#include "base/base.h"
#include "formats/plans/finished_plan.h"

/* ---- reading ---- */

struct plan_table_reader {
    struct sw_csv csv;
    struct sw_columns columns;
    struct sw_plan_maker *maker;
    struct sw_error *error;
    SW_ARRAY(char) tier;
};

/* The complaint of the maker, at the field it is about. */
static bool report_row_complaint(struct plan_table_reader *reader) {
    struct sw_plan_maker *maker = reader->maker;
    struct sw_csv *csv = &reader->csv;
    if (maker->memory) {
        return sw_fail_memory(reader->error);
    }
    bool got;
    csv->at = csv->input->bytes + maker->source;
    if (!sw_csv_next(csv, &got, reader->error) || !got) {
        return false;
    }
    uint32_t index = reader->columns.index[maker->column];
    const struct sw_csv_field *field =
        &csv->fields.items[index == SW_NONE ? reader->columns.index[SW_COLUMN_ID] : index];
    return sw_text_fail(csv->input, sw_csv_begin(field), reader->error, "%s", maker->complaint);
}

static bool keep_tier(struct plan_table_reader *reader, const char **tier) {
    const struct sw_csv_field *field = sw_columns_field(&reader->csv, &reader->columns, SW_COLUMN_TIER);
    if (!field) {
        return true;
    }
    const char *text = sw_csv_text(&reader->csv, field);
    size_t size = text ? strlen(text) + 1 : 0;
    if (!text || !SW_RESERVE(&reader->tier, size)) {
        return sw_fail_memory(reader->error);
    }
    memcpy(reader->tier.items, text, size);
    *tier = reader->tier.items;
    return true;
}

static bool read_plan_row(struct plan_table_reader *reader) {
    struct sw_csv *csv = &reader->csv;
    const struct sw_columns *columns = &reader->columns;
    struct sw_plan_entry entry = {0};
    int64_t size = 0, offset = 0;
    entry.has_size = columns->index[SW_COLUMN_SIZE] != SW_NONE;
    entry.has_life = columns->index[SW_COLUMN_LOWER] != SW_NONE && columns->index[SW_COLUMN_UPPER] != SW_NONE;
    entry.has_offset = sw_columns_field(csv, columns, SW_COLUMN_OFFSET) != NULL;
    if ((entry.has_life && !sw_columns_lifetime(csv, columns, &entry.first, &entry.last, reader->error)) ||
        (entry.has_size &&
         !sw_columns_number(csv, columns, SW_COLUMN_SIZE, 0, (int64_t)SW_MAX_BYTES, &size, reader->error)) ||
        (entry.has_offset &&
         !sw_columns_number(csv, columns, SW_COLUMN_OFFSET, 0, INT64_MAX, &offset, reader->error)) ||
        !keep_tier(reader, &entry.tier)) {
        return false;
    }
    entry.size = (uint64_t)size;
    entry.offset = (uint64_t)offset;
    entry.name = sw_csv_text(csv, &csv->fields.items[columns->index[SW_COLUMN_ID]]);
    if (!entry.name) {
        return sw_fail_memory(reader->error);
    }
    size_t source = (size_t)(csv->row - csv->input->bytes);
    return sw_plan_add(reader->maker, &entry, source) || report_row_complaint(reader);
}

static bool read_plan_table(struct plan_table_reader *reader, struct sw_layout *layout) {
    const unsigned required = 1u << SW_COLUMN_ID | 1u << SW_COLUMN_OFFSET;
    if (!sw_columns_read(&reader->csv, required, &reader->columns, reader->error)) {
        return false;
    }
    for (bool got = true; got;) {
        if (!sw_columns_next(&reader->csv, &reader->columns, &got, reader->error) || (got && !read_plan_row(reader))) {
            return false;
        }
    }
    return sw_plan_place(reader->maker, layout) || report_row_complaint(reader);
}

/* The parts of a life without a row, before `row` and after it, are spent in host memory. */
static bool add_host_transfers(const struct sw_plan_maker *maker, size_t i, struct sw_layout *layout) {
    const struct sw_plan_row *row = &maker->rows.items[i];
    const struct sw_buffer *buffer = sw_problem_buffer(maker->problem, row->buffer);
    bool first = i == 0 || row[-1].buffer != row->buffer;
    bool last = i + 1 == maker->rows.count || row[1].buffer != row->buffer;
    uint32_t since = first ? buffer->first : row[-1].to + 1;
    uint32_t until = last ? buffer->last : row[1].from - 1;
    struct sw_transfer in = {row->buffer, row->from, SW_NONE, row->tier};
    struct sw_transfer out = {row->buffer, row->to + 1, row->tier, SW_NONE};
    return (since >= row->from || sw_layout_transfer(layout, &in)) &&
           (row->to >= until || sw_layout_transfer(layout, &out));
}

/* A table cannot speak of transfers: a change of tier from one part of a life to the next is one.
 */
static bool add_transfers(const struct sw_plan_maker *maker, struct sw_layout *layout) {
    bool host = sw_layout_has_host(maker->problem);
    for (size_t i = 0; host && i < maker->rows.count; i++) {
        if (!add_host_transfers(maker, i, layout)) {
            return false;
        }
    }
    for (size_t i = 1; i < maker->rows.count; i++) {
        const struct sw_plan_row *row = &maker->rows.items[i], *before = row - 1;
        struct sw_transfer transfer = {row->buffer, row->from, before->tier, row->tier};
        if (before->buffer == row->buffer && before->tier != row->tier && !sw_layout_transfer(layout, &transfer)) {
            return false;
        }
    }
    return true;
}

bool sw_plan_csv_read(const struct sw_input *input, struct sw_plan_maker *maker, struct sw_layout *layout,
                      struct sw_error *error) {
    if (!sw_text_check(input, error)) {
        return false;
    }
    struct plan_table_reader reader = {.maker = maker, .error = error};
    sw_csv_open(&reader.csv, input);
    bool good = read_plan_table(&reader, layout);
    if (good && !add_transfers(maker, layout)) {
        good = sw_fail_memory(error);
    }
    sw_csv_close(&reader.csv);
    SW_ARRAY_DONE(&reader.tier);
    return good;
}

/* ---- writing ---- */

struct plan_columns {
    bool tier, alignment, gaps;
};

/* The further columns are there only when without them the file would read back as another problem.
 */
static struct plan_columns wanted_plan_columns(const struct sw_problem *problem) {
    struct plan_columns wanted = {.tier = sw_problem_tier_count(problem) > 1};
    for (uint32_t i = 0; i < sw_problem_buffer_count(problem); i++) {
        const struct sw_buffer *buffer = sw_problem_buffer(problem, i);
        if (buffer->planned) {
            wanted.alignment |= buffer->alignment != 1;
            wanted.gaps |= !sw_plain_life(buffer);
        }
    }
    return wanted;
}

static void write_plan_row(const struct sw_result *result, struct plan_columns wanted, const struct sw_buffer *buffer,
                           const struct sw_placement *placement, struct sw_sink *sink) {
    const struct sw_problem *problem = sw_layout_problem(result->layout);
    bool part = placement && placement->span.to != UINT32_MAX;
    uint32_t from = part ? placement->span.from : buffer->first;
    uint32_t to = part ? placement->span.to : buffer->last;
    sw_csv_add_buffer(problem, buffer, from, to, sink);
    sw_sink_add(sink, ",", 1);
    if (placement) {
        sw_sink_printf(sink, "%" PRIu64, placement->offset + result->base);
    }
    if (wanted.tier) {
        sw_sink_add(sink, ",", 1);
        sw_sink_csv(sink, placement ? sw_problem_tier(problem, placement->tier)->name : "");
    }
    if (wanted.alignment) {
        sw_sink_printf(sink, ",%" PRIu64, buffer->alignment);
    }
    if (wanted.gaps) {
        sw_sink_add(sink, ",", 1);
        if (!sw_plain_life(buffer) && !part) {
            sw_csv_add_gaps(problem, buffer, sink);
        }
    }
    sw_sink_add(sink, "\n", 1);
}

static bool plan_csv_write(const struct sw_result *result, struct sw_sink *sink, struct sw_error *error) {
    const struct sw_problem *problem = sw_layout_problem(result->layout);
    struct plan_columns wanted = wanted_plan_columns(problem);
    sw_sink_printf(sink, "id,lower,upper,size,offset%s%s%s\n", wanted.tier ? ",tier" : "",
                   wanted.alignment ? ",alignment" : "", wanted.gaps ? ",gaps" : "");
    for (uint32_t i = 0; i < sw_problem_buffer_count(problem); i++) {
        const struct sw_buffer *buffer = sw_problem_buffer(problem, i);
        if (!buffer->planned) {
            continue;
        }
        if (!sw_csv_gaps_hold(buffer)) {
            return sw_fail(error, SW_ERROR_UNSUPPORTED,
                           "CSV cannot say how %s lives: two pieces share a step (write .json)", buffer->name);
        }
        struct sw_placement placement;
        uint32_t k = 0;
        for (; sw_layout_placement(result->layout, i, k, &placement); k++) {
            write_plan_row(result, wanted, buffer, &placement, sink);
        }
        if (k == 0) {
            write_plan_row(result, wanted, buffer, NULL, sink);
        }
    }
    return !sink->failed || sw_fail_memory(error);
}

const struct sw_format sw_format_plan_csv = {
    .name = "plan-csv",
    .summary = "a finished plan, as MiniMalloc writes it: id,lower,upper,size,offset; upper is "
               "exclusive",
    .extensions = ".csv",
    .write_plan = plan_csv_write,
};
