#!/usr/bin/env bash
# card.sh [STEP...]: on the machine with the card, checks first and then times, each step by itself; OUT (default: ./out) gets the
# logs and the compiled kernels. A step whose log ends in "done" is not repeated, so a run that was cut off goes on where it was.
#   correct   by itself: all that must hold, in one call of less than nine minutes, parts beside each other; parts.log has what each
#             says, whose end is printed. PARTS, a regular expression, chooses some
#   check     ops against TensorFlow's answers
#   suite     gradients of all samples, random graphs against the CPU, faults, ten thousand steps, a card that is lost
#   train     200 steps of the training workloads against the CPU, in f32 and f64
#   sanitize  ops under compute-sanitizer, where that is
#   time      kernels and training steps in f32, then with products in tf32, in turns with PyTorch at its best where that is
#   first     seconds of the first steps, without and with compiled kernels kept, and memory
#   profile   how long each kernel of the training steps takes
#   short     by itself: the most important of all that in three minutes, each part within a limit, beside the build that was packed as BASE
# ROWS (all) are those that are timed; WAYS, a regular expression, PyTorch's settings.
set -uo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
out=${OUT:-$PWD/out}
work=${OXBOW_CARD_WORK:-/tmp/oxbow-card}
mkdir -p "$out" "$work"
[[ -d $work/jre ]] || python3 -c 'import sys, tarfile; tarfile.open(sys.argv[1]).extractall(sys.argv[2])' "$here/card.txz" "$work"
program=(--enable-native-access=ALL-UNNAMED -cp "$work/mods/*" dev.oxbow.cli.Main) # as modules it wants more of the JDK than travels
java=("$work/jre/bin/java" -Xmx24g -XX:+UseSerialGC -Xmn64m "-Doxbow.cuda.cache=$work/cache" --add-modules jdk.incubator.vector)

oxbow() { "${java[@]}" "${program[@]}" "$@"; }
bench() { # [FLAG...] -- ARGUMENTS
    local flags=()
    while [[ $1 != -- ]]; do flags+=("$1") && shift; done
    timeout -k 5 "${LIMIT:-3600}" "${java[@]}" "${flags[@]}" --enable-native-access=ALL-UNNAMED "-Doxbow.root=$work" \
        -cp "$work/bench:$work/${MODS:-mods}/*:$work/mods/*" \
        dev.oxbow.benchmarks.Main gpu "${@:2}" 2>&1 | grep -v 'incubator modules'
}
suite() {
    (cd "$work/testing" && timeout -k 5 "${LIMIT:-3600}" "${java[@]}" --enable-native-access=ALL-UNNAMED -cp "$work/tests:$work/tests/*:$work/mods/*" \
        org.junit.platform.console.ConsoleLauncher execute --disable-banner --details=summary "$@" 2>&1) |
        grep -v 'incubator modules\|^\s*org.junit\|containers\|^$'
}
peer=()
python3 -c 'import torch' 2>/dev/null && peer=(--python --ways "${WAYS:-}")

step_check() {
    oxbow doctor
    for zip in "$work"/testing/src/test/answers/*.zip; do
        echo "$(basename "$zip" .zip): $(oxbow conformance "$zip" 2>&1 | tail -n 4 | cut -c1-400)"
    done
}
step_suite() {
    local ops=dev.oxbow.testing.ops.OpSuiteTest
    suite -m $ops#gradientsEqualFiniteDifferences -m $ops#typesAreAsInferredAndLaterRunsLikeTheFirst \
        --config junit.jupiter.execution.parallel.enabled=true --config junit.jupiter.execution.parallel.mode.default=concurrent
    suite -c dev.oxbow.interop.CardGraphsTest
    suite -c dev.oxbow.cuda.CardTest -m dev.oxbow.cuda.FakeCardTest#aKernelThatTrapsLosesTheCardAndNothingElse
}
step_train() {
    bench -- --only =mlp,cnn,transformer,embedding,lstm --steps 200 --tolerance 1e-3 --rounds 1 --seconds 0.1
    bench -- --only =mlp,cnn,transformer,embedding,lstm --steps 200 --tolerance 1e-9 --double
}
step_sanitize() {
    for family in nn array math linalg random state; do
        compute-sanitizer --tool memcheck --target-processes all "${java[@]}" "${program[@]}" \
            conformance --deadline 120 "$work/testing/src/test/answers/$family.zip" 2>&1 |
            grep -v 'incubator modules' | tail -n 5 | cut -c1-400
    done
}
step_time() {
    bench -- "${peer[@]}" --only "${ROWS:-}" --json "$out/f32.json"
    bench -Doxbow.matmul=tf32 -- "${peer[@]}" --only "${TF32_ROWS:-matmul8192-f32,=mlp,cnn,transformer,embedding,lstm}" --steps 3 \
        --tolerance 1e-2 --json "$out/tf32.json"
}
step_first() {
    for row in mlp gpt2 resnet50; do
        for cache in cold kept; do
            echo "== $row, $cache"
            bench "-Doxbow.cuda.cache=$work/first-$row" -- --only =$row --steps 0 --rounds 1 --seconds 0.1
        done
    done
}
step_profile() {
    for w in =mlp cnn transformer embedding lstm =gpt2 =resnet50; do
        echo "== $w"
        bench -Doxbow.cuda.profile=true -Dorg.slf4j.simpleLogger.defaultLogLevel=info -- \
            --only "$w" --steps 0 --rounds 1 --seconds 0.05 | grep ' x \|call'
    done
}
beside() { # NAME SECONDS COMMAND...: in the background, into a log of its own
    [[ $1 =~ ${PARTS:-.} ]] || return 0
    mkdir -p "$work/logs"
    { LIMIT=$2 "${@:3}" >"$work/logs/$1" 2>&1; echo "ended with $? after $SECONDS s" >>"$work/logs/$1"; } &
}
ended() { # waits for all of these, and keeps what they said
    wait
    tail -n +1 "$work"/logs/* >"$out/parts.log" 2>/dev/null
}
answers() {
    printf '%s\n' "$work"/testing/src/test/answers/*.zip | xargs -P 4 -I{} bash -c \
        'echo "$(basename "$1" .zip): $(timeout -k 5 "$LIMIT" "${@:2}" conformance "$1" 2>&1 | tail -n 3 | cut -c1-300 | tr "\n" " ")"' _ {} "${java[@]}" "${program[@]}"
}
workloads() { # CACHE [FLAG...]: losses of 200 steps, algorithms without measuring, with kernels of its own
    bench -Doxbow.cuda.measure=false "-Doxbow.cuda.cache=$work/$1" "${@:2}" -- \
        --only =mlp,=cnn,=transformer,=embedding,=lstm --steps 200 --tolerance 1e-3 --rounds 1 --seconds 0.05
}
doubles() { bench -- --only =mlp,=cnn,=transformer,=embedding,=lstm-unrolled --steps 200 --tolerance 1e-9 --double; }
ops() {
    local all=dev.oxbow.testing.ops.OpSuiteTest
    suite -m $all#gradientsEqualFiniteDifferences -m $all#typesAreAsInferredAndLaterRunsLikeTheFirst \
        --config junit.jupiter.execution.parallel.enabled=true --config junit.jupiter.execution.parallel.mode.default=concurrent
}
graphs() { suite -c dev.oxbow.interop.CardGraphsTest; }
faults() { suite -c dev.oxbow.cuda.CardTest -m dev.oxbow.cuda.FakeCardTest#aKernelThatTrapsLosesTheCardAndNothingElse; }
one_rank() {
    OXBOW_RANK=0 OXBOW_SIZE=1 OXBOW_RENDEZVOUS=file:$(mktemp -d) timeout -k 5 "$LIMIT" "${java[@]}" --enable-native-access=ALL-UNNAMED \
        -cp "$work/tests:$work/tests/*:$work/mods/*" dev.oxbow.interop.CardRankProcess
}
sanitized() { # TOOL ROW
    timeout -k 5 "$LIMIT" compute-sanitizer --tool "$1" --target-processes all "${java[@]}" --enable-native-access=ALL-UNNAMED \
        "-Doxbow.root=$work" -cp "$work/bench:$work/mods/*:$work/tests/*" dev.oxbow.benchmarks.Main gpu \
        --only "=$2" --steps 3 --tolerance 1e-2 --rounds 1 --seconds 0.01
}
step_correct() {
    rm -rf "$work/logs"
    oxbow doctor | grep -i cuda
    beside ops 230 ops
    beside graphs 200 graphs
    beside doubles 200 doubles
    for way in replayed again; do beside "bits-$way" 200 workloads "bits-$way"; done
    beside bits-plain 200 workloads bits-plain -Doxbow.cuda.profile=true # which has no graphs
    beside answers 40 answers
    ended
    beside faults 120 faults # alone: it looks at memory
    ended
    beside one-rank 60 one_rank
    for row in mlp gpt2-small; do beside "memcheck-$row" 100 sanitized memcheck $row; done
    for tool in racecheck initcheck; do beside "$tool-mlp" 100 sanitized $tool mlp; done
    ended
    for p in "$work"/logs/*; do echo "-- ${p##*/}" && tail -n 12 "$p" | cut -c1-300; done
    echo "-- bits of losses, one line a workload where they are the same, replayed or not"
    cat "$work"/logs/bits-* 2>/dev/null | grep -o '^[a-z]* .* bits [0-9a-f]*' | sed 's/ .* bits / /' | sort -u
}
step_short() {
    local timed=(--rounds 3 --seconds 2.4) one=()
    part() { echo "-- $* ($SECONDS s)"; }
    part losses beside the CPU
    LIMIT=50 bench -- --only gpt2-small,=mlp,transformer --steps 10 --rounds 1 --seconds 0.1
    ((${#peer[@]})) && one=(--python --ways '^compiled, cudnn$')
    part GPT-2
    LIMIT=110 bench -- --only =gpt2 --steps 3 "${timed[@]}" "${one[@]}" --json "$out/short-gpt2.json"
    [[ -d $work/base ]] && part GPT-2 before && MODS=base LIMIT=40 bench -- --only =gpt2 --steps 0 "${timed[@]}"
    part its kernels
    LIMIT=40 bench -Doxbow.cuda.profile=true -Dorg.slf4j.simpleLogger.defaultLogLevel=info -- \
        --only =gpt2 --steps 0 --rounds 1 --seconds 0.05 | grep ' x \|call'
    for without in heads updates; do
        part GPT-2 without $without
        LIMIT=40 bench "-Doxbow.cuda.without=$without" -- --only =gpt2 --steps 0 "${timed[@]}"
    done
    part a card in trouble
    LIMIT=40 suite -c dev.oxbow.cuda.CardTest
    ((${#peer[@]})) && one=(--python --ways '^(eager|compiled), graph$')
    part small steps
    LIMIT=120 bench -- --only =mlp,=cnn,transformer,embedding --steps 0 "${timed[@]}" "${one[@]}" --json "$out/short.json"
    [[ -d $work/base ]] && part small steps before &&
        MODS=base LIMIT=40 bench -- --only =mlp,=cnn,transformer,embedding --steps 0 "${timed[@]}"
}
for step in "${@:-check suite train sanitize time first profile}"; do
    for s in $step; do
        log=$out/$s.log
        [[ -f $log && $(tail -n 1 "$log") == done ]] && continue
        echo "== $s"
        if "step_$s" 2>&1 | tee "$log"; then echo done >>"$log"; fi
    done
done
tar czf "$out/cache.tgz" -C "$work/cache" . 2>/dev/null || true
