/* SPDX-License-Identifier: Apache-2.0 */
#include "file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* Open without waiting for a writer, should it be a pipe; -1 where it is no regular file. */
static int open_regular(const char *path, off_t *size)
{
    struct stat found;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0)
        return -1;
    int problem = fstat(fd, &found) != 0    ? errno
                  : S_ISDIR(found.st_mode)  ? EISDIR
                  : !S_ISREG(found.st_mode) ? EINVAL
                                            : 0;
    if (problem) {
        close(fd);
        errno = problem;
        return -1;
    }
    *size = found.st_size;
    return fd;
}

/*
 * Read until the end or `room` bytes; false with errno set where reading fails. A regular file gives less than is asked
 * for at its end alone.
 */
static bool read_all(int fd, char *bytes, size_t room, bool ends_short, size_t *length)
{
    *length = 0;
    while (*length < room) {
        ssize_t got = read(fd, bytes + *length, room - *length);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return false;
        if (got == 0)
            return true;
        *length += (size_t)got;
        if (ends_short && *length < room)
            return true;
    }
    return true;
}

char *opcat_read_file(const char *path, size_t limit, size_t *length)
{
    off_t size = 0;
    int fd = open_regular(path, &size);
    if (fd < 0)
        return NULL;
    /* One byte more than it is said to have, to see that it ends there. */
    size_t room = size < 0 || (uintmax_t)size > limit ? limit + 1 : (size_t)size + 1;
    if (room <= limit && size == 0)
        room = limit + 1;
    char *bytes = malloc(room + 1);
    /* Files of /proc and the like say that they are empty, and may give less than there is. */
    bool done = bytes && read_all(fd, bytes, room, size > 0, length);
    int problem = bytes ? errno : ENOMEM;
    close(fd);
    if (!done) {
        free(bytes);
        errno = problem;
        return NULL;
    }
    bytes[*length] = '\0';
    return bytes;
}
