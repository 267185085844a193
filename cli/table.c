/* SPDX-License-Identifier: Apache-2.0 */
#include "table.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "../lib/text.h"
#include "../lib/vocabulary.h"
#include "cli.h"

void opcat_table_start(opcat_table *table, const char *alignment, const char *const *headings)
{
    *table = (opcat_table){.columns = strlen(alignment), .alignment = alignment};
    for (size_t i = 0; i < table->columns; i++)
        opcat_table_add(table, "%s", headings[i]);
}

void opcat_table_add(opcat_table *table, const char *format, ...)
{
    opcat_text text = {0};
    opcat_text escaped = {0};
    va_list arguments;
    va_start(arguments, format);
    opcat_text_vadd(&text, format, arguments);
    va_end(arguments);
    if (!text.failed)
        opcat_text_escape(&escaped, text.bytes);
    if (table->count == table->room) {
        size_t room = table->room ? table->room * 2 : 64;
        char **cells = realloc(table->cells, room * sizeof(char *));
        if (cells) {
            table->cells = cells;
            table->room = room;
        }
    }
    if (text.failed || escaped.failed || table->count == table->room) {
        table->failed = true;
        free(escaped.bytes);
    } else {
        table->cells[table->count++] = escaped.bytes;
    }
    free(text.bytes);
}

void opcat_table_add_ops(opcat_table *table, const opcat_ops *ops)
{
    for (size_t op = 0; op < OPCAT_OP_COUNT; op++)
        opcat_table_add(table, "%" PRId64, ops->at[op]);
}

/* How many columns of a terminal a text takes. */
static size_t width_of(const char *text)
{
    size_t width = 0;
    mbstate_t state = {0};
    while (*text) {
        wchar_t character;
        size_t size = mbrtowc(&character, text, strlen(text), &state);
        if (size == (size_t)-1 || size == (size_t)-2 || size == 0) {
            /* Not the locale's: one column a character of UTF-8. */
            width += ((unsigned char)*text & 0xc0) != 0x80;
            text++;
            memset(&state, 0, sizeof state);
            continue;
        }
        int columns = wcwidth(character);
        width += columns > 0 ? (size_t)columns : 0;
        text += size;
    }
    return width;
}

static void print_row(const opcat_table *table, size_t row, const size_t *widths, FILE *stream)
{
    for (size_t i = 0; i < table->columns; i++) {
        const char *cell = table->cells[row * table->columns + i];
        size_t padding = widths[i] - width_of(cell);
        bool last = i + 1 == table->columns;
        if (table->alignment[i] == 'r')
            fprintf(stream, "%*s%s", (int)padding, "", cell);
        else
            fprintf(stream, "%s%*s", cell, last ? 0 : (int)padding, "");
        if (!last)
            fputs("  ", stream);
    }
}

void opcat_table_free(opcat_table *table)
{
    for (size_t i = 0; i < table->count; i++)
        free(table->cells[i]);
    free(table->cells);
    *table = (opcat_table){0};
}

int opcat_table_print(opcat_table *table, FILE *stream)
{
    size_t rows = table->count / table->columns;
    bool colours = opcat_colours(stream);
    size_t *widths = calloc(table->columns, sizeof *widths);
    bool whole = widths && !table->failed;
    for (size_t i = 0; whole && i < rows * table->columns; i++) {
        size_t width = width_of(table->cells[i]);
        if (width > widths[i % table->columns])
            widths[i % table->columns] = width;
    }
    for (size_t row = 0; whole && row < rows; row++) {
        fputs(opcat_bold(colours && row == 0), stream);
        print_row(table, row, widths, stream);
        fputs(opcat_plain(colours && row == 0), stream);
        fputc('\n', stream);
    }
    opcat_table_free(table);
    free(widths);
    return whole ? OPCAT_EXIT_DONE : opcat_fail("out of memory");
}
