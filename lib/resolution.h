/* SPDX-License-Identifier: Apache-2.0 */
/* opcat_resolve_ops() once the profile is there. */
#ifndef OPCAT_RESOLUTION_H
#define OPCAT_RESOLUTION_H

#include "error.h"

opcat_status opcat_resolve(const opcat_profile *profile, const opcat_kind_ops *declared, size_t count,
                           opcat_error *error, opcat_resolution **resolution);

#endif
