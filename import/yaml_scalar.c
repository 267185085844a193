/* SPDX-License-Identifier: Apache-2.0 */
/* What a scalar is, and its value: the rules of YAML 1.1 as PyYAML's safe loader applies them. */
#include <stdlib.h>
#include <string.h>

#include "yaml_pattern.h"
#include "yaml_tree.h"

/* ---- Values ---------------------------------------------------------------------------------------------- */

static const char cannot_read_int[] = "cannot be read as !!int";
static const char cannot_read_float[] = "cannot be read as !!float";
const char opcat_scalar_nomem[] = "cannot be read: out of memory";

/* The text without underscores; free() it. */
static char *without_underscores(const opcat_node *node, size_t *length)
{
    char *copy = malloc((size_t)node->count + 1);
    *length = 0;
    for (uint32_t i = 0; copy && i < node->count; i++) {
        if (node->text[i] != '_')
            copy[(*length)++] = node->text[i];
    }
    if (copy)
        copy[*length] = '\0';
    return copy;
}

/* Parts of base 60, added up as PyYAML does: under a tag they may have signs of their own, and be of any size. */
static bool sexagesimal_int(const char *text, size_t length, opcat_whole *whole)
{
    const char *end = text + length;
    *whole = (opcat_whole){0};
    for (;;) {
        const char *colon = memchr(text, ':', (size_t)(end - text));
        opcat_whole part;
        if (!opcat_py_int(text, (size_t)((colon ? colon : end) - text), 10, &part))
            return false;
        if (part.huge)
            *whole = part;
        else
            opcat_whole_extend(whole, 60, part.value);
        if (!colon)
            break;
        text = colon + 1;
    }
    whole->negative = whole->value < 0;
    return true;
}

/* A whole number as PyYAML constructs it: by its opening binary, hexadecimal, octal, sexagesimal or decimal. */
static bool construct_int(const char *text, size_t length, opcat_whole *whole)
{
    bool minus = length && *text == '-';
    bool signs = length && (*text == '-' || *text == '+');
    text += signs;
    length -= signs;
    bool done;
    if (length >= 2 && memcmp(text, "0b", 2) == 0)
        done = opcat_py_int(text + 2, length - 2, 2, whole);
    else if (length >= 2 && memcmp(text, "0x", 2) == 0)
        done = opcat_py_int(text + 2, length - 2, 16, whole);
    else if (length > 1 && *text == '0')
        done = opcat_py_int(text, length, 8, whole);
    else if (length && memchr(text, ':', length))
        done = sexagesimal_int(text, length, whole);
    else
        done = opcat_py_int(text, length, 10, whole);
    if (done && minus) {
        whole->value = -whole->value;
        whole->negative = !whole->negative;
    }
    return done;
}

static const char *read_int(opcat_node *node)
{
    size_t length = 0;
    char *text = without_underscores(node, &length);
    if (!text)
        return opcat_scalar_nomem;
    bool done = construct_int(text, length, &node->of.whole);
    free(text);
    node->type = OPCAT_NODE_INT;
    return done ? NULL : cannot_read_int;
}

static bool sexagesimal_float(const char *text, size_t length, double *value, bool *nomem)
{
    const char *end = text + length;
    double base = 1;
    *value = 0;
    /* From the last part to the first, as PyYAML adds them up. */
    while (true) {
        const char *start = end;
        double part;
        while (start > text && start[-1] != ':')
            start--;
        if (!opcat_py_float(start, (size_t)(end - start), &part, nomem))
            return false;
        *value += part * base;
        base *= 60;
        if (start == text)
            return true;
        end = start - 1;
    }
}

static bool construct_float(char *text, size_t length, double *value, bool *nomem)
{
    for (size_t i = 0; i < length; i++)
        text[i] = (char)(text[i] >= 'A' && text[i] <= 'Z' ? text[i] - 'A' + 'a' : text[i]);
    bool minus = length && *text == '-';
    bool signs = length && (*text == '-' || *text == '+');
    text += signs;
    length -= signs;
    if (length == 4 && memcmp(text, ".inf", 4) == 0)
        *value = strtod("inf", NULL);
    else if (length == 4 && memcmp(text, ".nan", 4) == 0)
        *value = strtod("nan", NULL);
    else if (length && memchr(text, ':', length) ? !sexagesimal_float(text, length, value, nomem)
                                                 : !opcat_py_float(text, length, value, nomem))
        return false;
    if (minus)
        *value = -*value;
    return true;
}

static const char *read_float(opcat_node *node)
{
    size_t length = 0;
    char *text = without_underscores(node, &length);
    if (!text)
        return opcat_scalar_nomem;
    bool nomem = false;
    bool done = construct_float(text, length, &node->of.real, &nomem);
    free(text);
    node->type = OPCAT_NODE_FLOAT;
    return done ? NULL : nomem ? opcat_scalar_nomem : cannot_read_float;
}

static const char *read_bool(opcat_node *node)
{
    static const char *const words[] = {"yes", "no", "true", "false", "on", "off", NULL};
    char lowered[sizeof "false"];
    if (node->count >= sizeof lowered)
        return "cannot be read as !!bool";
    for (uint32_t i = 0; i < node->count; i++)
        lowered[i] = (char)(node->text[i] >= 'A' && node->text[i] <= 'Z' ? node->text[i] - 'A' + 'a' : node->text[i]);
    opcat_cursor whole = {lowered, lowered + node->count};
    if (!opcat_is_any(whole, words))
        return "cannot be read as !!bool";
    node->type = OPCAT_NODE_BOOL;
    node->of.boolean = lowered[0] == 'y' || lowered[0] == 't' || memcmp(lowered, "on", 2) == 0;
    return NULL;
}

/* ---- Resolution ------------------------------------------------------------------------------------------ */

/* What opens with a digit, a sign or a point: a number, a date, or a string after all. */
static const char *resolve_number(opcat_node *node, opcat_cursor whole)
{
    opcat_date found;
    if (opcat_is_int(whole))
        return read_int(node);
    if (opcat_is_float(whole))
        return read_float(node);
    if (!opcat_is_date(whole, &found))
        return NULL;
    node->type = OPCAT_NODE_DATE;
    return opcat_is_on_the_calendar(&found) ? NULL : "looks like a date, and is none; a string goes in quotes";
}

/* The first letter tells which patterns there are to try, as it does in PyYAML. */
static const char *resolve_plain(opcat_node *node)
{
    static const char *const bools[] = {"yes",   "Yes",   "YES", "no", "No", "NO",  "true", "True", "TRUE", "false",
                                        "False", "FALSE", "on",  "On", "ON", "off", "Off",  "OFF",  NULL};
    static const char *const nulls[] = {"~", "null", "Null", "NULL", NULL};
    static const char *const merge[] = {"<<", NULL};
    static const char *const value[] = {"=", NULL};
    opcat_cursor whole = {node->text, node->text + node->count};
    node->type = node->count ? OPCAT_NODE_STRING : OPCAT_NODE_NULL;
    if (!node->count || !*node->text)
        return NULL;
    /* Python's $ matches before a line end, too. */
    if (whole.end[-1] == '\n')
        whole.end--;
    if (strchr("0123456789+-.", *node->text))
        return resolve_number(node, whole);
    if (strchr("yYnNtTfFoO", *node->text) && opcat_is_any(whole, bools))
        return read_bool(node);
    if (strchr("~nN", *node->text) && opcat_is_any(whole, nulls))
        node->type = OPCAT_NODE_NULL;
    else if (*node->text == '<' && opcat_is_any(whole, merge))
        node->type = OPCAT_NODE_MERGE;
    else if (*node->text == '=' && opcat_is_any(whole, value))
        node->type = OPCAT_NODE_VALUE;
    return NULL;
}

const char *opcat_scalar_resolve(opcat_node *node, const char *tag, bool plain)
{
    static const char prefix[] = "tag:yaml.org,2002:";
    /* The non-specific tag stays on an empty value alone; elsewhere libyaml has read it as what it means. */
    if (tag && strcmp(tag, "!") == 0)
        plain = true;
    if (plain || !tag) {
        node->type = OPCAT_NODE_STRING;
        return plain ? resolve_plain(node) : NULL;
    }
    const char *name = strncmp(tag, prefix, sizeof prefix - 1) == 0 ? tag + sizeof prefix - 1 : "";
    if (strcmp(name, "str") == 0) {
        node->type = OPCAT_NODE_STRING;
        return NULL;
    }
    if (strcmp(name, "null") == 0) {
        node->type = OPCAT_NODE_NULL;
        return NULL;
    }
    if (strcmp(name, "int") == 0)
        return read_int(node);
    if (strcmp(name, "float") == 0)
        return read_float(node);
    if (strcmp(name, "bool") == 0)
        return read_bool(node);
    if (strcmp(name, "seq") == 0 || strcmp(name, "map") == 0)
        return "is a single value, and its tag is for a collection";
    return "has a tag that is not allowed; !!null, !!bool, !!int, !!float, !!str, !!seq and !!map are";
}
