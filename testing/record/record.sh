#!/usr/bin/env bash
# Records TensorFlow's answers to the samples of all families, or of those named: testing/record/record.sh [FAMILY...]
# PYTHON names an interpreter with TensorFlow 2.x; the classes must have been built (./oxbow builds them).
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
java=$("$root/oxbow" jdk)/bin/java
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$java" --add-modules jdk.incubator.vector --enable-native-access=ALL-UNNAMED \
    -cp "$root/cli/target/classes:$root/cli/target/lib/*" dev.oxbow.testing.conformance.CaseWriter "$work" 2> >(grep -v incubator >&2)
answers=$root/testing/src/test/answers
mkdir -p "$answers"
status=0
for cases in "$work"/*.zip; do
    family=$(basename "$cases" .zip)
    if [[ $# -gt 0 && " $* " != *" $family "* ]]; then continue; fi
    "${PYTHON:-python3}" "$root/testing/record/record.py" "$cases" "$answers/$family.zip" || status=1
    echo "recorded $family"
done
exit $status
