#!/bin/sh
# Install into an empty folder, and use what is there as a stranger would: run.sh BUILD SOURCE CMAKE CC [CXX].
set -eu
build=$1 source=$2 cmake=$3 cc=$4 cxx=${5:-}
prefix=$(mktemp -d)
trap 'rm -rf "$prefix"' EXIT
unset OPCAT_CATALOG
warnings='-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror'

"$cmake" --install "$build" --prefix "$prefix" >/dev/null
libdir=$(dirname "$(find "$prefix" -name libopcat.so.0)")

for file in bin/opcat include/opcat.h share/opcat/op_profiles.db; do
    test -f "$prefix/$file" || { echo "$file is not installed" >&2; exit 1; }
done
for file in libopcat.so libopcat.so.0 libopcat.a pkgconfig/opcat.pc; do
    test -e "$libdir/$file" || { echo "$libdir/$file is not installed" >&2; exit 1; }
done

# The command finds the installed catalog, from anywhere.
(cd / && "$prefix/bin/opcat" list --json) >"$prefix/list.json"
test "$(grep -c '"arch"' "$prefix/list.json")" = 9

# The header compiles alone.
"$cc" -std=c11 $warnings -fsyntax-only -x c "$prefix/include/opcat.h"
if [ -n "$cxx" ]; then
    "$cxx" -std=c++11 $warnings -fsyntax-only -x c++ "$prefix/include/opcat.h"
fi

# What is exported is what the header declares.
grep -oE '\bopcat_[a-z_]+\(' "$prefix/include/opcat.h" | tr -d '(' | grep -v -x opcat_log_fn | sort -u >"$prefix/declared"
nm -D --defined-only "$libdir/libopcat.so.0" | awk '$2 == "T" { sub(/@.*/, "", $3); print $3 }' | sort -u >"$prefix/exported"
diff "$prefix/declared" "$prefix/exported"
nm -D --defined-only "$libdir/libopcat.so.0" | awk '$2 != "T" && $2 != "A"' | grep . && exit 1
# Nor does the static library define a name that is not its own.
nm -g --defined-only "$libdir/libopcat.a" | awk 'NF == 3 { print $3 }' | grep -v '^opcat_' && exit 1

# A program that makes every call, built through pkg-config, shared and static.
export PKG_CONFIG_PATH="$libdir/pkgconfig"
"$cc" -std=c11 $warnings "$source/tests/install/every_call.c" -o "$prefix/shared" $(pkg-config --cflags --libs opcat)
LD_LIBRARY_PATH="$libdir" "$prefix/shared"
# The static library stands on the shared SQLite, for which -lsqlite3 is enough.
"$cc" -std=c11 $warnings $(pkg-config --cflags opcat) "$source/tests/install/every_call.c" -o "$prefix/static" \
    "$libdir/libopcat.a" $(pkg-config --libs sqlite3)
cp "$prefix/static" "$prefix/bin/static"
"$prefix/bin/static"
if command -v valgrind >/dev/null; then
    LD_LIBRARY_PATH="$libdir" valgrind --quiet --error-exitcode=9 --leak-check=full --show-leak-kinds=all "$prefix/shared"
fi
