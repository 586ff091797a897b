#!/usr/bin/env bash
# clients.sh [--times N] FOLDER PYTHON...: runs session.py and between_graph.py of FOLDER, features.py and the white paper's first
# program with each Python, all of which have TensorFlow, on clusters of Oxbow's servers, of 1, 2 and 4 tasks, and on clusters with
# servers of the first Python's TensorFlow: pairs, either as master, parameter servers under workers of the other system; and
# features.py on TensorFlow's servers alone. Exits 1 when one fails.
set -uo pipefail

times=1
[[ $1 == --times ]] && { times=$2; shift 2; }
programs=$(cd "$1" && pwd) theirs=$2
shift
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
work=$(mktemp -d)
servers=() passed=0 failed=0 port=$((20000 + RANDOM % 20000)) python=

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
        TF_CPP_MIN_LOG_LEVEL=3 "$theirs" -c "
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
        passed=$((passed + 1))
    else
        printf 'FAILED  %s\n' "$name"
        tail -n 5 "$work/out"
        failed=$((failed + 1))
    fi
    stop
}

# Program $1 on the systems that follow, the first of which is master.
session() {
    local i=0 system program=$1 note=()
    shift
    [[ $program == */features.py && " $* " == *" tensorflow "* ]] && note=(theirs)
    cluster "worker=$#"
    for system in "$@"; do start worker $((i++)) "$system"; done
    check "$version, $(basename "$program" .py) on $*" "$python" "$program" "grpc://127.0.0.1:$((port - $#))" ${note[@]+"${note[@]}"}
}

# between_graph.py in mode $1 with parameter servers of systems $2 (comma-separated) and workers of systems $3.
between() {
    local mode=$1 ps workers i
    IFS=, read -ra ps <<<"$2"
    IFS=, read -ra workers <<<"$3"
    cluster "ps=${#ps[@]}" "worker=${#workers[@]}"
    for ((i = 0; i < ${#ps[@]}; i++)); do start ps "$i" "${ps[i]}"; done
    for ((i = 0; i < ${#workers[@]}; i++)); do start worker "$i" "${workers[i]}"; done
    for ((i = 1; i < ${#workers[@]}; i++)); do
        "$python" "$programs/between_graph.py" "$mode" "$work/cluster.json" worker "$i" >"$work/other$i" 2>&1 &
        servers+=($!)
    done
    check "$version, between graph, $*" "$python" "$programs/between_graph.py" "$mode" "$work/cluster.json" worker 0
}

"$root/oxbow" --version >/dev/null
for ((turn = 1; turn <= times; turn++)); do
    for python in "$@"; do
        version=$("$python" -c 'from importlib import import_module as i
try: print(i("importlib.metadata").version("tensorflow-cpu"))
except Exception: print(i("tensorflow").__version__)' 2>/dev/null)
        session "$root/interop/python/whitepaper.py" oxbow
        for program in "$programs/session.py" "$root/interop/python/features.py"; do
            session "$program" oxbow
            session "$program" oxbow oxbow
            session "$program" oxbow oxbow oxbow oxbow
            session "$program" oxbow tensorflow
            session "$program" tensorflow oxbow
        done
        session "$root/interop/python/features.py" tensorflow tensorflow
        for mode in async sync; do
            between "$mode" oxbow oxbow,oxbow
            between "$mode" oxbow,oxbow oxbow,oxbow
            between "$mode" tensorflow oxbow,oxbow
            between "$mode" oxbow tensorflow,tensorflow
            between "$mode" oxbow tensorflow,oxbow
            between "$mode" tensorflow,oxbow oxbow,tensorflow
        done
    done
done
printf '%d passed, %d failed\n' "$passed" "$failed"
((failed == 0))
