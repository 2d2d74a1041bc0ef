#!/bin/sh
# Builds the release binary, target/release/turnwise, from the locked dependencies.
set -eu
# Wherever it is called from, also through a link, and whatever CDPATH or CARGO_TARGET_DIR say.
CDPATH='' cd -- "$(dirname -- "$(readlink -f -- "$0")")"
# The package by its name: otherwise its dependencies get the features that tests and other crates need, too.
exec cargo build --release --locked --target-dir target --package turnwise --bin turnwise "$@"
