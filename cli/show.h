/* SPDX-License-Identifier: Apache-2.0 */
/* How a profile is shown, by more than one command. */
#ifndef OPCAT_SHOW_H
#define OPCAT_SHOW_H

#include "json.h"

/* A profile as the object that `show --json` prints. */
void opcat_json_profile(opcat_json *json, const opcat_profile *profile);

/* Print kinds and their op counts as a table. */
int opcat_print_counts(const opcat_kind_ops *kinds, size_t count);

#endif
