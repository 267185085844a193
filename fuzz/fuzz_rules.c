/* SPDX-License-Identifier: Apache-2.0 */
/* Naming rules: what is accepted can match. */
#include "fuzz.h"

#include <string.h>

#include "../import/read_rules.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    opcat_faults faults = {0};
    opcat_rules *rules = opcat_read_rules("fuzz.yaml", (const char *)bytes, length, &faults);
    fuzz_require(rules || faults.count > 0);
    for (size_t i = 0; rules && i < rules->count; i++) {
        const opcat_rule *rule = &rules->items[i];
        fuzz_require(*rule->pattern && (strcmp(rule->rule, "prefix") == 0) == (rule->arch != NULL));
        for (const char *at = rule->pattern; *at; at++)
            fuzz_require(*at < 'A' || *at > 'Z');
    }
    opcat_rules_free(rules);
    opcat_faults_free(&faults);
    return 0;
}
