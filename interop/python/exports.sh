#!/usr/bin/env bash
# Trains the digits, exports them in every format and lets the Python packages compare. usage: PYTHON=python-with-them exports.sh
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
oxbow=${OXBOW:-$root/oxbow}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
$oxbow train digits --epochs 3 --checkpoints "$folder/kept"
for to in model.onnx model.pb model.safetensors model.npz model.ckpt saved; do
    $oxbow export digits --checkpoints "$folder/kept" --to "$folder/$to"
done
"${PYTHON:-python3}" -c "import numpy, sys; numpy.save(sys.argv[1], numpy.random.default_rng(1).random((5, 64), dtype='float32'))" "$folder/x.npy"
$oxbow predict digits --checkpoints "$folder/kept" --input "$folder/x.npy" --output "$folder/y.npy"
"${PYTHON:-python3}" "$(dirname "$0")/exports.py" "$folder"
