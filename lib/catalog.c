/* SPDX-License-Identifier: Apache-2.0 */
#include "catalog.h"

#include <stdlib.h>
#include <unistd.h>

static void generation_free(opcat_generation *generation)
{
    while (generation) {
        opcat_generation *inherited = generation->inherited;
        /* Statements of a connection that is another process's are as untouchable as the connection. */
        if (generation->connection.owner != getpid())
            generation->reader.load = NULL;
        opcat_reader_end(&generation->reader);
        opcat_connection_close(&generation->connection);
        opcat_cache_free(&generation->profiles);
        opcat_names_free(generation->archs);
        opcat_ruleset_free(generation->rules);
        free(generation);
        generation = inherited;
    }
}

/* Open the generation that the path now holds; NULL, and *status says why, where that fails. */
static opcat_generation *generation_open(opcat_catalog *catalog, opcat_status *status)
{
    bool immutable = (catalog->flags & OPCAT_OPEN_IMMUTABLE) != 0;
    opcat_generation *generation = calloc(1, sizeof *generation);
    if (!generation) {
        *status = opcat_error_nomem(&catalog->error);
        return NULL;
    }
    *status = opcat_connection_open(&generation->connection, catalog->path, immutable, &catalog->error);
    if (*status == OPCAT_OK)
        *status =
            opcat_reader_start(&generation->reader, generation->connection.db, "main", catalog->path, &catalog->error);
    if (*status != OPCAT_OK) {
        opcat_connection_close(&generation->connection);
        free(generation);
        return NULL;
    }
    generation->reader.check_counter = !immutable;
    generation->reader.counter = generation->connection.counter;
    return generation;
}

opcat_status opcat_open(const char *path, unsigned flags, opcat_catalog **catalog)
{
    if (!catalog)
        return OPCAT_MISUSE;
    opcat_catalog *handle = calloc(1, sizeof *handle);
    *catalog = handle;
    if (!handle)
        return OPCAT_NOMEM;
    handle->flags = flags;
    if (flags & ~(OPCAT_OPEN_AUTO_REFRESH | OPCAT_OPEN_IMMUTABLE))
        handle->opened = opcat_error_set(&handle->error, OPCAT_MISUSE, "opcat_open: unknown flags 0x%x", flags);
    else
        handle->opened = opcat_locate(path, &handle->path, &handle->origin, &handle->error);
    if (handle->opened == OPCAT_OK)
        handle->generation = generation_open(handle, &handle->opened);
    opcat_status status = handle->opened;
    if (status == OPCAT_NOMEM) {
        opcat_close(handle);
        *catalog = NULL;
    }
    return status;
}

void opcat_close(opcat_catalog *catalog)
{
    if (!catalog)
        return;
    generation_free(catalog->generation);
    opcat_error_clear(&catalog->error);
    free(catalog->path);
    free(catalog);
}

/* Move to the generation that the path now holds. Where that fails, the handle stays on the one it has. */
static opcat_status move_on(opcat_catalog *catalog)
{
    opcat_status status;
    opcat_generation *next = generation_open(catalog, &status);
    if (!next)
        return status;
    generation_free(catalog->generation);
    catalog->generation = next;
    catalog->opened = OPCAT_OK;
    return OPCAT_OK;
}

/*
 * In the child of a fork: open the file anew. What the handle had lent out stays: it is still of use where the path
 * holds what it held before, and keeps pointers valid where it does not.
 */
static opcat_status adopt(opcat_catalog *catalog)
{
    opcat_generation *old = catalog->generation;
    opcat_status status;
    opcat_generation *next = generation_open(catalog, &status);
    if (!next)
        return status;
    if (opcat_same_identity(&old->connection.identity, &next->connection.identity) &&
        old->connection.counter == next->connection.counter) {
        next->profiles = old->profiles;
        next->archs = old->archs;
        next->rules = old->rules;
        old->profiles = (opcat_cache){0};
        old->archs = NULL;
        old->rules = NULL;
    }
    next->inherited = old;
    catalog->generation = next;
    return OPCAT_OK;
}

static bool is_inherited(const opcat_catalog *catalog)
{
    return catalog->generation->connection.owner != getpid();
}

opcat_status opcat_before_reading(opcat_catalog *catalog)
{
    return is_inherited(catalog) ? adopt(catalog) : OPCAT_OK;
}

opcat_status opcat_refresh(opcat_catalog *catalog, bool *changed)
{
    if (changed)
        *changed = false;
    if (!catalog)
        return OPCAT_MISUSE;
    if (!catalog->path)
        return catalog->opened;
    bool current = false;
    opcat_status status = OPCAT_OK;
    if (catalog->generation)
        status = opcat_before_reading(catalog);
    if (catalog->generation && status == OPCAT_OK)
        status = opcat_connection_is_current(&catalog->generation->connection, catalog->path, true, &current,
                                             &catalog->error);
    if (status != OPCAT_OK || current)
        return status;
    status = move_on(catalog);
    if (changed)
        *changed = status == OPCAT_OK;
    return status;
}

static opcat_status look_first(opcat_catalog *catalog)
{
    opcat_connection *connection = &catalog->generation->connection;
    bool current = false;
    /* The child of a fork may stat(2), but not read through its parent's connection. */
    bool readable = !connection->recently_changed || connection->owner == getpid();
    opcat_status status = readable ? OPCAT_OK : opcat_before_reading(catalog);
    if (status == OPCAT_OK)
        status = opcat_connection_is_current(&catalog->generation->connection, catalog->path, false, &current,
                                             &catalog->error);
    return status != OPCAT_OK || current ? status : move_on(catalog);
}

opcat_status opcat_begin_looking(opcat_catalog *catalog)
{
    if (catalog->generation)
        return look_first(catalog);
    if (catalog->flags & OPCAT_OPEN_AUTO_REFRESH)
        return opcat_refresh(catalog, NULL);
    return catalog->opened;
}

const char *opcat_errmsg(const opcat_catalog *catalog)
{
    return catalog ? opcat_error_text(&catalog->error) : opcat_status_text(OPCAT_NOMEM);
}

void opcat_set_logger(opcat_catalog *catalog, opcat_log_fn *log, void *context)
{
    if (!catalog)
        return;
    catalog->logger_set = true;
    catalog->log = log;
    catalog->log_context = context;
}
