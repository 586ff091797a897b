#!/usr/bin/env bash
# card.sh [STEP...]: on the machine with the card, checks first and then times, each step by itself; OUT (default: ./out) gets the
# logs and the compiled kernels. A step whose log ends in "done" is not repeated, so a run that was cut off goes on where it was.
#   check    ops against TensorFlow's answers
#   train    200 steps of the training workloads against the CPU
#   time     kernels and training steps in f32, then with products in tf32, in turns with PyTorch at its best where that is
#   profile  how long each kernel of the training steps takes
set -uo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
out=${OUT:-$PWD/out}
work=${OXBOW_CARD_WORK:-/tmp/oxbow-card}
mkdir -p "$out" "$work"
[[ -d $work/jre ]] || tar xzf "$here/card.tgz" -C "$work"
modules=dev.oxbow.tensor,dev.oxbow.kernels,dev.oxbow.cuda
java=("$work/jre/bin/java" -Xmx24g -XX:+UseSerialGC -Xmn64m "-Doxbow.cuda.cache=$work/cache" --add-modules jdk.incubator.vector)

oxbow() { "${java[@]}" "--enable-native-access=$modules" --module-path "$work/mods" -m dev.oxbow.cli/dev.oxbow.cli.Main "$@"; }
bench() {
    "${java[@]}" --enable-native-access=ALL-UNNAMED "$@" 2>&1 | grep -v 'incubator modules'
}
peer=()
python3 -c 'import torch' 2>/dev/null && [[ -d $work/workloads ]] && peer=(--python --workloads "$work/workloads")
gpu=("-Doxbow.root=$work" -cp "$work/bench:$work/mods/*" dev.oxbow.benchmarks.Main gpu)

step_check() {
    oxbow doctor
    for zip in "$work"/answers/*.zip; do
        echo "$(basename "$zip" .zip): $(oxbow conformance "$zip" 2>&1 | tail -n 3 | cut -c1-400)"
    done
}
step_train() { bench "${gpu[@]}" --only mlp,cnn,transformer,embedding,lstm --steps 200 --tolerance 1e-3 --seconds 0.2; }
step_time() {
    bench "${gpu[@]}" "${peer[@]}" --json "$out/f32.json"
    bench -Doxbow.matmul=tf32 "${gpu[@]}" "${peer[@]}" --only =mlp,cnn,transformer,embedding,lstm --steps 3 --tolerance 1e-2 \
        --json "$out/tf32.json"
}
step_profile() {
    for w in =mlp cnn transformer embedding lstm =gpt2 =resnet50; do
        echo "== $w"
        bench -Doxbow.cuda.profile=true -Dorg.slf4j.simpleLogger.defaultLogLevel=info "${gpu[@]}" \
            --only "$w" --steps 0 --rounds 1 --seconds 0.05 | grep ' x \|call'
    done
}
for step in "${@:-check train time profile}"; do
    for s in $step; do
        log=$out/$s.log
        [[ -f $log && $(tail -n 1 "$log") == done ]] && continue
        echo "== $s"
        if "step_$s" 2>&1 | tee "$log"; then echo done >>"$log"; fi
    done
done
tar czf "$out/cache.tgz" -C "$work/cache" . 2>/dev/null || true
