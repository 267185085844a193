/* SPDX-License-Identifier: Apache-2.0 */
/* What this process has warned about: its one memory beyond handles. */
#ifndef OPCAT_WARNED_H
#define OPCAT_WARNED_H

#include <stdbool.h>

/*
 * Remember a name, ASCII letters lower-cased; whether it is new. Of many names some are forgotten. Threads may call
 * it at once, and a fork leaves it usable: it takes no lock.
 */
bool opcat_warned_first(const char *name);

#endif
