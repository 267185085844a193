/* SPDX-License-Identifier: Apache-2.0 */
/* How a family's rows, which make no profile, differ from the profile of its source: cell by cell. */
#ifndef OPCAT_COMPARE_CELLS_H
#define OPCAT_COMPARE_CELLS_H

#include "../lib/history.h"
#include "compare.h"

/*
 * Call `take` with each cell that is not what the source says; a stored value that is none of the domain's is given as
 * the text that SQL writes it with. *memory becomes false where memory ran out.
 */
opcat_status opcat_compare_cells(opcat_catalog *catalog, const opcat_profile *source, opcat_difference_fn *take,
                                 void *context, bool *memory);

#endif
