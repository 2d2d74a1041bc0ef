#!/bin/sh
# Plays on a tournament server:   ./run.sh SERVER PORT [options of `turnwise play`]
# Shows two games on this machine: ./run.sh
# Where cargo is, it builds the program first if a source is newer; nothing but the program itself writes
# to stdout.
set -eu
# Where this file itself lies, also when it is called through a link.
folder=$(dirname -- "$(readlink -f -- "$0")")
program=$folder/target/release/turnwise
if command -v cargo >/dev/null || [ ! -x "$program" ]; then
    "$folder/compile.sh" >&2
fi
if [ $# -eq 0 ]; then
    exec "$program" demo
fi
exec "$program" play "$@"
