/* SPDX-License-Identifier: Apache-2.0 */
/* JSON to a stream, value by value. SQLite quotes the strings. */
#ifndef OPCAT_JSON_H
#define OPCAT_JSON_H

#include <stdint.h>
#include <stdio.h>

#include <sqlite3.h>

#include "../import/compare.h"
#include "../lib/opcat.h"

typedef struct opcat_json {
    FILE *stream;
    sqlite3 *db;         /* an empty database in memory, for its functions */
    sqlite3_stmt *quote; /* json_quote() */
    int depth;
    bool first;     /* nothing stands yet in the innermost array or object */
    bool after_key; /* a key stands, and waits for its value */
    bool failed;    /* memory ran out: what was written is not whole */
} opcat_json;

void opcat_json_start(opcat_json *json, FILE *stream);
/* End the text with a line end; OPCAT_EXIT_DONE, or OPCAT_EXIT_FAILED where it is not whole, which is said. */
int opcat_json_end(opcat_json *json);

void opcat_json_open(opcat_json *json, char bracket);
void opcat_json_close(opcat_json *json, char bracket);
void opcat_json_key(opcat_json *json, const char *key);
/* NULL gives null. */
void opcat_json_string(opcat_json *json, const char *text);
void opcat_json_number(opcat_json *json, int64_t number);
void opcat_json_bool(opcat_json *json, bool value);
/* A value as what it is; null for one that is absent. */
void opcat_json_value(opcat_json *json, const opcat_value *value);
/* An object of the ten ops. */
void opcat_json_ops(opcat_json *json, const opcat_ops *ops);

#endif
