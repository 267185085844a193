/* SPDX-License-Identifier: Apache-2.0 */
#include "command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

void run(command *self, const char *line)
{
    size_t length = 0;
    char *out = format("%s/.out", self->folder), *err = format("%s/.err", self->folder);
    char *whole = format("d=%s; c=%s/catalog.db; opcat=%s; { %s; } >%s 2>%s </dev/null", self->folder, self->folder,
                         OPCAT_COMMAND, line, out, err);
    int status = system(whole);
    assert_true(WIFEXITED(status));
    self->status = WEXITSTATUS(status);
    free(self->out);
    free(self->err);
    self->out = read_bytes(out, &length);
    self->err = read_bytes(err, &length);
    free(out);
    free(err);
    free(whole);
}

void assert_done(command *self, const char *line)
{
    run(self, line);
    if (self->status != 0)
        fail_msg("%s exits with %d: %s", line, self->status, self->err);
}

int command_set_up(void **state)
{
    command *self = calloc(1, sizeof *self);
    self->folder = make_folder();
    self->catalog = format("%s/catalog.db", self->folder);
    unsetenv("OPCAT_CATALOG");
    assert_int_equal(sqlite3_open(":memory:", &self->json), SQLITE_OK);
    assert_done(self, "$opcat --catalog $c import " OPCAT_SOURCE_DIR "/op_profiles");
    *state = self;
    return 0;
}

int command_tear_down(void **state)
{
    command *self = *state;
    sqlite3_close(self->json);
    free(self->out);
    free(self->err);
    free(self->catalog);
    remove_folder(self->folder);
    free(self);
    return 0;
}

void assert_json(command *self, const char *expression, const char *expected)
{
    sqlite3_stmt *row = NULL;
    char *sql = format("SELECT %s", expression);
    if (sqlite3_prepare_v2(self->json, sql, -1, &row, NULL) != SQLITE_OK)
        fail_msg("%s: %s", sql, sqlite3_errmsg(self->json));
    sqlite3_bind_text(row, 1, self->out, -1, SQLITE_STATIC);
    if (sqlite3_step(row) != SQLITE_ROW)
        fail_msg("%s: %s", sql, sqlite3_errmsg(self->json));
    const char *found = (const char *)sqlite3_column_text(row, 0);
    if (!found || strcmp(found, expected) != 0)
        fail_msg("%s is %s, not %s", expression, found ? found : "null", expected);
    sqlite3_finalize(row);
    free(sql);
}
