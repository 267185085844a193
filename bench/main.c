/* SPDX-License-Identifier: Apache-2.0 */
/* bench PART ARGUMENT...: measure one part, and print a JSON line for each figure. */
#include "bench.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

void die(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fputs("bench: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    exit(1);
}

static void print_list(const char *name, const double *values, size_t count)
{
    printf(", \"%s\": [", name);
    for (size_t i = 0; i < count; i++)
        printf("%s%.2f", i ? ", " : "", values[i]);
    printf("]");
}

static double run(work_fn *work, void *context, size_t times)
{
    double start = now();
    work(context, times);
    return (now() - start) / (double)times;
}

void measure(const char *name, work_fn *opcat, work_fn *floor, void *context, size_t rounds, size_t times)
{
    double *results = calloc(2 * rounds, sizeof *results);
    if (!results)
        die("out of memory");
    opcat(context, times); /* the first run of each warms caches */
    if (floor)
        floor(context, times);
    for (size_t i = 0; i < rounds; i++) {
        results[i] = run(opcat, context, times);
        if (floor)
            results[rounds + i] = run(floor, context, times);
    }
    printf("{\"name\": \"%s\"", name);
    print_list("opcat", results, rounds);
    if (floor)
        print_list("floor", results + rounds, rounds);
    printf("}\n");
    free(results);
}

void report(const char *name, double opcat, double floor)
{
    printf("{\"name\": \"%s\", \"opcat\": [%.2f], \"floor\": [%.2f]}\n", name, opcat, floor);
}

int main(int argc, char **argv)
{
    const char *part = argc > 1 ? argv[1] : "";
    if (strcmp(part, "processes") == 0 && argc == 5)
        bench_processes(argv[2], argv[3], argv[4]);
    else if (strcmp(part, "reading") == 0 && argc == 3)
        bench_reading(argv[2]);
    else if (strcmp(part, "first") == 0 && argc == 3)
        bench_first(argv[2]);
    else if (strcmp(part, "cached") == 0 && argc == 4)
        bench_cached(argv[2], argv[3]);
    else if (strcmp(part, "names") == 0 && argc == 4)
        bench_names(argv[2], argv[3]);
    else if (strcmp(part, "import-floor") == 0 && argc == 4)
        bench_import_floor(argv[2], argv[3]);
    else if (strcmp(part, "unchanged-floor") == 0 && argc == 4)
        bench_unchanged_floor(argv[2], argv[3]);
    else if (strcmp(part, "copy-floor") == 0 && argc == 4)
        bench_copy_floor(argv[2], argv[3]);
    else if (strcmp(part, "memory") == 0 && argc == 3)
        bench_memory(argv[2]);
    else
        die("no such part: %s", part);
    return 0;
}
