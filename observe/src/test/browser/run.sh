#!/usr/bin/env bash
# The dashboard in a real browser: observe/src/test/browser/run.sh [FOLDER FOR PICTURES]
# How quick it is with many runs: observe/src/test/browser/run.sh --many RUNS [FOLDER FOR PICTURES], where bench events --many wrote RUNS
# Needs Chromium (CHROMIUM names it), node, and playwright-core: PLAYWRIGHT is a folder where `npm install playwright-core` was run.
# OXBOW is the command line to be tested, by default ./oxbow.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../../.." && pwd)
: "${CHROMIUM:=$(command -v chromium || command -v chromium-browser || command -v google-chrome)}"
: "${PLAYWRIGHT:?a folder where npm install playwright-core was run}"
export CHROMIUM PLAYWRIGHT OXBOW="${OXBOW:-$root/oxbow}"
cd "$root"
if [[ ${1:-} == --many ]]; then shift; exec node observe/src/test/browser/many.mjs "$@"; fi
exec node observe/src/test/browser/dashboard.mjs "$@"
