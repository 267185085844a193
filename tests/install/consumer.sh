#!/bin/sh
# Use the library from another project's CMake, each way there is: consumer.sh BUILD SOURCE CMAKE CC CXX.
set -eu
build=$1 source=$2 cmake=$3 cc=$4 cxx=$5
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
unset OPCAT_CATALOG CFLAGS CXXFLAGS

"$cmake" --install "$build" --prefix "$folder/prefix" >/dev/null
# An installation may be moved.
mv "$folder/prefix" "$folder/moved"
catalog=$folder/moved/share/opcat/op_profiles.db

for way in find fetch subdirectory; do
    log=$folder/$way.log
    if ! { "$cmake" -S "$source/tests/install/consumer" -B "$folder/$way" -DWAY=$way -DOPCAT_SOURCE="$source" \
        -DCMAKE_PREFIX_PATH="$folder/moved" -DCMAKE_C_COMPILER="$cc" -DCMAKE_CXX_COMPILER="$cxx" &&
        "$cmake" --build "$folder/$way"; } >"$log" 2>&1; then
        cat "$log" >&2
        exit 1
    fi
    for program in c_opcat c_static cpp_opcat cpp_static; do
        said=$("$folder/$way/$program" "$catalog")
        test "$said" = "9 families" || { echo "$way, $program: $said" >&2; exit 1; }
    done
    # What is installed with the library is found from a program that is linked with it.
    test $way != find || test "$("$folder/find/c_opcat")" = "9 families"
done

# What is not there is said.
if "$cmake" -S "$source/tests/install/consumer" -B "$folder/wrong" -DWAY=find -DCMAKE_PREFIX_PATH="$folder/moved" \
    -DCMAKE_DISABLE_FIND_PACKAGE_SQLite3=ON >"$folder/wrong.log" 2>&1; then
    echo "find_package(opcat COMPONENTS static) goes without SQLite" >&2
    exit 1
fi
tr -s '\n ' ' ' <"$folder/wrong.log" | grep -q "static library needs SQLite's headers and library" || { cat "$folder/wrong.log" >&2; exit 1; }
