"""Records which ops TensorFlow registers a gradient for: gradients.py OUT.txt, with TensorFlow 2.x.

Each line is an op and whether it has one ("yes") or ends paths ("none"); ops that are in neither list raise a LookupError there."""
import os
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
import tensorflow as tf
from tensorflow.python.framework import op_def_registry, ops
from tensorflow.python.ops import (  # noqa: F401 - they register gradients
    array_grad, batch_ops, bitwise_ops, clustering_ops, control_flow_grad, cudnn_rnn_grad, data_flow_grad, image_grad,
    linalg_grad, manip_grad, math_grad, nn_grad, optional_grad, random_grad, sdca_ops, sparse_grad, state_grad,
    tensor_array_grad)
from tensorflow.python.ops.linalg.sparse import sparse_csr_matrix_grad  # noqa: F401
from tensorflow.python.ops.signal import fft_ops  # noqa: F401

with open(sys.argv[1], "w") as out:
    for name in sorted(ops._gradient_registry.list()):
        if op_def_registry.get(name) is not None:
            out.write("%s %s\n" % (name, "none" if ops._gradient_registry.lookup(name) is None else "yes"))
