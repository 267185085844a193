/* SPDX-License-Identifier: Apache-2.0 */
/*
 * opcat.h - read op profiles from an opcat catalog.
 *
 * A catalog is one SQLite file that holds, for each architecture family of large language models, its kinds of
 * layer, how often one layer of each kind runs each op, the run settings and model facts the family gives a
 * model that states none, and the rules by which a free-text model name tells its family and traits.
 *
 * Conventions
 *
 *   Strings    UTF-8, NUL-terminated, in and out.
 *   Statuses   Calls that can fail return an opcat_status; OPCAT_OK is 0. On any other, what a result pointer
 *              points at is set to NULL (false for a bool), and opcat_errmsg() says in one line what happened.
 *              No call aborts, exits or prints, but for the default logger (opcat_set_logger).
 *   NULL       A NULL argument where none is documented as allowed gives OPCAT_MISUSE. The calls that free,
 *              close or release accept NULL and do nothing.
 *   Threads    A handle serves one thread at a time; threads open their own. Profiles may be shared.
 *   Forks      A handle opened before a fork works in the child, which opens the file anew at its next read.
 *   Borrowed   A result that the handle owns stays as it is until the handle moves to another generation
 *              (opcat_refresh() that reports a change; under OPCAT_OPEN_AUTO_REFRESH, any later call) or is
 *              closed. A profile can be kept for longer: opcat_profile_retain().
 */
#ifndef OPCAT_H
#define OPCAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version of this header, as opcat_version() gives the library's. */
#define OPCAT_VERSION "0.1.0"

/* ---- Vocabulary ------------------------------------------------------------------------------------------ */

/*
 * The op vector, in order: X(name). What a count counts is in the catalog's `vocabulary` view.
 */
#define OPCAT_OPS(X)                                                                 \
    X(attMM)    /* attention projections: query, key, value, output */               \
    X(attBMM)   /* attention batched matrix products: scores, and weighted values */ \
    X(ffMM)     /* feed-forward projections; 3 for a gated one */                    \
    X(softmax)  /* softmaxes */                                                      \
    X(dropout)  /* dropouts */                                                       \
    X(normOp)   /* normalizations */                                                 \
    X(gather)   /* gathers over the tensor-parallel group */                         \
    X(headCast) /* casts of the per-head score tensor */                             \
    X(ffAct)    /* feed-forward activation functions */                              \
    X(linrec)   /* state updates of linear attention */

/*
 * The run, in order: X(name, type, default). A SIZE is a number of bytes, from 0; a COUNT is a number from 1; a
 * FLAG is true or false.
 */
#define OPCAT_RUN_FIELDS(X)                                                                                    \
    X(grad_bytes, SIZE, 4)                     /* bytes per element of a gradient */                           \
    X(optimizer_state_bytes, SIZE, 4)          /* bytes per element of an optimizer state */                   \
    X(optimizer_states, COUNT, 2)              /* states the optimizer keeps per parameter */                  \
    X(main_param_bytes, SIZE, 0)               /* bytes per element of the optimizer's own parameters, or 0 */ \
    X(norm_bytes, SIZE, 4)                     /* bytes per element of a norm activation */                    \
    X(dropout_bytes, SIZE, 0)                  /* bytes per element of a dropout mask */                       \
    X(grad_accumulation, FLAG, false)          /* gradients take memory without pipeline parallelism too */    \
    X(shard_activations, FLAG, false)          /* tensor parallelism shards activations between layers */      \
    X(loss_parallel, FLAG, true)               /* the loss runs on logits sharded over the vocabulary */       \
    X(reshard_params, FLAG, false)             /* sharded parameters are freed after use and gathered again */ \
    X(deferred_grad_accumulation, FLAG, false) /* a reduced gradient is added when the backward ends */        \
    X(overlapped_grad_reduce, FLAG, false)     /* a layer's reduction overlaps the next layer's backward */

/* The statuses: X(name, text). */
#define OPCAT_STATUSES(X)                                                      \
    X(OK, "done")                                                              \
    X(NOT_FOUND, "no such family or kind")                                     \
    X(INVALID, "what the caller declares cannot be right")                     \
    X(NOT_A_CATALOG, "the file is not an opcat catalog")                       \
    X(NEWER_SCHEMA, "the catalog is of a newer schema than the library reads") \
    X(CORRUPT, "the catalog is damaged")                                       \
    X(BUSY, "the catalog is being changed")                                    \
    X(CANTOPEN, "the catalog cannot be opened")                                \
    X(IO, "reading the catalog failed")                                        \
    X(NOMEM, "out of memory")                                                  \
    X(MISUSE, "the library was called in a way it does not allow")

typedef enum opcat_status {
#define OPCAT_X(name, text) OPCAT_##name,
    OPCAT_STATUSES(OPCAT_X)
#undef OPCAT_X
} opcat_status;

/* What a model's name can tell besides its family. */
typedef enum opcat_trait {
    OPCAT_TRAIT_QK_NORM,            /* attention normalizes each head's queries and keys */
    OPCAT_TRAIT_QKV_BIAS,           /* the query, key and value projections have a bias */
    OPCAT_TRAIT_SHARED_EXPERT_GATE, /* a gate scales the shared expert's output */
    OPCAT_TRAIT_COUNT
} opcat_trait;

/* The family of a name that no rule claims. */
#define OPCAT_DEFAULT_ARCH "default"

/* ---- Records --------------------------------------------------------------------------------------------- */

/* The ops' places in opcat_ops.at[]: OPCAT_OP_attMM, ... */
enum opcat_op {
#define OPCAT_X(name) OPCAT_OP_##name,
    OPCAT_OPS(OPCAT_X)
#undef OPCAT_X
        OPCAT_OP_COUNT
};

/* An anonymous struct is C11's own, and in C++ an extension that every compiler has. */
#if defined(__cplusplus) && defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
#endif

/* How often one layer runs each op, each from 0: `ops.attMM`, or `ops.at[OPCAT_OP_attMM]`. */
typedef union opcat_ops {
    struct {
#define OPCAT_X(name) int64_t name;
        OPCAT_OPS(OPCAT_X)
#undef OPCAT_X
    };
    int64_t at[OPCAT_OP_COUNT];
} opcat_ops;

#if defined(__cplusplus) && defined(__GNUC__)
#pragma GCC diagnostic pop
#endif

/* The run of a family's models: what the family states, defaults where it states nothing. */
typedef struct opcat_run {
#define OPCAT_C_TYPE_SIZE          int64_t
#define OPCAT_C_TYPE_COUNT         int64_t
#define OPCAT_C_TYPE_FLAG          bool
#define OPCAT_X(name, type, value) OPCAT_C_TYPE_##type name;
    OPCAT_RUN_FIELDS(OPCAT_X)
#undef OPCAT_X
} opcat_run;

/* The model facts that a family gives a model that states none. */
typedef struct opcat_model {
    int64_t v_head_dim; /* width of an attention value head, from 1; 0 where unstated */
} opcat_model;

/* One kind of layer. */
typedef struct opcat_layer_kind {
    const char *name;
    const char *attention; /* "full" or "linear" */
    const char *ffn;       /* "dense" or "moe"; NULL where unstated: the model's own feed-forward */
    opcat_ops ops;
} opcat_layer_kind;

/* What the catalog holds of one family. Read-only: get one from a catalog, never make one. */
typedef struct opcat_profile {
    const char *arch;
    size_t kind_count;                    /* from 1 */
    const opcat_layer_kind *kinds;        /* in the order of the profile's file */
    const opcat_layer_kind *default_kind; /* one of kinds, or NULL where the family has no default */
    opcat_run run;
    opcat_model model;
} opcat_profile;

/* Family names in ascending byte order. */
typedef struct opcat_names {
    size_t count;
    const char *const *names;
} opcat_names;

/* The op counts of one kind. */
typedef struct opcat_kind_ops {
    const char *kind;
    opcat_ops ops;
} opcat_kind_ops;

/* The op counts that a model is priced with, in the order of the profile's kinds. */
typedef struct opcat_resolution {
    size_t count;
    const opcat_kind_ops *kinds;
} opcat_resolution;

/* ---- The catalog ----------------------------------------------------------------------------------------- */

/* An open catalog. */
typedef struct opcat_catalog opcat_catalog;

/* Every call first looks whether the path holds another generation, as opcat_refresh() does; one stat(2) more. */
#define OPCAT_OPEN_AUTO_REFRESH 0x1u
/* Take no locks at all, for mounts that have none. Only for a file that nobody changes in place. */
#define OPCAT_OPEN_IMMUTABLE    0x2u

/*
 * Open the catalog at `path` for reading; NULL means $OPCAT_CATALOG where that is set and not empty, or else the
 * catalog installed with the library. `flags` is 0 or an OR of OPCAT_OPEN_*. A relative path is taken from the folder
 * the program is in now; it may change that later.
 *
 * *catalog is a handle even where the call fails, so that opcat_errmsg() can say why, and NULL only when memory
 * is out or `catalog` is NULL. The caller closes it either way, with opcat_close(). The calls on a handle that
 * did not open give the status of the opening again, until opcat_refresh() succeeds.
 *
 * Errors: OPCAT_CANTOPEN (no such file, a folder, no permission), OPCAT_NOT_A_CATALOG (empty, no SQLite
 * database, another program's, of an older schema), OPCAT_NEWER_SCHEMA, OPCAT_CORRUPT, OPCAT_BUSY (changed in
 * place for longer than five seconds), OPCAT_IO, OPCAT_NOMEM, OPCAT_MISUSE (an unknown flag).
 *
 * Cost: an opening of the file and a reading of its schema, some 100 microseconds; no profile is read.
 */
opcat_status opcat_open(const char *path, unsigned flags, opcat_catalog **catalog);

/*
 * Close a handle and free what it owns. Profiles that were retained live on. NULL does nothing. In the child of a
 * fork, what the parent opened is left untouched.
 */
void opcat_close(opcat_catalog *catalog);

/*
 * Look whether the path holds another generation than the one being read, or the file was changed in place, and
 * if so move to it: what the handle lent out is void, what it had cached is read anew. *changed, which may be
 * NULL, says whether it moved. Where moving fails, the status says why and the handle reads on in the
 * generation it had.
 *
 * Errors: those of opcat_open(). Cost: one stat(2) and a read of 4 bytes where nothing changed, an opening else.
 */
opcat_status opcat_refresh(opcat_catalog *catalog, bool *changed);

/*
 * What went wrong in the handle's last failing call, in one line without a line end; "" where none has failed.
 * Owned by the handle, until its next failing call or its closing. For NULL, the text of OPCAT_NOMEM.
 */
const char *opcat_errmsg(const opcat_catalog *catalog);

/* Takes a warning: one line of text, without a line end, valid during the call only. */
typedef void opcat_log_fn(void *context, const char *message);

/*
 * Send the handle's warnings to `log`, called with `context`; with `log` NULL they go nowhere. Where this was never
 * called they go to standard error. The one warning there is: opcat_infer_arch()'s. `log` may not use the handle.
 */
void opcat_set_logger(opcat_catalog *catalog, opcat_log_fn *log, void *context);

/* ---- Profiles -------------------------------------------------------------------------------------------- */

/*
 * Every family of the catalog, sorted by bytes. The caller frees *archs with opcat_names_free(); it is independent
 * of the handle.
 *
 * Errors: OPCAT_CORRUPT, OPCAT_BUSY, OPCAT_IO, OPCAT_NOMEM, OPCAT_MISUSE.
 * Cost: one query of the whole list the first time, a copy in one allocation after.
 */
opcat_status opcat_known_archs(opcat_catalog *catalog, opcat_names **archs);
void opcat_names_free(opcat_names *names);

/*
 * The profile of the family `arch`. *profile is borrowed from the handle (see Borrowed, above); retain it to keep
 * it. As long as the handle stays on one generation, the same family gives the same object.
 *
 * Errors: OPCAT_NOT_FOUND (no such family; the message lists the families, nearest name first), OPCAT_CORRUPT,
 * OPCAT_BUSY (also: the file was changed in place since it was opened; opcat_refresh() mends that), OPCAT_IO,
 * OPCAT_NOMEM, OPCAT_MISUSE.
 * Cost: one query the first time, a hash look-up after.
 */
opcat_status opcat_load_profile(opcat_catalog *catalog, const char *arch, const opcat_profile **profile);

/*
 * As opcat_load_profile(), but where `arch` is NULL or no family, the profile of the family `default`.
 * OPCAT_NOT_FOUND only where the catalog has no `default`.
 */
opcat_status opcat_family_profile(opcat_catalog *catalog, const char *arch, const opcat_profile **profile);

/*
 * The kind called `name` of a profile; *kind is part of the profile and lives as long. `catalog` takes the error
 * message only, never reads, and may be NULL: a retained profile needs no handle.
 *
 * Errors: OPCAT_NOT_FOUND (the message names the kinds there are), OPCAT_MISUSE. Cost: a scan of the kinds.
 */
opcat_status opcat_profile_kind(opcat_catalog *catalog, const opcat_profile *profile, const char *name,
                                const opcat_layer_kind **kind);

/*
 * Keep a profile beyond its handle, and share it between threads: each opcat_profile_retain() is matched by one
 * opcat_profile_release(), from any thread, and the last frees it. A profile that is only borrowed needs no release.
 * Retaining returns its argument, and cannot fail; NULL gives NULL. Cost: one atomic operation.
 */
const opcat_profile *opcat_profile_retain(const opcat_profile *profile);
void opcat_profile_release(const opcat_profile *profile);

/* ---- Names ----------------------------------------------------------------------------------------------- */

/*
 * The family that a free-text model name belongs to: that of the longest prefix rule with which the name, its ASCII
 * letters lower-cased, opens; without one OPCAT_DEFAULT_ARCH, which is OPCAT_OK too and is said in one warning per
 * lower-cased name and process (opcat_set_logger()). Of the names it warned about, the process remembers some
 * thousands at most, and may repeat itself past that. *arch is borrowed from the handle (see Borrowed, above).
 *
 * Errors: OPCAT_CORRUPT, OPCAT_BUSY, OPCAT_IO, OPCAT_NOMEM, OPCAT_MISUSE.
 * Cost: one query of all rules the first time; after that no allocation, and a look-up that does not grow with the
 * number of rules but with their length.
 */
opcat_status opcat_infer_arch(opcat_catalog *catalog, const char *name, const char **arch);

/*
 * Whether a model of that name has the trait: whether the name, its ASCII letters lower-cased, contains one of the
 * trait's patterns. Errors and cost as opcat_infer_arch(), but the look-up grows with the trait's patterns.
 * OPCAT_MISUSE also for a trait that is none.
 */
opcat_status opcat_infer_trait(opcat_catalog *catalog, const char *name, opcat_trait trait, bool *has);

/* ---- Op counts ------------------------------------------------------------------------------------------- */

/*
 * The op counts per kind that a model of the family `arch` is priced with. With `count` 0 they are the profile's own
 * (`declared` may be NULL); else the `count` declared ones, which must name exactly the profile's kinds, each once,
 * with every count from 0. The order is the profile's. The caller frees *resolution with opcat_resolution_free(); it is
 * independent of the handle.
 *
 * Errors: those of opcat_load_profile(); OPCAT_INVALID (a kind left out, unknown or twice, a negative count; the
 * message names it). Cost: that of opcat_load_profile(), and one allocation.
 */
opcat_status opcat_resolve_ops(opcat_catalog *catalog, const char *arch, const opcat_kind_ops *declared, size_t count,
                               opcat_resolution **resolution);
void opcat_resolution_free(opcat_resolution *resolution);

/* ---- The library ----------------------------------------------------------------------------------------- */

/* A status's text, in lower case and without a full stop. Static; never NULL. */
const char *opcat_status_text(opcat_status status);

/* The library's version, "MAJOR.MINOR.PATCH". Static. */
const char *opcat_version(void);

#ifdef __cplusplus
}
#endif

#endif /* OPCAT_H */
