#!/usr/bin/env bash
# clients.sh PYTHON FOLDER: runs session.py and between_graph.py of FOLDER with a Python that has TensorFlow, on clusters of
# Oxbow's servers, of 1, 2 and 4 tasks, and on pairs with one server of TensorFlow, either as master; and the white paper's
# first program. Exits 1 when one fails.
set -uo pipefail

python=$1 programs=$(cd "$2" && pwd)
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
work=$(mktemp -d)
servers=() failed=0 port=$((20000 + RANDOM % 20000))

stop() {
    ((${#servers[@]})) && kill "${servers[@]}" 2>/dev/null
    wait "${servers[@]}" 2>/dev/null
    servers=()
}
trap 'stop; rm -rf "$work"' EXIT

# Writes cluster.json for JOB=COUNT..., on ports of its own.
cluster() {
    local text= job addresses i
    for job in "$@"; do
        addresses=
        for ((i = 0; i < ${job#*=}; i++)); do addresses+="${addresses:+, }\"127.0.0.1:$((port++))\""; done
        text+="${text:+, }\"${job%=*}\": [$addresses]"
    done
    printf '{%s}\n' "$text" >"$work/cluster.json"
}

# Starts task $2 of job $1 by system $3, oxbow or tensorflow.
start() {
    if [[ $3 == oxbow ]]; then
        "$root/oxbow" server --job "$1" --task "$2" --cluster "$work/cluster.json" >"$work/$1-$2.log" 2>&1 &
    else
        TF_CPP_MIN_LOG_LEVEL=3 "$python" -c "
import json, tensorflow as tf
tf.compat.v1.train.Server(json.load(open('$work/cluster.json')), job_name='$1', task_index=$2).join()" >"$work/$1-$2.log" 2>&1 &
    fi
    servers+=($!)
}

# Says how the program that follows a name ended.
check() {
    local name=$1
    shift
    if timeout 300 "$@" >"$work/out" 2>&1 && grep -q '^PASSED' "$work/out"; then
        printf 'passed  %s\n' "$name"
    else
        printf 'FAILED  %s\n' "$name"
        tail -n 5 "$work/out"
        failed=1
    fi
    stop
}

# session.py on the systems given, the first of which is master.
session() {
    local i=0 system
    cluster "worker=$#"
    for system in "$@"; do start worker $((i++)) "$system"; done
    check "session on $*" "$python" "$programs/session.py" "grpc://127.0.0.1:$((port - $#))"
}

# between_graph.py in mode $1 on a ps of system $2 and two workers of systems $3 and $4.
between() {
    local other
    cluster ps=1 worker=2
    start ps 0 "$2"
    start worker 0 "$3"
    start worker 1 "$4"
    "$python" "$programs/between_graph.py" "$1" "$work/cluster.json" worker 1 >"$work/other" 2>&1 &
    other=$!
    servers+=("$other")
    check "between graph, $*" "$python" "$programs/between_graph.py" "$1" "$work/cluster.json" worker 0
}

# The first program of the white paper, on one task.
paper() {
    cluster worker=1
    start worker 0 oxbow
    check "white paper on oxbow" "$python" "$root/interop/python/whitepaper.py" "grpc://127.0.0.1:$((port - 1))"
}

"$root/oxbow" --version >/dev/null
paper
session oxbow
session oxbow oxbow
session oxbow oxbow oxbow oxbow
session oxbow tensorflow
session tensorflow oxbow
for mode in async sync; do
    between "$mode" oxbow oxbow oxbow
    between "$mode" tensorflow oxbow oxbow
    between "$mode" oxbow tensorflow oxbow
done
exit "$failed"
