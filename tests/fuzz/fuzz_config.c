/* The user's config: any file, and what it says about keys. */
#include "fuzz/fuzz.h"

#include "command/commands.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct sw_error error = {0};
    struct sw_config *config = SW_NEW_ZERO(struct sw_config, 1);
    struct sw_keymap map = {0};
    if (!config) {
        return 0;
    }
    bool good = sw_config_read_text("fuzz.lua", (const char *)data, size, config, &error) &&
                sw_keymap_configure(&map, config, &error);
    if (!good && (!error.message[0] || error.code == SW_OK || !error.file[0])) {
        fuzz_fail("a config was refused without a word, or without its place");
    }
    for (size_t i = 0; good && i < map.list.count; i++) {
        const char *line = NULL;
        const struct sw_binding *binding = &map.list.items[i];
        if (sw_keymap_find(&map, binding->key, &line) != binding->command) {
            fuzz_fail("a key does something else than it is bound to");
        }
    }
    sw_keymap_done(&map);
    sw_config_done(config);
    SW_FREE(config, 1);
    return 0;
}
