#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Which model names, one in each line of the input, does no naming rule claim, so that they are priced as the family
# `default`? Prints them, and exits with 1 where there are any: a check of a list of models can end with it.
#
#   ./unclaimed.sh <models.txt
set -eu

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# A long list is asked in batches, each of which gives an array. The warnings say the same as the result.
if ! tr '\n' '\0' | xargs -0 -r opcat infer --json -- >"$folder/batches" 2>"$folder/errors"; then
    cat "$folder/errors" >&2
    exit 2
fi
{ echo '[' && sed '1!s/^\[$/,[/' "$folder/batches" && echo ']'; } >"$folder/models.json"

cd "$folder"
unclaimed=$(sqlite3 :memory: "
    SELECT json_extract(model.value, '\$.name')
    FROM json_each(readfile('models.json')) AS batch, json_each(batch.value) AS model
    WHERE json_extract(model.value, '\$.arch') = 'default'") || exit 2
[ -n "$unclaimed" ] || exit 0
printf '%s\n' "$unclaimed"
exit 1
