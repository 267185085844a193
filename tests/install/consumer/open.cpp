// SPDX-License-Identifier: Apache-2.0
// A user's program in C++: open CATALOG says how many families the catalog has.
#include <cstdio>
#include <opcat.h>

int main(int argc, char **argv)
{
    opcat_catalog *catalog = nullptr;
    opcat_names *archs = nullptr;
    if (opcat_open(argc > 1 ? argv[1] : nullptr, 0, &catalog) != OPCAT_OK ||
        opcat_known_archs(catalog, &archs) != OPCAT_OK) {
        std::fprintf(stderr, "%s\n", opcat_errmsg(catalog));
        return 1;
    }
    std::printf("%zu families\n", archs->count);
    opcat_names_free(archs);
    opcat_close(catalog);
    return 0;
}
