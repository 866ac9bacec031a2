/* The entries of the tables in the text of a Lua file. See table_lines.h. */
#include "lua/table_lines.h"
#include "base/base.h"

#include <ctype.h>

enum { MOST_TABLE_NAMES = 1000 };

/* Entries are `name =` and `["name"] =`, and so is each brace that opens. */
struct lua_scan {
    const char *at, *end;
    uint32_t line;
    unsigned depth; /* of braces */
};
struct table_entry {
    char name[64]; /* cut when it is longer */
    bool opens;    /* a brace, without a name */
    uint32_t line;
    unsigned depth;
};

/* [[ ... ]] with any number of equal signs; false when there is none here. */
static bool skip_long(struct lua_scan *scan) {
    const char *at = scan->at + 1;
    size_t level = 0, matched = 0;
    if (scan->at >= scan->end || *scan->at != '[') {
        return false;
    }
    while (at < scan->end && *at == '=') {
        at++;
        level++;
    }
    if (at >= scan->end || *at != '[') {
        return false;
    }
    bool closing = false;
    for (at++; at < scan->end; at++) {
        scan->line += *at == '\n';
        if (*at == ']' && closing && matched == level) {
            at++;
            break;
        }
        closing = *at == ']' || (closing && *at == '=');
        matched = *at == ']' ? 0 : matched + 1;
    }
    scan->at = at;
    return true;
}

/* A string in quotes, into `text` when it fits and has no escapes but \\ and \". */
static bool take_string(struct lua_scan *scan, char text[64]) {
    char quote = *scan->at++;
    size_t used = 0;
    bool plain = true;
    for (; scan->at < scan->end && *scan->at != quote; scan->at++) {
        if (*scan->at == '\\' && scan->at + 1 < scan->end) {
            scan->at++;
            plain = plain && (*scan->at == '\\' || *scan->at == '"' || *scan->at == '\'');
        }
        scan->line += *scan->at == '\n';
        plain = plain && used + 1 < 64;
        if (plain) {
            text[used++] = *scan->at;
        }
    }
    scan->at += scan->at < scan->end;
    text[plain ? used : 0] = '\0';
    return plain;
}

static void skip_blank(struct lua_scan *scan) {
    while (scan->at < scan->end && isspace((unsigned char)*scan->at)) {
        scan->line += *scan->at++ == '\n';
    }
}

static bool take_lua_char(struct lua_scan *scan, char c) {
    skip_blank(scan);
    if (scan->at < scan->end && *scan->at == c) {
        scan->at++;
        return true;
    }
    return false;
}

/* `=` but not `==`. */
static bool take_equals(struct lua_scan *scan) {
    return take_lua_char(scan, '=') && !(scan->at < scan->end && *scan->at == '=');
}

static bool take_word(struct lua_scan *scan, char text[64]) {
    size_t used = 0;
    while (scan->at < scan->end && (isalnum((unsigned char)*scan->at) || *scan->at == '_')) {
        if (used + 1 < 64) {
            text[used++] = *scan->at;
        }
        scan->at++;
    }
    text[used] = '\0';
    return used > 0;
}

static void skip_lua_comment(struct lua_scan *scan) {
    scan->at += 2;
    if (!skip_long(scan)) {
        while (scan->at < scan->end && *scan->at != '\n') {
            scan->at++;
        }
    }
}

static bool next_entry(struct lua_scan *scan, struct table_entry *entry) {
    char skipped[64];
    while (skip_blank(scan), scan->at < scan->end) {
        char c = *scan->at;
        entry->line = scan->line;
        entry->depth = scan->depth;
        entry->opens = c == '{';
        if (c == '-' && scan->end - scan->at > 1 && scan->at[1] == '-') {
            skip_lua_comment(scan);
        } else if (c == '"' || c == '\'') {
            take_string(scan, skipped);
        } else if (c == '[' && skip_long(scan)) {
        } else if (c == '[') {
            scan->at++;
            skip_blank(scan);
            if (scan->at < scan->end && (*scan->at == '"' || *scan->at == '\'') && take_string(scan, entry->name) &&
                take_lua_char(scan, ']') && take_equals(scan)) {
                return true;
            }
        } else if (take_word(scan, entry->name)) {
            if (take_equals(scan)) {
                return true;
            }
        } else {
            scan->depth += c == '{';
            scan->depth -= c == '}' && scan->depth > 0;
            scan->at++;
            if (entry->opens) {
                return true;
            }
        }
    }
    return false;
}

static bool entry_is_named(const struct table_entry *entry, const char *name) {
    return !entry->opens && strncmp(entry->name, name, sizeof entry->name - 1) == 0;
}

uint32_t sw_table_line(const char *text, size_t length, const struct sw_table_place *place) {
    struct lua_scan scan = {.at = text, .end = text + length, .line = 1};
    struct table_entry entry;
    uint32_t line = 1;
    size_t depth = 0; /* of the names that are found */
    unsigned braces = 0;
    while (depth < place->count && next_entry(&scan, &entry)) {
        const char *name = place->names[depth];
        braces += entry.opens;
        if (name ? entry_is_named(&entry, name) : entry.opens && braces == place->index + 1) {
            line = entry.line;
            depth++;
            braces = 0;
        }
    }
    return line;
}

uint32_t sw_table_twice(const char *text, size_t length, const char *table, char name[64]) {
    struct lua_scan scan = {.at = text, .end = text + length, .line = 1}, inside = scan;
    struct table_entry entry, earlier;
    unsigned depth = 0;
    size_t names = 0;
    while (names <= MOST_TABLE_NAMES && next_entry(&scan, &entry) && (entry.opens || entry.depth >= depth)) {
        if (!depth && entry_is_named(&entry, table)) {
            depth = entry.depth + 1;
            inside = scan;
        } else if (depth && entry.depth == depth && !entry.opens) {
            names++;
            struct lua_scan before = inside;
            while (next_entry(&before, &earlier) && before.at < scan.at) {
                if (earlier.depth == depth && !earlier.opens && strcmp(earlier.name, entry.name) == 0) {
                    snprintf(name, 64, "%s", entry.name);
                    return entry.line;
                }
            }
        }
    }
    return 0;
}
