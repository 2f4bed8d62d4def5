#!/bin/sh
# Tests the referee of this folder in many games with legal and hostile answers and faults, then the
# sample engine in games of it.
set -e
cd "$(dirname "$0")"
agon check-referee . "$@"
agon check engines/sample --game .
