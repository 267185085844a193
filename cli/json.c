/* SPDX-License-Identifier: Apache-2.0 */
#include "json.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/text.h"
#include "../lib/vocabulary.h"
#include "cli.h"

void opcat_json_start(opcat_json *json, FILE *stream)
{
    *json = (opcat_json){.stream = stream, .first = true};
    json->failed = sqlite3_open(":memory:", &json->db) != SQLITE_OK ||
                   sqlite3_prepare_v2(json->db, "SELECT json_quote(?1)", -1, &json->quote, NULL) != SQLITE_OK;
}

int opcat_json_end(opcat_json *json)
{
    fputc('\n', json->stream);
    sqlite3_finalize(json->quote);
    sqlite3_close(json->db);
    return json->failed ? opcat_fail("out of memory, or an SQLite without JSON functions") : OPCAT_EXIT_DONE;
}

static void indent(opcat_json *json)
{
    fputc('\n', json->stream);
    for (int i = 0; i < json->depth; i++)
        fputs("  ", json->stream);
}

/* What goes before a value: nothing after a key, else a comma where one is due, and the next line. */
static void before_value(opcat_json *json)
{
    if (json->after_key) {
        json->after_key = false;
        return;
    }
    if (!json->first)
        fputc(',', json->stream);
    if (json->depth)
        indent(json);
    json->first = false;
}

void opcat_json_open(opcat_json *json, char bracket)
{
    before_value(json);
    fputc(bracket, json->stream);
    json->depth++;
    json->first = true;
}

void opcat_json_close(opcat_json *json, char bracket)
{
    json->depth--;
    if (!json->first)
        indent(json);
    fputc(bracket, json->stream);
    json->first = false;
}

/* Bytes that are no UTF-8, which JSON cannot hold, become U+FFFD. */
static void make_valid(opcat_text *valid, const char *text)
{
    unsigned code;
    size_t length = strlen(text);
    for (size_t at = 0; at < length;) {
        size_t size = opcat_utf8_character(text + at, length - at, &code);
        opcat_text_add_bytes(valid, size ? text + at : "\xef\xbf\xbd", size ? size : 3);
        at += size ? size : 1;
    }
}

static void quote(opcat_json *json, const char *text)
{
    opcat_text valid = {0};
    make_valid(&valid, text);
    if (!json->failed && !valid.failed &&
        sqlite3_bind_text(json->quote, 1, valid.bytes ? valid.bytes : "", -1, SQLITE_STATIC) == SQLITE_OK &&
        sqlite3_step(json->quote) == SQLITE_ROW && sqlite3_column_text(json->quote, 0))
        fputs((const char *)sqlite3_column_text(json->quote, 0), json->stream);
    else
        json->failed = true;
    sqlite3_reset(json->quote);
    free(valid.bytes);
}

void opcat_json_key(opcat_json *json, const char *key)
{
    before_value(json);
    quote(json, key);
    fputs(": ", json->stream);
    json->after_key = true;
}

void opcat_json_string(opcat_json *json, const char *text)
{
    before_value(json);
    if (text)
        quote(json, text);
    else
        fputs("null", json->stream);
}

void opcat_json_number(opcat_json *json, int64_t number)
{
    before_value(json);
    fprintf(json->stream, "%" PRId64, number);
}

void opcat_json_bool(opcat_json *json, bool value)
{
    before_value(json);
    fputs(value ? "true" : "false", json->stream);
}

void opcat_json_value(opcat_json *json, const opcat_value *value)
{
    if (value->type == OPCAT_VALUE_NUMBER)
        opcat_json_number(json, value->number);
    else if (value->type == OPCAT_VALUE_FLAG)
        opcat_json_bool(json, value->number != 0);
    else
        opcat_json_string(json, value->type == OPCAT_VALUE_TEXT ? value->text : NULL);
}

void opcat_json_ops(opcat_json *json, const opcat_ops *ops)
{
    opcat_json_open(json, '{');
    for (size_t op = 0; op < OPCAT_OP_COUNT; op++) {
        opcat_json_key(json, opcat_op_names[op]);
        opcat_json_number(json, ops->at[op]);
    }
    opcat_json_close(json, '}');
}
