/* SPDX-License-Identifier: Apache-2.0 */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../lib/text.h"
#include "cli.h"

bool opcat_vprint(FILE *stream, const char *style, const char *format, va_list arguments)
{
    opcat_text text = {0};
    opcat_text escaped = {0};
    opcat_text_vadd(&text, format, arguments);
    if (!text.failed)
        opcat_text_escape(&escaped, text.bytes);
    bool whole = !text.failed && !escaped.failed;
    fprintf(stream, "%s%s%s", style, whole ? escaped.bytes : "out of memory", opcat_plain(*style));
    free(escaped.bytes);
    free(text.bytes);
    return whole;
}

bool opcat_print(FILE *stream, const char *style, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    bool whole = opcat_vprint(stream, style, format, arguments);
    va_end(arguments);
    return whole;
}

bool opcat_print_line(FILE *stream, const char *style, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    bool whole = opcat_vprint(stream, style, format, arguments);
    va_end(arguments);
    fputc('\n', stream);
    return whole;
}

int opcat_fail(const char *format, ...)
{
    va_list arguments;
    fputs("opcat: ", stderr);
    va_start(arguments, format);
    opcat_vprint(stderr, "", format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    return OPCAT_EXIT_FAILED;
}

bool opcat_colours(FILE *stream)
{
    const char *refused = getenv("NO_COLOR");
    const char *terminal = getenv("TERM");
    return isatty(fileno(stream)) && !(refused && *refused) && terminal && strcmp(terminal, "dumb") != 0;
}

const char *opcat_bold(bool on)
{
    return on ? "\x1b[1m" : "";
}

const char *opcat_red(bool on)
{
    return on ? "\x1b[1;31m" : "";
}

const char *opcat_dim(bool on)
{
    return on ? "\x1b[2m" : "";
}

const char *opcat_plain(bool on)
{
    return on ? "\x1b[0m" : "";
}

void opcat_print_faults(const opcat_faults *faults)
{
    bool colours = opcat_colours(stderr);
    for (size_t i = 0; i < faults->count; i++) {
        const opcat_fault *fault = &faults->items[i];
        if (fault->place.line)
            opcat_print(stderr, opcat_bold(colours), "%s:%zu:%zu:", fault->file, fault->place.line,
                        fault->place.column);
        else
            opcat_print(stderr, opcat_bold(colours), "%s:", fault->file);
        opcat_print(stderr, opcat_red(colours), " error:");
        opcat_print_line(stderr, "", " %s", fault->text);
    }
    if (faults->out_of_memory)
        opcat_fail("out of memory");
}

static void warn(void *context, const char *message)
{
    (void)context;
    opcat_print_line(stderr, "", "opcat: warning: %s", message);
}

opcat_catalog *opcat_open_for(const opcat_call *call)
{
    opcat_catalog *catalog = NULL;
    opcat_status status = opcat_open(call->catalog, 0, &catalog);
    if (status == OPCAT_OK) {
        opcat_set_logger(catalog, warn, NULL);
        return catalog;
    }
    opcat_fail("%s", opcat_errmsg(catalog));
    opcat_close(catalog);
    return NULL;
}
