#!/bin/sh
# Prepares the image of a Gradescope autograder: compilers, and agon. Gradescope runs it once, as
# root.
set -eu
source="${AUTOGRADER:-/autograder}/source"

# The languages of the submissions. Leave out what your class does not use.
export DEBIAN_FRONTEND=noninteractive
apt-get update
apt-get install -y --no-install-recommends build-essential default-jdk-headless nodejs python3

install -m 755 "$source/agon" "${AGON_BIN:-/usr/local/bin}/agon"
