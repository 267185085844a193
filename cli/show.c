/* SPDX-License-Identifier: Apache-2.0 */
#include "show.h"

#include "../lib/vocabulary.h"
#include "table.h"

static void add_kinds(opcat_json *json, const opcat_profile *profile)
{
    opcat_json_open(json, '{');
    for (size_t i = 0; i < profile->kind_count; i++) {
        const opcat_layer_kind *kind = &profile->kinds[i];
        opcat_json_key(json, kind->name);
        opcat_json_open(json, '{');
        opcat_json_key(json, "attention");
        opcat_json_string(json, kind->attention);
        opcat_json_key(json, "ffn");
        opcat_json_string(json, kind->ffn);
        opcat_json_key(json, "ops");
        opcat_json_ops(json, &kind->ops);
        opcat_json_close(json, '}');
    }
    opcat_json_close(json, '}');
}

static void add_run(opcat_json *json, const opcat_run *run)
{
    opcat_json_open(json, '{');
    for (size_t i = 0; i < OPCAT_RUN_COUNT; i++) {
        int64_t value = opcat_run_get(run, i);
        opcat_json_key(json, opcat_run_fields[i].name);
        if (opcat_run_fields[i].type == OPCAT_TYPE_FLAG)
            opcat_json_bool(json, value != 0);
        else
            opcat_json_number(json, value);
    }
    opcat_json_close(json, '}');
}

void opcat_json_profile(opcat_json *json, const opcat_profile *profile)
{
    opcat_json_open(json, '{');
    opcat_json_key(json, "arch");
    opcat_json_string(json, profile->arch);
    opcat_json_key(json, "default");
    opcat_json_string(json, profile->default_kind ? profile->default_kind->name : NULL);
    opcat_json_key(json, "kinds");
    add_kinds(json, profile);
    opcat_json_key(json, "run");
    add_run(json, &profile->run);
    opcat_json_key(json, "model");
    opcat_json_open(json, '{');
    if (profile->model.v_head_dim) {
        opcat_json_key(json, "v_head_dim");
        opcat_json_number(json, profile->model.v_head_dim);
    }
    opcat_json_close(json, '}');
    opcat_json_close(json, '}');
}

int opcat_print_counts(const opcat_kind_ops *kinds, size_t count)
{
    opcat_table table;
    const char *headings[OPCAT_OP_COUNT + 1] = {"KIND"};
    for (size_t op = 0; op < OPCAT_OP_COUNT; op++)
        headings[op + 1] = opcat_op_names[op];
    opcat_table_start(&table, "lrrrrrrrrrr", headings);
    for (size_t i = 0; i < count; i++) {
        opcat_table_add(&table, "%s", kinds[i].kind);
        opcat_table_add_ops(&table, &kinds[i].ops);
    }
    return opcat_table_print(&table, stdout);
}
