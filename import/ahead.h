/* SPDX-License-Identifier: Apache-2.0 */
/* The profile files of an import, made ready by a thread of its own while those before them are being stored. */
#ifndef OPCAT_AHEAD_H
#define OPCAT_AHEAD_H

#include "../lib/error.h"
#include "../lib/profile.h"
#include "faults.h"

/* One file, read and, unless the catalog holds it as it is, parsed. All zero bytes is one that is not made yet. */
typedef struct opcat_prepared {
    char *bytes; /* NULL where the file cannot be read: the faults say why */
    size_t length;
    bool same;              /* the catalog holds these bytes */
    opcat_profile *profile; /* NULL where it is the same, or the faults say what is wrong with it */
    opcat_faults faults;
    opcat_status status; /* why the import cannot go on, with the error below; OPCAT_OK where it can */
    opcat_error error;
} opcat_prepared;

/* Make the `index`th file ready, in the thread that is ahead or in the caller's: two calls may run at once, for two
 * files. */
typedef void opcat_prepare_fn(void *context, size_t index, opcat_prepared *made);

typedef struct opcat_ahead opcat_ahead;

/*
 * Begin to make `count` files ready. What the calls of `prepare` share with each other and with the caller's thread is
 * theirs to guard. Few files, and any where there can be no thread, are made ready as they are taken. NULL where memory
 * is out.
 */
opcat_ahead *opcat_ahead_start(size_t count, opcat_prepare_fn *prepare, void *context);
/*
 * The next file in order, to be called once for each; it and what it holds are lent until the next call. Where it is
 * not ready the caller does not wait, but makes files ready, too.
 */
opcat_prepared *opcat_ahead_take(opcat_ahead *ahead);
/* Stop, at once or after the last file, and free everything. NULL does nothing. */
void opcat_ahead_end(opcat_ahead *ahead);

#endif
