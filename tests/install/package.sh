#!/bin/sh
# The source archive and the Debian packages: package.sh BUILD SOURCE CMAKE. The archive is unpacked; what it holds is built,
# tested and packed; and the packages are held against what is installed without them.
set -eu
build=$1 source=$2 cmake=$3
for tool in dpkg-deb dpkg-shlibdeps file gzip; do
    command -v $tool >/dev/null || { echo "$tool is missing"; exit 77; }
done
test -f "$build/CPackConfig.cmake" || { echo "No packages are configured in $build"; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
unset OPCAT_CATALOG DESTDIR CFLAGS LDFLAGS
cpack=$(dirname "$cmake")/cpack ctest=$(dirname "$cmake")/ctest
version=$(sed -n 's/^#define OPCAT_VERSION "\(.*\)"/\1/p' "$source/lib/opcat.h")

wrong() {
    echo "$*" >&2
    exit 1
}
quietly() {
    "$@" >"$folder/log" 2>&1 || { cat "$folder/log" >&2; exit 1; }
}

# The archive holds what the project does.
quietly "$cpack" --config "$build/CPackSourceConfig.cmake" -B "$folder/archive"
tar -xzf "$folder/archive/opcat-$version.tar.gz" -C "$folder"
if git -C "$source" rev-parse --show-toplevel 2>/dev/null | grep -qx "$source"; then
    git -C "$source" ls-files --cached --others --exclude-standard | sort >"$folder/kept"
    (cd "$folder/opcat-$version" && find . -type f -o -type l) | sed 's,^\./,,' | sort >"$folder/packed"
    diff "$folder/kept" "$folder/packed" || wrong "The archive and the project differ"
fi

# It builds, passes tests, and packs.
cd "$folder/opcat-$version"
quietly "$cmake" --preset package -DBUILD_TESTING=ON
quietly "$cmake" --build build/package -j 2
quietly "$ctest" --test-dir build/package -R 'test_(conformance|json_schema|cookbook)$' --no-tests=error
quietly "$cpack" --config build/package/CPackConfig.cmake -B "$folder/packages"
cd "$folder/packages"
machine=$(dpkg --print-architecture)
for package in libopcat0 libopcat-dev opcat python3-opcat; do
    case $package in python3-*) arch=all ;; *) arch=$machine ;; esac
    mv "${package}_$version-1_$arch.deb" "$package.deb" || wrong "The packages are" *.deb
done
test "$(ls ./*.deb | wc -l)" = 4 || wrong "The packages are" *.deb

# Each file that is installed is in one package, and each package says whose it is.
DESTDIR=$folder/root quietly "$cmake" --install "$folder/opcat-$version/build/package"
(cd "$folder/root" && find . ! -type d) | sort >"$folder/installed"
for package in ./*.deb; do
    name=$(basename "$package" .deb)
    dpkg-deb --fsys-tarfile "$package" | tar -tf - | grep -v '/$' >"$folder/list"
    for file in copyright changelog.Debian.gz; do
        grep -qx "./usr/share/doc/$name/$file" "$folder/list" || wrong "$name has no $file"
    done
    grep -v /share/doc/ "$folder/list" | sed 's,\(/man/.*\)\.gz$,\1,; s,zsh/vendor-completions,zsh/site-functions,'
    dpkg-deb -x "$package" "$folder/unpacked"
done | sort >"$folder/contents"
diff "$folder/installed" "$folder/contents" || wrong "What is installed and what is packed differ"

# Each depends on what it uses, and on nothing more.
depends() {
    dpkg-deb -f "$1.deb" Depends | tr -d ' ' | tr ',' '\n' | sed 's/(>=.*//' | sort | tr '\n' ' '
}
test "$(depends libopcat0)" = "libc6 libsqlite3-0 " || wrong "libopcat0 depends on $(depends libopcat0)"
test "$(depends libopcat-dev)" = "libopcat0(=$version-1) " || wrong "libopcat-dev depends on $(depends libopcat-dev)"
test "$(depends opcat)" = "libc6 libsqlite3-0 libyaml-0-2 " || wrong "opcat depends on $(depends opcat)"
test "$(depends python3-opcat)" = "libopcat0 python3 " || wrong "python3-opcat depends on $(depends python3-opcat)"
test "$(dpkg-deb -I libopcat0.deb shlibs)" = "libopcat 0 libopcat0 (>= $version)" || wrong "libopcat0's shlibs are wrong"
test "$(dpkg-deb -I libopcat0.deb triggers)" = "activate-noawait ldconfig" || wrong "libopcat0 does not update the loader's cache"
for script in postinst prerm; do
    dpkg-deb -I python3-opcat.deb $script | sh -n || wrong "python3-opcat's $script cannot be read"
done

# What is unpacked works where it lies.
usr=$folder/unpacked/usr
test "$("$usr/bin/opcat" list --json | grep -c '"arch"')" = 9 || wrong "The packed command does not find its catalog"
libdir=$(dirname "$(find "$usr" -name libopcat.so.0)")
# None of it carries its debugging symbols.
for file in "$usr/bin/opcat" "$libdir/libopcat.so.0" "$libdir/sqlite3/opcat.so"; do
    ! file -L "$file" | grep -q 'not stripped' || wrong "$file is not stripped"
done
gzip -t "$usr"/share/man/man*/*.gz
if command -v python3 >/dev/null; then
    PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$usr/lib/python3/dist-packages LD_LIBRARY_PATH=$libdir python3 -c '
import opcat
with opcat.Catalog() as catalog:
    assert len(catalog.known_archs()) == 9, catalog.known_archs()
'
fi

# Debian's own judge, where it is. It warns when root calls it.
if command -v lintian >/dev/null; then
    lintian --fail-on error --allow-root ./*.deb >"$folder/lintian" 2>&1 || { cat "$folder/lintian" >&2; exit 1; }
fi
