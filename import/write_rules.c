/* SPDX-License-Identifier: Apache-2.0 */
#include "write_rules.h"

#include <stdlib.h>
#include <string.h>

#include "../lib/history.h"
#include "yaml_tree.h"

/* Whether a string can stand without quotes: of letters and digits, and read as a string again. */
static bool is_plain(const char *string)
{
    opcat_node node = {.text = string, .count = (uint32_t)strlen(string)};
    bool simple = node.count && string[0] != '.' && string[0] != '-' &&
                  strspn(string, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-") == node.count;
    return simple && !opcat_scalar_resolve(&node, NULL, true) && node.type == OPCAT_NODE_STRING;
}

static bool needs_escape(unsigned code)
{
    return code < 0x20 || code == '"' || code == '\\' || (code >= 0x7f && code <= 0xa0) || code == 0x2028 ||
           code == 0x2029 || code == 0xfeff || code == 0xfffe || code == 0xffff;
}

static void add_string(opcat_text *text, const char *string)
{
    size_t length = strlen(string);
    unsigned code = 0;
    if (is_plain(string)) {
        opcat_text_add(text, "%s", string);
        return;
    }
    opcat_text_add(text, "\"");
    for (size_t at = 0; at < length;) {
        size_t size = opcat_utf8_character(string + at, length - at, &code);
        if (needs_escape(code))
            opcat_text_add(text, "\\u%04x", code);
        else
            opcat_text_add_bytes(text, string + at, size);
        at += size ? size : 1;
    }
    opcat_text_add(text, "\"");
}

typedef struct writing {
    opcat_text *text;
    opcat_text traits; /* written after the prefixes, whatever the order they come in */
    char last[sizeof "shared_expert_gate"];
} writing;

static void add_rule(void *context, const char *rule, const char *pattern, const char *arch)
{
    writing *self = context;
    if (arch) {
        opcat_text_add(self->text, self->text->length ? "  " : "prefixes:\n  ");
        add_string(self->text, pattern);
        opcat_text_add(self->text, ": ");
        add_string(self->text, arch);
        opcat_text_add(self->text, "\n");
        return;
    }
    if (strcmp(self->last, rule) != 0) {
        opcat_text_add(&self->traits, self->traits.length ? "]\n  %s: [" : "traits:\n  %s: [", rule);
        size_t length = strlen(rule) < sizeof self->last ? strlen(rule) : sizeof self->last - 1;
        memcpy(self->last, rule, length);
        self->last[length] = '\0';
    } else {
        opcat_text_add(&self->traits, ", ");
    }
    add_string(&self->traits, pattern);
}

opcat_status opcat_rules_to_yaml(opcat_catalog *catalog, opcat_text *text)
{
    writing self = {.text = text};
    opcat_status status = opcat_each_rule(catalog, add_rule, &self);
    if (self.traits.length)
        opcat_text_add(text, "%s]\n", self.traits.bytes);
    text->failed = text->failed || self.traits.failed;
    if (!text->bytes)
        opcat_text_add(text, "# The catalog has no naming rules.\n");
    free(self.traits.bytes);
    return status;
}
