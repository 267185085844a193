/* SPDX-License-Identifier: Apache-2.0 */
/* A user's program: open CATALOG says how many families the catalog has. */
#include <error.h> /* the system's, not one of the library's own */
#include <opcat.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    opcat_catalog *catalog = NULL;
    opcat_names *archs = NULL;
    if (opcat_open(argc > 1 ? argv[1] : NULL, 0, &catalog) != OPCAT_OK ||
        opcat_known_archs(catalog, &archs) != OPCAT_OK)
        error(1, 0, "%s", opcat_errmsg(catalog));
    printf("%zu families\n", archs->count);
    opcat_names_free(archs);
    opcat_close(catalog);
    return 0;
}
