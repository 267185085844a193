/* SPDX-License-Identifier: Apache-2.0 */
/* Naming rules -> the text of model_names.yaml. */
#ifndef OPCAT_WRITE_RULES_H
#define OPCAT_WRITE_RULES_H

#include "../lib/opcat.h"
#include "../lib/text.h"

/* Write the rules of a catalog as YAML that opcat_read_rules() reads the same of. Fails as opcat_infer_arch(). */
opcat_status opcat_rules_to_yaml(opcat_catalog *catalog, opcat_text *text);

#endif
