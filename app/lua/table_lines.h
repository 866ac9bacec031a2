/* Where in the text of a Lua file an entry of a table stands.
 *
 * Lua keeps neither the lines of a table nor that a name stood in it twice, so the text is looked at. A table that is
 * computed is only found in part. */
#ifndef SW_LUA_TABLE_LINES_H
#define SW_LUA_TABLE_LINES_H

#include <stddef.h>
#include <stdint.h>

/* The names of an entry and of the tables around it, the outermost first, as in `styles = { dim = { fg = `. A name that
 * is NULL is an item of a list. */
struct sw_table_place {
    const char *names[3];
    size_t count;
    unsigned index; /* of the item, from 1 */
};

/* The line of a place; of the innermost table around it that is found, else 1. An item of a list is found when it and
 * those before it are tables without others inside. O(length). */
uint32_t sw_table_line(const char *text, size_t length, const struct sw_table_place *);
/* The first of the names in a table that stands there twice: the line of its second entry. 0: there is none among the
 * first thousand. O(length) for each name. */
uint32_t sw_table_twice(const char *text, size_t length, const char *table, char name[64]);

#endif
