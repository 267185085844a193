/* SPDX-License-Identifier: Apache-2.0 */
#include "faults.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/text.h"

/* Have room for `more` faults. */
static bool make_room(opcat_faults *faults, size_t more)
{
    if (more <= faults->room - faults->count)
        return true;
    size_t room = faults->room ? faults->room * 2 : 16;
    if (room < faults->count + more)
        room = faults->count + more;
    opcat_fault *items = realloc(faults->items, room * sizeof *items);
    if (!items)
        return false;
    faults->items = items;
    faults->room = room;
    return true;
}

static bool is_last_file(const opcat_faults *faults, const char *file)
{
    return faults->count && strcmp(faults->items[faults->count - 1].file, file) == 0;
}

bool opcat_faults_enough(const opcat_faults *faults, const char *file)
{
    return faults->of_last_file > OPCAT_FAULTS_OF_A_FILE && is_last_file(faults, file);
}

/* Count a fault of a file; whether it is kept. The first that is not is kept as a note instead. */
static bool count_of_file(opcat_faults *faults, const char *file, bool *note)
{
    faults->of_last_file = is_last_file(faults, file) ? faults->of_last_file + 1 : 1;
    *note = faults->of_last_file == OPCAT_FAULTS_OF_A_FILE + 1;
    return faults->of_last_file <= OPCAT_FAULTS_OF_A_FILE + 1;
}

void opcat_faults_add(opcat_faults *faults, const char *file, opcat_place place, const char *format, ...)
{
    opcat_text text = {0};
    opcat_text name = {0};
    bool note;
    va_list arguments;
    if (!count_of_file(faults, file, &note))
        return;
    va_start(arguments, format);
    if (note)
        opcat_text_add(&text, "the file has more faults than these %d; the others are not listed",
                       (int)OPCAT_FAULTS_OF_A_FILE);
    else
        opcat_text_vadd(&text, format, arguments);
    va_end(arguments);
    if (note)
        place = (opcat_place){0, 0};
    opcat_text_add(&name, "%s", file);
    if (text.failed || name.failed || !make_room(faults, 1)) {
        faults->out_of_memory = true;
        free(text.bytes);
        free(name.bytes);
        return;
    }
    faults->items[faults->count++] = (opcat_fault){name.bytes, place, text.bytes};
}

void opcat_faults_add_unreadable(opcat_faults *faults, const char *file)
{
    int problem = errno;
    if (problem == ENOMEM)
        faults->out_of_memory = true;
    else
        opcat_faults_add(faults, file, (opcat_place){0, 0}, "cannot be read: %s", strerror(problem));
}

/* File by file; what is of the whole file comes last. */
static bool later(const opcat_fault *one, const opcat_fault *other)
{
    int order = strcmp(one->file, other->file);
    opcat_place a = one->place;
    opcat_place b = other->place;
    if (order)
        return order > 0;
    if (!a.line || !b.line)
        return !a.line && b.line;
    return a.line != b.line ? a.line > b.line : a.column > b.column;
}

/* Merge two sorted runs; stable, so that what was found first at a place is said first. */
static void merge(const opcat_fault *from, opcat_fault *to, size_t start, size_t middle, size_t end)
{
    size_t left = start;
    size_t right = middle;
    for (size_t i = start; i < end; i++) {
        bool take_right = left == middle || (right < end && later(&from[left], &from[right]));
        to[i] = from[take_right ? right++ : left++];
    }
}

void opcat_faults_sort(opcat_faults *faults, size_t first)
{
    size_t count = faults->count - first;
    if (count < 2)
        return;
    opcat_fault *spare = malloc(count * sizeof *spare);
    if (!spare) {
        faults->out_of_memory = true;
        return;
    }
    opcat_fault *items = faults->items + first;
    for (size_t width = 1; width < count; width *= 2) {
        for (size_t start = 0; start < count; start += 2 * width) {
            size_t middle = start + width < count ? start + width : count;
            size_t end = middle + width < count ? middle + width : count;
            merge(items, spare, start, middle, end);
        }
        memcpy(items, spare, count * sizeof *items);
    }
    free(spare);
}

void opcat_faults_move(opcat_faults *faults, opcat_faults *from)
{
    faults->out_of_memory = faults->out_of_memory || from->out_of_memory;
    if (from->count && !make_room(faults, from->count)) {
        faults->out_of_memory = true;
    } else if (from->count) {
        memcpy(faults->items + faults->count, from->items, from->count * sizeof *from->items);
        faults->count += from->count;
        faults->of_last_file = from->of_last_file;
        from->count = 0;
    }
    opcat_faults_free(from);
}

void opcat_faults_truncate(opcat_faults *faults, size_t count)
{
    while (faults->count > count) {
        opcat_fault *last = &faults->items[--faults->count];
        free(last->file);
        free(last->text);
    }
    faults->of_last_file = 0;
}

size_t opcat_faults_files(const opcat_faults *faults)
{
    size_t files = 0;
    for (size_t i = 0; i < faults->count; i++) {
        bool seen = false;
        /* The faults of a file stand together, but for those found before any was read. */
        for (size_t j = i; j > 0 && !seen; j--)
            seen = strcmp(faults->items[j - 1].file, faults->items[i].file) == 0;
        files += !seen;
    }
    return files;
}

void opcat_faults_free(opcat_faults *faults)
{
    opcat_faults_truncate(faults, 0);
    free(faults->items);
    *faults = (opcat_faults){0};
}
