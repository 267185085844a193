/* SPDX-License-Identifier: Apache-2.0 */
/* Op counts that someone declares, in YAML or JSON. */
#include "fuzz.h"

#include "../import/read_profile.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    opcat_faults faults = {0};
    opcat_declared *declared = opcat_read_declared("fuzz.json", (const char *)bytes, length, &faults);
    fuzz_require((declared != NULL) == (faults.count == 0));
    for (size_t i = 0; declared && i < declared->count; i++) {
        fuzz_require(*declared->kinds[i].kind != '\0');
        for (size_t op = 0; op < OPCAT_OP_COUNT; op++)
            fuzz_require(declared->kinds[i].ops.at[op] >= 0);
    }
    opcat_declared_free(declared);
    opcat_faults_free(&faults);
    return 0;
}
