#!/bin/sh
# Installs a release of turnwise for Linux, without root:
#     sh install.sh --from ADDRESS [--prefix DIR]     from the address of a folder that scripts/dist has written
#     sh install.sh --uninstall [--prefix DIR]        removes all installed files
# DIR is ~/.local by default. Needs curl or wget, tar, gzip and sha256sum.
set -eu

fail() {
    echo "install.sh: $*" >&2
    exit 1
}

# The default of --from: the only place that names where releases are.
from=${TURNWISE_RELEASES:-}
prefix=${HOME:-}/.local
uninstall=
while [ $# -gt 0 ]; do
    case $1 in
    --from | --prefix)
        [ $# -ge 2 ] || fail "$1 needs a value"
        [ "$1" = --from ] && from=$2 || prefix=$2
        shift
        ;;
    --uninstall) uninstall=yes ;;
    *) fail "unknown argument $1; usage: install.sh --from ADDRESS [--prefix DIR], or install.sh --uninstall [--prefix DIR]" ;;
    esac
    shift
done
# The list has a line for each installed file and folder, relative to the prefix.
list=$prefix/share/doc/turnwise/installed

# Removes the files of the list, and then the folders that are empty.
remove() {
    sort -r "$list" | while read -r path; do
        case $path in
        */) rmdir "$prefix/$path" 2>/dev/null || : ;;
        *) rm -f "$prefix/$path" ;;
        esac
    done
}

if [ -n "$uninstall" ]; then
    [ -f "$list" ] || fail "turnwise is not installed in $prefix"
    remove
    echo "turnwise is removed from $prefix"
    exit
fi

[ -n "$from" ] || fail "name the address of a release with --from"
[ "$(uname -s)" = Linux ] || fail "the releases are for Linux; the README shows how to build from source"
target=$(uname -m)-unknown-linux-musl
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

fetch() {
    if command -v curl >/dev/null; then
        curl -fsSL -o "$folder/$1" "$from/$1"
    elif command -v wget >/dev/null; then
        wget -q -O "$folder/$1" "$from/$1"
    else
        fail "curl or wget is needed"
    fi || fail "cannot download $from/$1"
}

fetch SHA256SUMS
sum=$(grep -- "-$target\.tar\.gz\$" "$folder/SHA256SUMS") || fail "this release has no program for $target"
archive=${sum##* }
echo "downloading $from/$archive"
fetch "$archive"
(cd "$folder" && echo "$sum" | sha256sum -c >/dev/null 2>&1) || fail "$archive does not match its checksum; nothing was installed"
mkdir "$folder/new"
tar -xzf "$folder/$archive" -C "$folder/new"
new=$folder/new/${archive%.tar.gz}
"$new/bin/turnwise" --version >/dev/null || fail "the program does not run on this machine; nothing was installed"
(cd "$new" && find . ! -name . -type d -exec printf '%s/\n' {} \; -o -type f -print) | sort >"$folder/installed"
echo ./share/doc/turnwise/installed >>"$folder/installed"
cp "$folder/installed" "$new/share/doc/turnwise/"

# Files of an earlier release that this release lacks must not remain.
[ ! -f "$list" ] || remove
while read -r path; do
    case $path in
    */) mkdir -p "$prefix/$path" ;;
    # A link at this path is replaced, not followed.
    *) rm -f "$prefix/$path" && cp "$new/$path" "$prefix/$path" ;;
    esac
done <"$folder/installed"
echo "installed $("$prefix/bin/turnwise" --version) in $prefix, with manual pages and completions"
echo "to remove it: sh install.sh --uninstall --prefix $prefix"
case :$PATH: in
*:"$prefix/bin":*) ;;
*) echo "$prefix/bin is not on the PATH; add it: export PATH=\"$prefix/bin:\$PATH\"" ;;
esac
