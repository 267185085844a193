/* SPDX-License-Identifier: Apache-2.0 */
/* What compilers can check for us. */
#ifndef OPCAT_COMPILER_H
#define OPCAT_COMPILER_H

#if defined(__GNUC__)
#define OPCAT_PRINTF(text, rest) __attribute__((format(printf, text, rest)))
#else
#define OPCAT_PRINTF(text, rest)
#endif

#endif
