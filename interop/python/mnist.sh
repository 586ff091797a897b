#!/usr/bin/env bash
# mnist.sh PYTHON FOLDER [ROUNDS]: trains mnist.py on a server of Oxbow and on one of TensorFlow in turns, ROUNDS times (3), with
# MNIST's files in FOLDER; prints accuracies and speeds, and how many times TensorFlow's speed ours is (medians).
set -euo pipefail

python=$1 folder=$2 rounds=${3:-3}
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
work=$(mktemp -d)
server= port=$((20000 + RANDOM % 20000))

stop() {
    [[ -z $server ]] || { kill "$server" && wait "$server"; } 2>/dev/null || true
    server=
}
trap 'stop; rm -rf "$work"' EXIT

"$root/oxbow" --version >/dev/null
for ((i = 1; i <= rounds; i++)); do
    for system in oxbow tensorflow; do
        printf '{"worker": ["127.0.0.1:%d"]}\n' $((++port)) >"$work/cluster.json"
        if [[ $system == oxbow ]]; then
            "$root/oxbow" server --job worker --task 0 --cluster "$work/cluster.json" >"$work/log" 2>&1 &
        else
            TF_CPP_MIN_LOG_LEVEL=3 "$python" -c "
import json, tensorflow as tf
tf.compat.v1.train.Server(json.load(open('$work/cluster.json')), job_name='worker', task_index=0).join()" >"$work/log" 2>&1 &
        fi
        server=$!
        "$python" "$root/interop/python/mnist.py" "grpc://127.0.0.1:$port" "$folder" 2>/dev/null | tail -n 1 | tee -a "$work/$system" | sed "s/^/$system: /"
        stop
    done
done
median() {
    sed 's/.*, \([0-9]*\) images.*/\1/' "$1" | sort -n | awk '{v[NR] = $1} END {print v[int((NR + 1) / 2)]}'
}
awk -v a="$(median "$work/oxbow")" -v b="$(median "$work/tensorflow")" 'BEGIN {printf "oxbow is %.2f times as fast as tensorflow\n", a / b}'
