/* SPDX-License-Identifier: Apache-2.0 */
/* Ask a catalog that may be anything everything. */
#ifndef OPCAT_FUZZ_ASK_H
#define OPCAT_FUZZ_ASK_H

void fuzz_ask(const char *path);

#endif
