/* SPDX-License-Identifier: Apache-2.0 */
/* Whole processes: one that loads a family, and one that only initializes SQLite. */
#include "bench.h"

#include <spawn.h>
#include <sys/wait.h>

extern char **environ;

typedef struct pair {
    char *const *opcat;
    char *const *floor;
} pair;

static void spawn(char *const *arguments)
{
    pid_t child;
    int status = 0;
    if (posix_spawn(&child, arguments[0], NULL, NULL, arguments, environ) != 0 || waitpid(child, &status, 0) != child ||
        status != 0)
        die("%s fails", arguments[0]);
}

static void run_opcat(void *context, size_t times)
{
    for (size_t i = 0; i < times; i++)
        spawn(((const pair *)context)->opcat);
}

static void run_floor(void *context, size_t times)
{
    for (size_t i = 0; i < times; i++)
        spawn(((const pair *)context)->floor);
}

void bench_processes(const char *catalog, const char *one, const char *floor)
{
    char *const opcat_words[] = {(char *)(uintptr_t)one, (char *)(uintptr_t)catalog, NULL};
    char *const floor_words[] = {(char *)(uintptr_t)floor, NULL};
    pair words = {opcat_words, floor_words};
    measure("process", run_opcat, run_floor, &words, 101, 10);
}
