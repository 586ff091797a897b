#!/usr/bin/env bash
# pack.sh FOLDER [WORKLOADS]: puts all that a machine with a card needs into FOLDER, some 50 MB: a Java runtime, our jars without the libraries
# for CPUs, the recorded answers of TensorFlow, and PyTorch's side of bench gpu, whose workloads are in the folder WORKLOADS. There, run FOLDER/card.sh.
set -euo pipefail
target=${1:?usage: pack.sh FOLDER [WORKLOADS]}
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
"$root/oxbow" --version >/dev/null
jdk=$("$root/oxbow" jdk)
mkdir -p "$target"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$jdk/bin/jlink" --add-modules java.base,jdk.incubator.vector,java.management,jdk.management,jdk.unsupported,java.logging \
    --strip-debug --no-header-files --no-man-pages --compress zip-9 --output "$work/jre"
mkdir "$work/mods" "$work/bench" "$work/answers"
for jar in "$root"/cli/target/lib/*.jar; do
    case $(basename "$jar") in openblas* | dnnl* | oxbow-natives*) ;; *) cp "$jar" "$work/mods/" ;; esac
done
cp "$root"/cli/target/oxbow*.jar "$work/mods/"
(cd "$root" && mvn -q -o compile -pl benchmarks -am -Dspotless.check.skip=true)
cp -r "$root/benchmarks/target/classes/." "$work/bench/"
cp "$root"/testing/src/test/answers/*.zip "$work/answers/"
mkdir -p "$work/benchmarks/python" && cp -r "$root/benchmarks/python/gpu" "$work/benchmarks/python/"
[[ -z ${2:-} ]] || cp -r "$2" "$work/workloads"
tar czf "$target/card.tgz" -C "$work" .
cp "$(dirname "${BASH_SOURCE[0]}")/card.sh" "$target/"
du -sh "$target"
