/* SPDX-License-Identifier: Apache-2.0 */
/* A catalog changed by SQL: the input picks statements that no importer would run, and the values in them. */
#include "fuzz.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>

#include "../import/schema.h"
#include "ask.h"

static const char *const tables[] = {"profile", "kind", "rule", "change", "import", "term"};
static const char *const columns[] = {"arch",      "default_kind", "v_head_dim", "grad_bytes", "loss_parallel",
                                      "change_id", "name",         "position",   "attention",  "ffn",
                                      "attMM",     "linrec",       "rule",       "pattern",    "source",
                                      "import_id", "change",       "imported_at"};
static const char *const values[] = {"NULL",
                                     "0",
                                     "-1",
                                     "9223372036854775807",
                                     "1.5",
                                     "'x'",
                                     "''",
                                     "x'00ff'",
                                     "'qwen'",
                                     "'full'",
                                     "'prefix'",
                                     "1e99",
                                     "char(0)",
                                     "CAST(x'ff' AS TEXT)",
                                     "zeroblob(100000)",
                                     "'decoder'",
                                     "position + 1",
                                     "arch"};
static const char *const others[] = {
    "DROP VIEW kinds",
    "CREATE TRIGGER t AFTER INSERT ON kind BEGIN DELETE FROM rule; END",
    "DROP TABLE rule",
    "ALTER TABLE kind RENAME TO old; CREATE VIEW kind AS SELECT * FROM old",
    "ALTER TABLE profile RENAME TO old; CREATE TABLE profile AS SELECT * FROM old",
    "CREATE INDEX i ON kind (attMM)",
    "PRAGMA user_version = 101",
    "PRAGMA user_version = 200",
    "DELETE FROM kind",
    "DELETE FROM profile",
    "DELETE FROM change",
    "INSERT INTO kind SELECT arch, name || '2', position + 1, attention, ffn, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1 FROM kind",
    "INSERT INTO profile (arch, change_id) VALUES ('new', 1)"};

#define PICK(list, byte) ((list)[(byte) % (sizeof(list) / sizeof *(list))])

static void change(sqlite3 *db, const uint8_t *picks)
{
    char *sql;
    if (picks[0] % 4 == 0)
        sql = sqlite3_mprintf("%s", PICK(others, picks[1]));
    else
        sql = sqlite3_mprintf("UPDATE \"%w\" SET \"%w\" = %s WHERE rowid %% 2 OR 1", PICK(tables, picks[1]),
                              PICK(columns, picks[2]), PICK(values, picks[3]));
    fuzz_require(sql != NULL);
    /* Most are refused, by one reason or another: what is left of them is what counts. */
    sqlite3_exec(db, sql, NULL, NULL, NULL);
    sqlite3_free(sql);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    enum { PICKS = 4, CHANGES = 16 };
    sqlite3 *db = NULL;
    fuzz_write("", 0);
    fuzz_require(sqlite3_open(fuzz_file(), &db) == SQLITE_OK);
    sqlite3_exec(db, "PRAGMA synchronous = OFF; PRAGMA journal_mode = OFF; BEGIN", NULL, NULL, NULL);
    fuzz_require(sqlite3_exec(db, opcat_schema_sql, NULL, NULL, NULL) == SQLITE_OK);
    fuzz_require(
        sqlite3_exec(db,
                     "INSERT INTO import VALUES (1, '2026-01-01T00:00:00Z', 'x', 'x', 1, 0, 0, 0, 0);"
                     "INSERT INTO change VALUES (1, 'qwen', 1, 'added', 'x');"
                     "INSERT INTO profile (arch, default_kind, change_id) VALUES ('qwen', 'decoder', 1);"
                     "INSERT INTO kind VALUES ('qwen', 'decoder', 0, 'full', NULL, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1);"
                     "INSERT INTO rule VALUES ('prefix', 'qwen', 'qwen');"
                     "COMMIT; PRAGMA ignore_check_constraints = ON",
                     NULL, NULL, NULL) == SQLITE_OK);
    for (size_t i = 0; i + PICKS <= length && i < PICKS * CHANGES; i += PICKS)
        change(db, bytes + i);
    sqlite3_close(db);
    fuzz_ask(fuzz_file());
    return 0;
}
