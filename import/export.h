/* SPDX-License-Identifier: Apache-2.0 */
/* A catalog -> a folder of profiles and naming rules that an import makes the same catalog of. */
#ifndef OPCAT_EXPORT_H
#define OPCAT_EXPORT_H

#include "../lib/error.h"

/*
 * Write every family's source, byte for byte, into `folder`, and the naming rules as inference/model_names.yaml. The
 * folder is made where it is not there, and then is whole or not there at all; an empty one stays the folder it is, and
 * empty where this fails. One that holds anything is refused, unless `force` is set: then all is written beside its
 * place before the first file is replaced, each as a whole, and what else is there stays. Fails with the statuses of
 * the catalog, OPCAT_INVALID (the folder is not empty), OPCAT_CANTOPEN or OPCAT_IO. *families is how many were written.
 */
opcat_status opcat_export(opcat_catalog *catalog, const char *folder, bool force, size_t *families, opcat_error *error);

#endif
