#!/usr/bin/env bash
# pack.sh FOLDER: puts all that a machine with a card needs into FOLDER, some 40 MB: a Java runtime, our jars without the libraries for
# CPUs, the recorded answers of TensorFlow, suites that run on a card, and PyTorch's side of bench gpu. There, run FOLDER/card.sh.
# BASE is a folder with jars of another build, such as that before a change, that card.sh times, too.
set -euo pipefail
target=${1:?usage: pack.sh FOLDER}
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
console=org.junit.platform:junit-platform-console-standalone:1.13.4
"$root/oxbow" --version >/dev/null
jdk=$("$root/oxbow" jdk)
export JAVA_HOME=$jdk
mkdir -p "$target"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$jdk/bin/jlink" --add-modules java.base,jdk.incubator.vector,java.management,jdk.management,jdk.unsupported,java.logging,java.xml,jdk.jfr \
    --strip-debug --no-header-files --no-man-pages --output "$work/jre"
mkdir -p "$work/mods" "$work/bench" "$work/tests" "$work/testing/src/test/answers" "$work/benchmarks/python"
for jar in "$root"/cli/target/lib/*.jar; do
    case $(basename "$jar") in openblas* | dnnl* | oxbow-natives*) ;; *) cp "$jar" "$work/mods/" ;; esac
done
cp "$root"/cli/target/oxbow*.jar "$work/mods/"
if [[ -n ${BASE:-} ]]; then
    mkdir "$work/base" && cp "$BASE"/oxbow*.jar "$work/base/" && rm -f "$work"/base/oxbow-natives*.jar # what they need is in mods
fi
cd "$root"
mvn -q -B -ntp test-compile -pl benchmarks,cuda,testing,interop -am -Dspotless.check.skip=true
cp -r benchmarks/target/classes/. "$work/bench/"
for module in cuda testing interop; do cp -r $module/target/test-classes/. "$work/tests/"; done
mvn -q -B -ntp dependency:copy -Dartifact=$console -DoutputDirectory="$work/tests" -Dmdep.stripVersion=true
cp testing/src/test/answers/*.zip "$work/testing/src/test/answers/"
cp -r benchmarks/python/gpu "$work/benchmarks/python/"
tar c -C "$work" . | xz -T0 -4 >"$target/card.txz"
cp "$root/benchmarks/card/card.sh" "$target/"
du -sh "$target"
