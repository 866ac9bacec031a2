/* The readers in Lua on files of about 5 MB that are made here: seconds of processor time until the problem stands,
 * scaled to 5,000,000 bytes. */
#include "readers.h"

#include "formats/format.h"
#include "measure.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { WANTED_BYTES = 5000000, TRIED_ROWS = 1000, MOST_PARTS = 3 };

/* A part of a file: a head, as many rows as all parts have, a foot. In them stand $ for the number of the row, ^ for
 * that of the row before it, ~ for an address of its own, & for how many rows there are. A comma that begins a row is
 * left out of the first. */
struct made_part {
    const char *head, *row, *foot;
    const char *file; /* another file, in which it stands; NULL: the one of the part before it */
};

#define ORT_LINE "2026-11-25 01:02:03.456 [I:onnxruntime:log, bfc_arena.cc:306 AllocateRawInternal] "
#define TF_LINE "2026-11-25 01:02:03.456789: I tensorflow/tsl/framework/bfc_allocator.cc:260] "
#define TT_EVENT ",\n {\"position\":$,\"opName\":\"%$ = relu\",\"action\":\""

static const struct made_format {
    const char *reader;
    struct made_part parts[MOST_PARTS];
} made_formats[] = {
    {"st-c-info",
     {{"{\"json_schema_version\":\"2.0\",\"memory_pools\":[{\"id\":1,\"name\":\"ram\",\"size_bytes\":64}],\"graphs\":[{"
       "\"inputs\":[0],\"outputs\":[],\"nodes\":[]}],\"buffers\":[",
       ",\n{\"id\":$,\"name\":\"b$\",\"mpool_id\":1,\"offset_start\":0,\"size_bytes\":64,\"alignment\":4,\"epochs\":{"
       "\"start\":$,\"end\":$},\"format\":\"STAI_FORMAT_S8\",\"nbits\":8}",
       "]}\n", "large_c_info.json"}}},
    {"dsa-json",
     {{"{\"schema_version\":1,\"profile\":\"pypto_hard_v1\",\"instance\":\"large\",\"metadata\":{\"producer\":\"x\"},"
       "\"problem\":{\"pools\":[{\"id\":3,\"name\":\"Vec\",\"capacity\":null,\"reserved_ranges\":[]}],\"buffers\":[",
       ",\n{\"id\":$,\"name\":\"b$\",\"size\":64,\"alignment\":32,\"live_intervals\":[{\"lower\":^,\"upper\":&}],"
       "\"allowed_pools\":[3]}",
       "],\"constraints\":{\"colocations\":[],\"separations\":[],\"temporal_exclusions\":[],\"pinned_allocations\":[]},"
       "\"cost_model\":{\"reuse_penalties\":[]},\"pypto_structure\":{\"alias_classes\":[],\"pipeline_groups\":[]},"
       "\"objective\":{\"aggregation\":\"lexicographic\",\"terms\":[\"total_peak\"]}}}\n",
       "large.json"}}},
    {"mtrace",
     {{"= Start\n", "@ ./prog:(main+0x1a)[0x11c0] + ~ 0x64\n@ ./prog:(main+0x2a)[0x11d0] - ~\n", "= End\n",
       "large.mtrace"}}},
    {"inductor",
     {{"{\"nodes\":[", ",\n{\"name\":\"op$\",\"buffer_names\":[\"b$\"]}", "],\n\"buffers\":[", "large.json"},
      {"",
       ",\n{\"name\":\"b$\",\"size_alloc\":64,\"size_free\":64,\"is_input\":false,\"is_output\":false,\"deps\":[\"b^\"]"
       "}",
       "]}\n", NULL}}},
    {"st-report",
     {{"ST Edge AI Core v2.2.0\n\nactivations size      : 64\n\nC-Arrays (&)\n",
       "$      b$_output     16/64      activations/**default**   float         \n", "\n", "large.txt"},
      {"C-Layers (&)\n",
       "$      l$             2    Conv2D          342208    4864     I: b^_output      f32(16) (^)\n"
       "                                                                O: b$_output      f32(16) ($)\n",
       "\n", NULL}}},
    {"tt-mlir",
     {{"{\"version\":3,\"functionName\":\"f\",\"beamWidth\":2,\"totalOps\":&,\"forwardPass\":[",
       ",\n{\"opIndex\":$,\"opName\":\"ttnn.relu\",\"opLocation\":\"loc($)\",\"evaluations\":[{\"hint\":\"L1\","
       "\"inputs\":[\"DRAM\"],\"valid\":true,\"score\":{\"isL1\":true,\"coreCount\":8},\"output\":\"L1/"
       "h\"}],\"beam\":[{"
       "\"rank\":0,\"outputLayout\":\"L1/h\",\"score\":{\"isL1\":true}}],\"usedDramFallback\":false}",
       "],\"edges\":[],\"finalChoices\":[", "large_decision_trace.json"},
      {"", ",\n{\"opIndex\":$,\"opName\":\"ttnn.relu\",\"chosenLayout\":\"L1\"}",
       "],\"spillManagement\":{\"budget\":1024,\"events\":[", NULL},
      {"",
       TT_EVENT "live_added\",\"occupiedL1Before\":0,\"occupiedL1After\":64,\"opL1Usage\":64}" TT_EVENT
                "dead_removal\",\"occupiedL1Before\":64,\"occupiedL1After\":0,\"opL1Usage\":0}",
       "],\"totalSpills\":0,\"finalOccupied\":0,\"finalLiveTensors\":0,\"scheduleSize\":&}}\n", NULL}}},
    {"xla",
     {{"BufferAssignment:\nallocation 0: size 64, preallocated-temp:\n",
       " value: <$ fusion.$ @0> (size=64,offset=0): f32[16]{0}\n", "", "large-buffer-assignment.txt"},
      {"HloLiveRange (max &):\n  InstructionSequence:\n", "    $:fusion.$\n", "", "large-live-range.txt"},
      {"  BufferLiveRange:\n", "    fusion.${}:$-$\n", "", NULL}}},
    {"xla-report",
     {{"Total bytes used: 64 (64B)\n\nAllocations sorted by size:\n\ncumulative_size; total_size - cumulative_size; "
       "allocation\n",
       "  1.00MiB( 99%);        20B; allocation $: size 64B, parameter $, shape |f32[16]| at ShapeIndex {}:\n", "\n",
       "large-memory-usage-report.txt"}}},
    {"xla-memory-space",
     {{"buffer_id,buffer_name,alt_mem_benefit,size,definition_time,use_times,use_names,is_scoped\n",
       "$,\"fusion.${}\",12.5,4096,$,\"$;&\",\"dot.$, operand 0;add.$, operand 1\",0\n", "", "large-bufferinfo.csv"},
      {"buffer_id,size,offset,start_time,end_time\n", "$,4096,0,$,$\n", "", "large-allocinfo.csv"},
      {"time,instruction_name\n", "$,fusion.$\n", "", "large-scheduleinfo.csv"}}},
    {"onnxruntime-bfc",
     {{"",
       ORT_LINE
       "Extending BFCArena for Cuda. bin_num:9 (requested) num_bytes: 160000 (actual) rounded_bytes:160000\n" ORT_LINE
       "Extended allocation by 1048576 bytes.\n" ORT_LINE "Total allocated bytes: 1048576\n" ORT_LINE
       "Allocated memory at ~00000 to ~ffffff\n",
       "", "large.log"}}},
    {"tensorflow-bfc",
     {{TF_LINE "Extending allocation by 2.00MiB bytes for GPU_0_bfc.\n" TF_LINE
               "Allocated memory at 0x7f65fe000000 to 0x7f65fe200000\n",
       TF_LINE "AllocateRaw GPU_0_bfc  1028\n" TF_LINE "AllocateRaw GPU_0_bfc  1028 0x7f65fe000000\n" TF_LINE
               "DeallocateRaw GPU_0_bfc 1028\n",
       "", "large.log"}}},
    {"ggml-log",
     {{"",
       "ggml_dyn_tallocr_alloc: allocating t$ (64 bytes) - block 0, offset 0, chunk 0\nexec: MUL_MAT (t$) <= in, w\n"
       "parent t$: 0 children, 0 views, allocated: 1\n"
       "ggml_gallocr_free_node: freeing t$ at {chunk=0, offset=0} (64 bytes) - n_free_blocks = 1\n\n",
       "", "large.log"}}},
    {"malloc-calls", {{"", "--7-- malloc(24) = ~\n--7-- realloc(~,100) = ~4\n--7-- free(~4)\n", "", "large.calls"}}},
    {"vela-log",
     {{"Tensor Allocation for mem_area Sram, of mem_type_set (Scratch), using allocator HillClimb\nStart Time -\n",
       " $ - $: 0x0 - 0x40: 64: 64: FeatureMap : conv2d_$\n", "Allocation Peak Memory Usage: 64 (0x40)\n",
       "large.log"}}},
};

static void write_made(FILE *file, const char *text, unsigned i, unsigned count) {
    for (; *text; text++) {
        switch (*text) {
        case '$':
            fprintf(file, "%u", i);
            break;
        case '^':
            fprintf(file, "%u", i > 0 ? i - 1 : 0);
            break;
        case '~':
            fprintf(file, "0x%x", 0x100000 + i);
            break;
        case '&':
            fprintf(file, "%u", count);
            break;
        default:
            fputc(*text, file);
        }
    }
}

/* The files of a format; their bytes, 0: they cannot be written. */
static uint64_t write_format(const struct made_format *format, unsigned count) {
    FILE *file = NULL;
    uint64_t bytes = 0;
    bool good = true;
    for (const struct made_part *part = format->parts; part < format->parts + MOST_PARTS && part->row; part++) {
        if (part->file) {
            char path[128];
            snprintf(path, sizeof path, "%s/%s", bench_folder_name, part->file);
            good = (!file || fclose(file) == 0) && good;
            file = fopen(path, "w");
        }
        if (!file) {
            return 0;
        }
        uint64_t before = part->file ? 0 : (uint64_t)ftell(file);
        write_made(file, part->head, 0, count);
        for (unsigned i = 0; i < count; i++) {
            write_made(file, part->row + (i == 0 && *part->row == ','), i, count);
        }
        write_made(file, part->foot, 0, count);
        good = good && !ferror(file);
        bytes += (uint64_t)ftell(file) - before;
    }
    return file && fclose(file) == 0 && good ? bytes : 0;
}

static void measure_reader(const char *path, const void *what, struct figures *figures) {
    const struct made_format *made = what;
    struct sw_input input = {0};
    struct sw_error error = {0};
    const struct sw_format *found = sw_input_open(path, &input, &error) ? sw_format_detect(&input, &error) : NULL;
    if (!found || strcmp(found->name, made->reader) != 0) {
        bench_fail(&error);
    }
    sw_input_close(&input);
    clock_t before = clock();
    struct sw_problem *problem = bench_load(path);
    figures->seconds = (double)(clock() - before) / CLOCKS_PER_SEC;
    figures->count = sw_problem_buffer_count(problem);
}

static void bench_reader(const struct made_format *format) {
    char path[128];
    struct figures f = {0};
    uint64_t tried = write_format(format, TRIED_ROWS);
    uint64_t rows = tried ? (uint64_t)WANTED_BYTES * TRIED_ROWS / tried : 0;
    uint64_t bytes = rows ? write_format(format, (unsigned)rows) : 0;
    snprintf(path, sizeof path, "%s/%s", bench_folder_name, format->parts[0].file);
    if (bytes > 0 && measure(measure_reader, path, format, &f)) {
        printf("  %-18s %6.3f s in 5 MB   %9" PRIu64 " bytes %7" PRIu64 " rows %7" PRIu64 " buffers   %7.1f MB\n",
               format->reader, f.seconds * WANTED_BYTES / (double)bytes, bytes, rows, f.count,
               (double)f.kilobytes / 1024);
    } else {
        printf("  %-18s failed\n", format->reader);
    }
    for (unsigned i = 0; i < MOST_PARTS; i++) {
        if (format->parts[i].file) {
            snprintf(path, sizeof path, "%s/%s", bench_folder_name, format->parts[i].file);
            unlink(path);
        }
    }
}

void bench_readers(void) {
    printf("readers in Lua: seconds of processor time until the problem stands\n");
    for (size_t i = 0; i < sw_format_count(); i++) {
        const struct sw_format *format = sw_format_get(i);
        size_t k = 0, count = sizeof made_formats / sizeof *made_formats;
        while (k < count && strcmp(made_formats[k].reader, format->name) != 0) {
            k++;
        }
        if (k < count) {
            bench_reader(&made_formats[k]);
        } else if (format->script) {
            printf("  %-18s no file is made for it\n", format->name);
        }
    }
}
