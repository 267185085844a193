/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How often a stack of layers runs each op: the counts of each kind of layer, times the layers of that kind.
 *
 *   cc price.c -o price $(pkg-config --cflags --libs opcat)
 *   ./price deepseek dense=3 moe=58
 */
#include <errno.h>
#include <inttypes.h>
#include <opcat.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const op_names[OPCAT_OP_COUNT] = {
#define NAME(op) #op,
    OPCAT_OPS(NAME)
#undef NAME
};

/* The kind and the number of layers that "KIND=LAYERS" states; the text is cut at the last "=". NULL where it states
 * none. */
static const char *read_layers(char *text, int64_t *layers)
{
    char *equals = strrchr(text, '=');
    char *end = NULL;
    if (!equals || equals[1] < '0' || equals[1] > '9')
        return NULL;
    errno = 0;
    *layers = strtoll(equals + 1, &end, 10);
    if (*end || errno)
        return NULL;
    *equals = '\0';
    return text;
}

/* Add the ops of some layers of one kind; false where a sum is past what 64 bits hold. */
static bool add_layers(opcat_ops *total, const opcat_layer_kind *kind, int64_t layers)
{
    for (size_t op = 0; op < OPCAT_OP_COUNT; op++) {
        int64_t count = kind->ops.at[op];
        if (layers && count > (INT64_MAX - total->at[op]) / layers)
            return false;
        total->at[op] += count * layers;
    }
    return true;
}

static int price(opcat_catalog *catalog, const char *arch, char *const *stack, size_t count)
{
    const opcat_profile *profile = NULL;
    opcat_ops total = {.at = {0}};
    if (opcat_load_profile(catalog, arch, &profile) != OPCAT_OK)
        return fprintf(stderr, "price: %s\n", opcat_errmsg(catalog)), 1;
    for (size_t i = 0; i < count; i++) {
        const opcat_layer_kind *kind = NULL;
        int64_t layers = 0;
        const char *name = read_layers(stack[i], &layers);
        if (!name)
            return fprintf(stderr, "price: KIND=LAYERS expected, as dense=3, got %s\n", stack[i]), 2;
        if (opcat_profile_kind(catalog, profile, name, &kind) != OPCAT_OK)
            return fprintf(stderr, "price: %s\n", opcat_errmsg(catalog)), 1;
        if (!add_layers(&total, kind, layers))
            return fprintf(stderr, "price: too many layers of kind %s\n", name), 1;
    }
    for (size_t op = 0; op < OPCAT_OP_COUNT; op++)
        printf("%-8s %6" PRId64 "\n", op_names[op], total.at[op]);
    return fflush(stdout) == 0 ? 0 : 1;
}

int main(int argc, char **argv)
{
    opcat_catalog *catalog = NULL;
    if (argc < 3)
        return fprintf(stderr, "usage: price FAMILY KIND=LAYERS...\n"), 2;
    int status = 1;
    if (opcat_open(NULL, 0, &catalog) != OPCAT_OK)
        fprintf(stderr, "price: %s\n", opcat_errmsg(catalog));
    else
        status = price(catalog, argv[1], argv + 2, (size_t)argc - 2);
    opcat_close(catalog);
    return status;
}
