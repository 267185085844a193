/* SPDX-License-Identifier: Apache-2.0 */
/* The process that is measured: open a catalog, load one family, exit. */
#include "opcat.h"

int main(int argc, char **argv)
{
    opcat_catalog *catalog;
    const opcat_profile *profile;
    if (argc != 2 || opcat_open(argv[1], 0, &catalog) != OPCAT_OK)
        return 1;
    opcat_status status = opcat_load_profile(catalog, "qwen3_5", &profile);
    opcat_close(catalog);
    return status != OPCAT_OK;
}
