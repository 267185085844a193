/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/nearest.h"
#include "../lib/vocabulary.h"

size_t opcat_check_down(opcat_checker *checker, const char *name)
{
    size_t length = checker->path.length;
    if (length)
        opcat_text_add_bytes(&checker->path, ".", 1);
    opcat_text_add_bytes(&checker->path, name, strlen(name));
    return length;
}

void opcat_check_up(opcat_checker *checker, size_t length)
{
    if (!checker->path.bytes)
        return;
    checker->path.length = length;
    checker->path.bytes[length] = '\0';
}

void opcat_checker_free(opcat_checker *checker)
{
    if (checker->path.failed)
        checker->faults->out_of_memory = true;
    free(checker->path.bytes);
    checker->path = (opcat_text){0};
}

/* Hand over a message that was put together, and free it. */
static void add_fault(opcat_checker *checker, opcat_place place, opcat_text *words)
{
    const char *path = checker->path.length ? checker->path.bytes : "";
    if (words->failed || checker->path.failed)
        checker->faults->out_of_memory = true;
    else
        opcat_faults_add(checker->faults, checker->file, place, "%s%s%s", path, *path ? " " : "", words->bytes);
    free(words->bytes);
}

void opcat_check_fault(opcat_checker *checker, opcat_place place, const char *format, ...)
{
    opcat_text words = {0};
    va_list arguments;
    va_start(arguments, format);
    opcat_text_vadd(&words, format, arguments);
    va_end(arguments);
    add_fault(checker, place, &words);
}

void opcat_check_got(opcat_checker *checker, opcat_place place, const opcat_node *found, const char *words)
{
    if (found->type == OPCAT_NODE_INVALID)
        return;
    opcat_text text = {0};
    opcat_text_add(&text, "%s, got ", words);
    opcat_node_describe(&text, found);
    add_fault(checker, place, &text);
}

size_t opcat_count_names(const char *const *names)
{
    size_t count = 0;
    while (names[count])
        count++;
    return count;
}

void opcat_text_add_list(opcat_text *text, const char *const *names, size_t count, const char *last)
{
    for (size_t i = 0; i < count; i++)
        opcat_text_add(text, "%s%s", i == 0 ? "" : i + 1 == count ? last : ", ", names[i]);
}

int opcat_check_unknown(opcat_checker *checker, const opcat_node *key, const char *what, const char *const *names)
{
    const char *name = opcat_node_string(key);
    const char *meant = name ? opcat_nearest(name, names, opcat_count_names(names)) : NULL;
    opcat_text text = {0};
    opcat_text_add(&text, "has the unknown %s ", what);
    opcat_text_quote(&text, key->text, key->count);
    if (meant) {
        opcat_text_add(&text, "; did you mean '%s'?", meant);
    } else {
        opcat_text_add(&text, "; it may have ");
        opcat_text_add_list(&text, names, opcat_count_names(names), " and ");
    }
    add_fault(checker, opcat_node_place(key), &text);
    return meant ? opcat_name_index(names, meant) : -1;
}

/* ---- Whole numbers --------------------------------------------------------------------------------------- */

/* The number that a value states; false where it states none. */
static bool whole_of(const opcat_node *value, opcat_whole *whole)
{
    static const double limit = 9223372036854775808.0; /* 2^63 */
    switch (value->type) {
    case OPCAT_NODE_INT:
        *whole = value->of.whole;
        return true;
    case OPCAT_NODE_FLOAT:
        if (!isfinite(value->of.real) || floor(value->of.real) != value->of.real)
            return false;
        *whole = (opcat_whole){.negative = value->of.real < 0};
        whole->huge = fabs(value->of.real) >= limit;
        whole->value = whole->huge ? 0 : (int64_t)value->of.real;
        return true;
    case OPCAT_NODE_STRING:
        return opcat_py_int(value->text, value->count, 10, whole);
    default:
        return false;
    }
}

bool opcat_check_whole(opcat_checker *checker, opcat_place place, const opcat_node *value, int64_t minimum,
                       int64_t *number)
{
    opcat_whole whole;
    if (!whole_of(value, &whole)) {
        opcat_check_got(checker, place, value, "must be a whole number");
        return false;
    }
    if (whole.huge ? whole.negative : whole.value < minimum) {
        opcat_check_got(checker, place, value, minimum ? "must be at least 1" : "must be at least 0");
        return false;
    }
    if (whole.huge) {
        opcat_check_got(checker, place, value, "is too large: it must be at most 9223372036854775807");
        return false;
    }
    *number = whole.value;
    return true;
}

/* ---- Ops ------------------------------------------------------------------------------------------------- */

/* Name the ops that are missing, without those that a misspelt key was taken for. */
static void say_missing(opcat_checker *checker, opcat_place place, const bool *stated, const bool *suggested)
{
    const char *missing[OPCAT_OP_COUNT];
    size_t count = 0;
    for (size_t op = 0; op < OPCAT_OP_COUNT; op++) {
        if (!stated[op] && !suggested[op])
            missing[count++] = opcat_op_names[op];
    }
    if (!count)
        return;
    opcat_text text = {0};
    opcat_text_add(&text, count == 1 ? "is missing the count for " : "is missing the counts for ");
    opcat_text_add_list(&text, missing, count, " and ");
    opcat_text_add(&text, "; each of the ten ops is stated, 0 for none");
    add_fault(checker, place, &text);
}

static bool take_op(opcat_checker *checker, const opcat_pair *pair, bool *stated, bool *suggested, opcat_ops *ops)
{
    const char *name = opcat_node_string(pair->key);
    int op = name ? opcat_name_index(opcat_op_names, name) : -1;
    if (op < 0) {
        int meant = opcat_check_unknown(checker, pair->key, "op", opcat_op_names);
        if (meant >= 0)
            suggested[meant] = true;
        return false;
    }
    stated[op] = true;
    size_t up = opcat_check_down(checker, name);
    bool good = opcat_check_whole(checker, opcat_node_place(pair->key), pair->value, 0, &ops->at[op]);
    opcat_check_up(checker, up);
    return good;
}

bool opcat_check_ops(opcat_checker *checker, opcat_place place, const opcat_node *value, opcat_ops *ops)
{
    bool stated[OPCAT_OP_COUNT] = {false};
    bool suggested[OPCAT_OP_COUNT] = {false};
    bool good = true;
    if (value->type != OPCAT_NODE_MAPPING) {
        opcat_check_got(checker, place, value, "must map each of the ten ops to its count");
        return false;
    }
    for (uint32_t i = 0; i < value->count && !opcat_faults_enough(checker->faults, checker->file); i++)
        good = take_op(checker, &value->of.pairs[i], stated, suggested, ops) && good;
    if (!value->incomplete)
        say_missing(checker, place, stated, suggested);
    for (size_t op = 0; op < OPCAT_OP_COUNT; op++)
        good = good && stated[op];
    return good;
}

/* ---- Kinds ----------------------------------------------------------------------------------------------- */

bool opcat_check_kind_name(opcat_checker *checker, const opcat_node *name)
{
    unsigned code = 0;
    bool good = name->count > 0;
    for (uint32_t at = 0; good && at < name->count;) {
        size_t size = opcat_utf8_character(name->text + at, name->count - at, &code);
        good = size && !opcat_is_control(code);
        at += (uint32_t)size;
    }
    if (!good) {
        opcat_text text = {0};
        opcat_text_add(&text, "cannot have a kind named ");
        opcat_text_quote(&text, name->text, name->count);
        opcat_text_add(&text, "; a kind's name has at least one character, and no control character");
        add_fault(checker, opcat_node_place(name), &text);
    }
    return good;
}
