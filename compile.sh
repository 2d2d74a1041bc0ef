#!/bin/sh
# Builds the release binary, target/release/turnwise, from the locked dependencies.
set -eu
cd "$(dirname "$0")"
exec cargo build --release --locked --bin turnwise "$@"
