/* SPDX-License-Identifier: Apache-2.0 */
/* The SQL of schema/, embedded by the build. */
#ifndef OPCAT_SCHEMA_H
#define OPCAT_SCHEMA_H

extern const char opcat_schema_sql[];

#endif
