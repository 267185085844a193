/* SPDX-License-Identifier: Apache-2.0 */
#include "ahead.h"

#include <pthread.h>
#include <sqlite3.h>
#include <stdlib.h>

enum {
    ROOM = 128,          /* files made ready and not yet taken, at most */
    MAX_BYTES = 4 << 20, /* their bytes, at most, but for a file of each thread more */
    FEW = 32             /* so many are not worth a thread */
};

typedef struct ahead_slot {
    opcat_prepared prepared;
    bool ready;
} ahead_slot;

struct opcat_ahead {
    size_t count;
    opcat_prepare_fn *prepare;
    void *context;
    size_t next; /* to be taken */
    bool threaded;
    pthread_t thread;

    /* What both threads change is guarded by `mutex`, but for a file that is being made ready or is lent. */
    pthread_mutex_t mutex;
    pthread_cond_t readied; /* the file that the caller waits for is ready */
    pthread_cond_t given;   /* room was given back, or it is time to stop */
    size_t claimed;         /* files that were begun */
    size_t given_back;      /* of those taken */
    size_t bytes;           /* of the files made and not given back */
    bool full;              /* the thread waits for room */
    bool wanted;            /* the caller waits for a file */
    bool stop;
    ahead_slot slots[ROOM];
};

static ahead_slot *slot_of(opcat_ahead *ahead, size_t index)
{
    return &ahead->slots[index % ROOM];
}

static void clear(ahead_slot *slot)
{
    free(slot->prepared.bytes);
    opcat_profile_drop(slot->prepared.profile);
    opcat_faults_free(&slot->prepared.faults);
    opcat_error_clear(&slot->prepared.error);
    slot->prepared = (opcat_prepared){0};
    slot->ready = false;
}

/* ---- In both threads, with the mutex held ----------------------------------------------------------------- */

static bool has_room(const opcat_ahead *ahead)
{
    size_t held = ahead->claimed - ahead->given_back;
    return held == 0 || (held < ROOM && ahead->bytes <= MAX_BYTES);
}

/* Make the first file ready that nobody has begun. */
static void make_one(opcat_ahead *ahead)
{
    size_t index = ahead->claimed++;
    ahead_slot *slot = slot_of(ahead, index);
    pthread_mutex_unlock(&ahead->mutex);
    ahead->prepare(ahead->context, index, &slot->prepared);
    pthread_mutex_lock(&ahead->mutex);
    slot->ready = true;
    ahead->bytes += slot->prepared.length;
    if (ahead->wanted)
        pthread_cond_signal(&ahead->readied);
}

/* ---- In the thread that is ahead -------------------------------------------------------------------------- */

static void *run(void *argument)
{
    opcat_ahead *ahead = argument;
    pthread_mutex_lock(&ahead->mutex);
    while (!ahead->stop && ahead->claimed < ahead->count) {
        ahead->full = !has_room(ahead);
        if (ahead->full)
            pthread_cond_wait(&ahead->given, &ahead->mutex);
        else
            make_one(ahead);
    }
    pthread_mutex_unlock(&ahead->mutex);
    return NULL;
}

/* ---- In the caller's ------------------------------------------------------------------------------------- */

static bool make_locks(opcat_ahead *ahead)
{
    if (pthread_mutex_init(&ahead->mutex, NULL) != 0)
        return false;
    if (pthread_cond_init(&ahead->readied, NULL) == 0) {
        if (pthread_cond_init(&ahead->given, NULL) == 0)
            return true;
        pthread_cond_destroy(&ahead->readied);
    }
    pthread_mutex_destroy(&ahead->mutex);
    return false;
}

opcat_ahead *opcat_ahead_start(size_t count, opcat_prepare_fn *prepare, void *context)
{
    opcat_ahead *ahead = calloc(1, sizeof *ahead);
    if (!ahead)
        return NULL;
    ahead->count = count;
    ahead->prepare = prepare;
    ahead->context = context;
    if (!make_locks(ahead)) {
        free(ahead);
        return NULL;
    }
    /* A SQLite that was built for one thread cannot be used by two, not even by connections of their own. */
    if (count > FEW && sqlite3_threadsafe())
        ahead->threaded = pthread_create(&ahead->thread, NULL, run, ahead) == 0;
    return ahead;
}

/* Give back the file that was taken last. The thread is woken when half is free, not for each. */
static void give_back(opcat_ahead *ahead)
{
    ahead_slot *slot = slot_of(ahead, ahead->next - 1);
    size_t length = slot->prepared.length;
    clear(slot);
    pthread_mutex_lock(&ahead->mutex);
    ahead->given_back = ahead->next;
    ahead->bytes -= length;
    size_t held = ahead->claimed - ahead->given_back;
    if (ahead->full && (held == 0 || (held <= ROOM / 2 && ahead->bytes <= MAX_BYTES / 2)))
        pthread_cond_signal(&ahead->given);
    pthread_mutex_unlock(&ahead->mutex);
}

opcat_prepared *opcat_ahead_take(opcat_ahead *ahead)
{
    if (ahead->next > 0)
        give_back(ahead);
    ahead_slot *slot = slot_of(ahead, ahead->next++);
    pthread_mutex_lock(&ahead->mutex);
    while (!slot->ready) {
        ahead->wanted = ahead->claimed == ahead->count || !has_room(ahead);
        if (ahead->wanted)
            pthread_cond_wait(&ahead->readied, &ahead->mutex);
        else
            make_one(ahead);
    }
    ahead->wanted = false;
    pthread_mutex_unlock(&ahead->mutex);
    return &slot->prepared;
}

void opcat_ahead_end(opcat_ahead *ahead)
{
    if (!ahead)
        return;
    if (ahead->threaded) {
        pthread_mutex_lock(&ahead->mutex);
        ahead->stop = true;
        pthread_cond_signal(&ahead->given);
        pthread_mutex_unlock(&ahead->mutex);
        pthread_join(ahead->thread, NULL);
    }
    pthread_cond_destroy(&ahead->given);
    pthread_cond_destroy(&ahead->readied);
    pthread_mutex_destroy(&ahead->mutex);
    for (size_t i = 0; i < ROOM; i++)
        clear(&ahead->slots[i]);
    free(ahead);
}
