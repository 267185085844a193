/* SPDX-License-Identifier: Apache-2.0 */
/* Rules and a name: the input is patterns, each ended by a line end, and the name after the last. The answer is that of
 * a search which looks at every rule. */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "../lib/rules.h"

static int opens(const char *pattern, const char *name)
{
    for (; *pattern; pattern++, name++) {
        if ((unsigned char)*pattern != opcat_lower(*name))
            return 0;
    }
    return 1;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    char *text = malloc(length + 1);
    opcat_ruleset *set = opcat_ruleset_new();
    const char *longest = NULL;
    fuzz_require(text && set);
    memcpy(text, bytes, length);
    text[length] = '\0';
    char *name = text + strlen(text);
    for (char *end; (end = memchr(text, '\n', strlen(text))); memmove(text, end + 1, strlen(end + 1) + 1)) {
        *end = '\0';
        int usable = *text != '\0';
        for (const char *at = text; *at; at++)
            usable = usable && (*at < 'A' || *at > 'Z');
        if (usable)
            fuzz_require(opcat_ruleset_add(set, -1, text, text) && opcat_ruleset_add(set, 0, text, NULL));
    }
    name = text;
    fuzz_require(opcat_ruleset_finish(set));
    const char *arch = opcat_ruleset_arch(set, name);
    /* The patterns again, one by one. */
    char *again = malloc(length + 1);
    fuzz_require(again != NULL);
    memcpy(again, bytes, length);
    again[length] = '\0';
    size_t best = 0;
    for (char *at = again, *end; (end = strchr(at, '\n')); at = end + 1) {
        *end = '\0';
        int usable = *at != '\0';
        for (const char *c = at; *c; c++)
            usable = usable && (*c < 'A' || *c > 'Z');
        if (usable && opens(at, name) && strlen(at) > best) {
            best = strlen(at);
            longest = at;
        }
    }
    fuzz_require((arch == NULL) == (longest == NULL) && (!arch || strcmp(arch, longest) == 0));
    (void)opcat_ruleset_has(set, name, OPCAT_TRAIT_QK_NORM);
    opcat_ruleset_free(set);
    free(again);
    free(text);
    return 0;
}
