/* The formats of the readers that ship as scripts: what each says of itself, which meson takes from its file
 * (rows.awk), so that no script is opened before its input is known. */
#include "formats/trace/decision_log.h"
#include "formats/known_by.h"
#include "lua/reader_words.inc"
#include "lua/readers/reader.h"

#define FORMAT(name, file)
#define READER(name, file) \
    const struct sw_format name = {.run = sw_lua_reader_run, .script = file, .locate = sw_log_locate, READER_##name};
#include "formats.def"
#undef FORMAT
#undef READER
