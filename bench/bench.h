/* SPDX-License-Identifier: Apache-2.0 */
/* What the benchmarks share: pairs of measurements, taken by turns. */
#ifndef OPCAT_BENCH_H
#define OPCAT_BENCH_H

#include <stddef.h>
#include <stdint.h>

/* One side of a pair: do the work `times` times. */
typedef void work_fn(void *context, size_t times);

/* The clock, in nanoseconds. */
double now(void);
/* Print what went wrong, and exit. */
void die(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));

/*
 * Measure two works by turns, `rounds` times each of `times`, and print a JSON line: the name, and the nanoseconds per
 * work of each round of both. A NULL floor is one that another program measures.
 */
void measure(const char *name, work_fn *opcat, work_fn *floor, void *context, size_t rounds, size_t times);
/* Print a JSON line of one measurement of each side. */
void report(const char *name, double opcat, double floor);

/* The figures of each part. */
void bench_processes(const char *catalog, const char *one, const char *floor);
void bench_reading(const char *catalog);
void bench_first(const char *catalog);
void bench_cached(const char *name, const char *catalog);
void bench_names(const char *name, const char *catalog);
void bench_import_floor(const char *folder, const char *catalog);
void bench_unchanged_floor(const char *folder, const char *catalog);
void bench_copy_floor(const char *catalog, const char *copy);
void bench_memory(const char *catalog);

#endif
