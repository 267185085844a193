/* SPDX-License-Identifier: Apache-2.0 */
#include "ahead.h"

#include <pthread.h>
#include <sqlite3.h>
#include <stdlib.h>

enum {
    ROOM = 128,          /* files made ready and not yet taken, at most */
    MAX_BYTES = 4 << 20, /* their bytes, at most, but for one file more */
    BATCH = 16,          /* handed over together, since waking the other thread costs as much as reading a file */
    FEW = 32             /* so many are not worth a thread */
};

struct opcat_ahead {
    size_t count;
    opcat_prepare_fn *prepare;
    void *context;
    size_t next; /* to be taken */
    bool threaded;
    pthread_t thread;

    /* What both threads change is guarded by `mutex`; a file's slot belongs to one of them at a time. */
    pthread_mutex_t mutex;
    pthread_cond_t handed; /* some were handed over */
    pthread_cond_t given;  /* room was given back, or it is time to stop */
    size_t made;
    size_t handed_over; /* of those made */
    size_t given_back;  /* of those taken */
    size_t bytes;       /* of the files made and not given back */
    bool full;          /* the maker waits for room */
    bool wanted;        /* the taker waits for a file */
    bool stop;
    opcat_prepared slots[ROOM];
};

static opcat_prepared *slot_of(opcat_ahead *ahead, size_t index)
{
    return &ahead->slots[index % ROOM];
}

static void clear(opcat_prepared *prepared)
{
    free(prepared->bytes);
    opcat_profile_drop(prepared->profile);
    opcat_faults_free(&prepared->faults);
    opcat_error_clear(&prepared->error);
    *prepared = (opcat_prepared){0};
}

/* ---- In the thread that is ahead -------------------------------------------------------------------------- */

static void hand_over(opcat_ahead *ahead)
{
    ahead->handed_over = ahead->made;
    if (ahead->wanted)
        pthread_cond_signal(&ahead->handed);
}

static bool has_room(const opcat_ahead *ahead)
{
    size_t held = ahead->made - ahead->given_back;
    return held == 0 || (held < ROOM && ahead->bytes <= MAX_BYTES);
}

/* Wait for room; false when it is time to stop. */
static bool find_room(opcat_ahead *ahead)
{
    pthread_mutex_lock(&ahead->mutex);
    if (!has_room(ahead))
        hand_over(ahead);
    ahead->full = true;
    while (!ahead->stop && !has_room(ahead))
        pthread_cond_wait(&ahead->given, &ahead->mutex);
    ahead->full = false;
    bool go_on = !ahead->stop;
    pthread_mutex_unlock(&ahead->mutex);
    return go_on;
}

static void *run(void *argument)
{
    opcat_ahead *ahead = argument;
    for (size_t i = 0; i < ahead->count && find_room(ahead); i++) {
        opcat_prepared *slot = slot_of(ahead, i);
        ahead->prepare(ahead->context, i, slot);
        pthread_mutex_lock(&ahead->mutex);
        ahead->made = i + 1;
        ahead->bytes += slot->length;
        if (ahead->made - ahead->handed_over >= BATCH || ahead->made == ahead->count)
            hand_over(ahead);
        pthread_mutex_unlock(&ahead->mutex);
    }
    return NULL;
}

/* ---- In the caller's ------------------------------------------------------------------------------------- */

opcat_ahead *opcat_ahead_start(size_t count, opcat_prepare_fn *prepare, void *context)
{
    opcat_ahead *ahead = calloc(1, sizeof *ahead);
    if (!ahead)
        return NULL;
    ahead->count = count;
    ahead->prepare = prepare;
    ahead->context = context;
    /* A SQLite that was built for one thread cannot be used by two, not even by connections of their own. */
    if (count > FEW && sqlite3_threadsafe() && pthread_mutex_init(&ahead->mutex, NULL) == 0 &&
        pthread_cond_init(&ahead->handed, NULL) == 0 && pthread_cond_init(&ahead->given, NULL) == 0)
        ahead->threaded = pthread_create(&ahead->thread, NULL, run, ahead) == 0;
    return ahead;
}

/* Give back the file that was taken last. The maker is woken when half is free, not for each. */
static void give_back(opcat_ahead *ahead)
{
    opcat_prepared *slot = slot_of(ahead, ahead->next - 1);
    size_t length = slot->length;
    clear(slot);
    if (!ahead->threaded)
        return;
    pthread_mutex_lock(&ahead->mutex);
    ahead->given_back = ahead->next;
    ahead->bytes -= length;
    size_t held = ahead->made - ahead->given_back;
    if (ahead->full && (held == 0 || (held <= ROOM / 2 && ahead->bytes <= MAX_BYTES / 2)))
        pthread_cond_signal(&ahead->given);
    pthread_mutex_unlock(&ahead->mutex);
}

opcat_prepared *opcat_ahead_take(opcat_ahead *ahead)
{
    if (ahead->next > 0)
        give_back(ahead);
    size_t index = ahead->next++;
    opcat_prepared *slot = slot_of(ahead, index);
    if (!ahead->threaded) {
        ahead->prepare(ahead->context, index, slot);
        return slot;
    }
    pthread_mutex_lock(&ahead->mutex);
    ahead->wanted = true;
    while (ahead->handed_over <= index)
        pthread_cond_wait(&ahead->handed, &ahead->mutex);
    ahead->wanted = false;
    pthread_mutex_unlock(&ahead->mutex);
    return slot;
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
        pthread_cond_destroy(&ahead->given);
        pthread_cond_destroy(&ahead->handed);
        pthread_mutex_destroy(&ahead->mutex);
    }
    for (size_t i = 0; i < ROOM; i++)
        clear(&ahead->slots[i]);
    free(ahead);
}
