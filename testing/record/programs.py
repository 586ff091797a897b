"""Records sessions that samples of single ops cannot show: programs.py OUT.zip, with TensorFlow 2.x."""

import base64
import json
import sys
import zipfile

import numpy as np
import tensorflow as tf
from tensorflow.python.ops import gen_data_flow_ops, gen_lookup_ops

v1 = tf.compat.v1
raw = tf.raw_ops
programs = {}


def program(build):
    """A function that builds a graph and returns its runs: lists of fetches and targets."""
    programs[build.__name__] = build
    return build


def variant(value):
    """A scalar of the type that TensorFlow's own tests register, int."""
    from tensorflow.core.framework import tensor_pb2, tensor_shape_pb2, types_pb2
    data = tensor_pb2.VariantTensorDataProto(type_name=b"int", metadata=np.array(value, np.int32).tobytes())
    proto = tensor_pb2.TensorProto(
        dtype=types_pb2.DT_VARIANT, tensor_shape=tensor_shape_pb2.TensorShapeProto(), variant_val=[data])
    return v1.get_default_graph().create_op(
        "Const", [], [tf.variant],
        attrs={"value": v1.AttrValue(tensor=proto), "dtype": v1.AttrValue(type=types_pb2.DT_VARIANT)}).outputs[0]


# ---- tensor arrays


@program
def a_gradient_array_has_what_the_last_split_wrote():
    x = v1.placeholder_with_default(np.float32([1, 2, 3]), [3])
    ta = tf.TensorArray(tf.float32, 0, dynamic_size=True, infer_shape=False, element_shape=[None])
    grown = ta.split(x, [1, 2]).write(2, [7., 8.])
    return [[v1.gradients(grown.concat(), x)[0], grown.concat()]]


@program
def a_dynamic_array_is_not_split_into_less_than_it_has():
    h, f = raw.TensorArrayV3(size=3, dtype=tf.float32, dynamic_size=True)
    return [[raw.TensorArraySplitV3(handle=h, value=[1., 2.], lengths=np.int64([1, 1]), flow_in=f)]]


# ---- control flow


def variables(reference, *values):
    return [v1.get_variable("v%d" % i, initializer=np.float32(v), use_resource=not reference)
            for i, v in enumerate(values)]


def branch(predicate, then, otherwise):
    v1.enable_control_flow_v2()
    try:
        return v1.cond(predicate, then, otherwise)
    finally:
        v1.disable_control_flow_v2()


def effects(reference):
    v, w = variables(reference, 1, 2)
    p = v1.placeholder_with_default(True, [])
    a, b = branch(p, lambda: (v1.assign_add(v, 10.) + 0, v1.assign_add(w, 20.) + 0), lambda: (v + 0, w + 0))
    one, other = tf.identity(a), tf.identity(b)
    read = [tf.identity(v), tf.identity(w)]
    return [v1.global_variables_initializer(), [one], read, [other], read, [one, other], read]


@program
def of_a_branch_only_what_leads_to_a_fetched_value_runs():
    return effects(reference=False)


@program
def a_reference_is_read_in_the_branch_that_is_taken():
    v, = variables(True, 5)
    p = v1.placeholder_with_default(True, [])
    reference = v._ref()
    y = tf.identity(branch(p, lambda: reference + 1, lambda: reference * 3))
    return [v1.global_variables_initializer(), [y], v1.assign(v, 7.).op, [y]]


@program
def a_loop_does_what_its_values_need():
    v, w = variables(False, 0, 0)
    v1.enable_control_flow_v2()

    def body(i, x):
        v1.assign_add(w, 1.)
        with tf.control_dependencies([v1.assign_add(v, 1.)]):
            return i + 1, x * 2
    _, x = v1.while_loop(lambda i, x: i < 3, body, [0, 1.])
    v1.disable_control_flow_v2()
    return [v1.global_variables_initializer(), [tf.identity(x)], [tf.identity(v), tf.identity(w)]]


# ---- handles


@program
def handles_of_the_first_generation_are_two_strings():
    named = lambda name: dict(name=name, shared_name="shared_" + name)  # others have a number of the process in their name
    made = [
        gen_data_flow_ops.fifo_queue([tf.float32], **named("fifo")),
        gen_data_flow_ops.random_shuffle_queue([tf.float32], container="box", **named("shuffle")),
        gen_data_flow_ops.priority_queue([[]], [tf.float32], **named("priority")),
        gen_data_flow_ops.padding_fifo_queue([tf.float32], shapes=[[]], **named("padding")),
        gen_data_flow_ops.barrier([tf.float32], shapes=[[]], **named("barrier")),
        gen_data_flow_ops.conditional_accumulator(tf.float32, [], **named("dense")),
        gen_data_flow_ops.sparse_conditional_accumulator(tf.float32, [2], **named("sparse")),
        gen_lookup_ops.hash_table(tf.string, tf.int64, **named("table")),
        gen_lookup_ops.mutable_hash_table(tf.string, tf.int64, **named("mutable"))]
    return [[m] for m in made]


# ---- single rules


@program
def a_sparse_gradient_may_have_an_empty_dense_shape():
    a = v1.SparseConditionalAccumulator(tf.float32)
    put = gen_data_flow_ops.sparse_accumulator_apply_gradient(
        a.accumulator_ref, np.int64(0), np.int64([1]), np.float32([[1, 2]]), np.zeros([0], np.int64), True)
    taken = a.take_indexed_slices_grad(1)
    return [put, [taken.indices, taken.values, taken.dense_shape]]


@program
def a_handle_is_no_constant():
    v, = variables(False, 1)
    return [v1.global_variables_initializer(), [raw.GuaranteeConst(input=v.read_value())],
            raw.GuaranteeConst(input=v.handle).op]


@program
def a_call_names_an_executor_that_exists():
    @tf.function
    def f(x):
        return x + 1
    c = f.get_concrete_function(tf.TensorSpec([], tf.float32))
    c.add_to_graph()
    calls = [call(args=[2.], Tout=[tf.float32], f=c, executor_type=e)[0]
             for call in (raw.PartitionedCall, raw.StatefulPartitionedCall)
             for e in ("", "DEFAULT", "SINGLE_THREADED_EXECUTOR", "NO_SUCH_EXECUTOR")]
    return [[y] for y in calls]


@program
def a_table_that_is_filled_once_is_not_filled_with_nothing():
    none = np.zeros([0], np.int64)
    h = [raw.HashTableV2(key_dtype=tf.int64, value_dtype=tf.int64, shared_name=n) for n in "ab"]
    return [raw.LookupTableImportV2(table_handle=h[0], keys=none, values=none),
            raw.InitializeTableV2(table_handle=h[1], keys=none, values=none)]


@program
def a_removed_key_leaves_its_value():
    h = raw.MutableDenseHashTableV2(empty_key=np.int64(-1), deleted_key=np.int64(-2), value_dtype=tf.int64,
                                    initial_num_buckets=8, shared_name="t")
    export = list(raw.LookupTableExportV2(table_handle=h, Tkeys=tf.int64, Tvalues=tf.int64))
    return [raw.LookupTableInsertV2(table_handle=h, keys=np.int64([1, 2, 3]), values=np.int64([11, 12, 13])),
            raw.LookupTableRemoveV2(table_handle=h, keys=np.int64([2])), export,
            raw.LookupTableInsertV2(table_handle=h, keys=np.int64([10, 3]), values=np.int64([14, 15])), export]


@program
def variants_of_numbers_have_sums_and_zeros():
    return [tf.raw_ops.AddN(inputs=[variant(3), variant(4)]).op, raw.ZerosLike(x=variant(3)).op]


@program
def serialised_values_are_content():
    sparse = dict(sparse_indices=np.int64([[0, 1], [1, 0]]), sparse_shape=np.int64([2, 2]))
    return [[raw.SerializeSparse(sparse_values=["ab", ""], **sparse)],
            [raw.SerializeManySparse(sparse_values=["ab", "c"], **sparse)],
            [raw.SerializeManySparse(sparse_values=np.float32([1, 2]), **sparse)],
            [raw.SerializeTensor(tensor=t) for t in (["ab", "c"], 7, np.float32([1, 2]), np.zeros([0], np.int32))]]


@program
def a_shape_is_a_vector():
    s = v1.placeholder_with_default(np.int32(3), None)
    seed = [1, 2]
    fetched = [
        raw.Fill(dims=s, value=1.), raw.Reshape(tensor=tf.ones([3]), shape=s),
        raw.BroadcastTo(input=tf.ones([3]), shape=s), raw.Empty(shape=s, dtype=tf.float32),
        raw.ScatterNd(indices=[[0]], updates=[1.], shape=s), raw.RandomUniform(shape=s, dtype=tf.float32, seed=1),
        raw.RandomUniformInt(shape=s, minval=1, maxval=5, seed=1),
        raw.RandomStandardNormal(shape=s, dtype=tf.float32, seed=1),
        raw.TruncatedNormal(shape=s, dtype=tf.float32, seed=1), raw.RandomGamma(shape=s, alpha=[1.], seed=1),
        raw.RandomPoissonV2(shape=s, rate=[1.], seed=1), raw.StatelessRandomUniform(shape=s, seed=seed),
        raw.StatelessRandomNormal(shape=s, seed=seed), raw.StatelessTruncatedNormal(shape=s, seed=seed),
        raw.StatelessRandomUniformInt(shape=s, seed=seed, minval=1, maxval=5),
        raw.StatelessRandomGammaV2(shape=s, seed=seed, alpha=2.),
        raw.StatelessRandomPoisson(shape=s, seed=seed, lam=2., dtype=tf.float32),
        raw.StatelessRandomUniformV2(shape=s, key=np.uint64([1]), counter=np.uint64([1, 2]), alg=1),
        raw.StridedSliceGrad(shape=s, begin=[0], end=[1], strides=[1], dy=[1.]),
        raw.TensorListLength(
            input_handle=raw.TensorListFromTensor(tensor=tf.ones([2, 3]), element_shape=s)),
        raw.TensorListStack(
            input_handle=raw.TensorListFromTensor(tensor=tf.ones([2, 3]), element_shape=[3]), element_shape=s,
            element_dtype=tf.float32)]
    return [[f] for f in fetched]


@program
def unsorted_top_elements_lie_as_in_a_heap():
    random = np.random.RandomState(7)
    x, y = random.randint(0, 20, [4, 17]).astype(np.float32), random.randint(0, 9, [3, 40])
    return [list(raw.TopKV2(input=z, k=k, sorted=False)) for z in (x, y) for k in (1, 2, 3, 5, 8, 13, 16, 17)] + [
        list(raw.TopKV2(input=x, k=4, sorted=True))]


# ---- draws in loops


def draws(count, parallel, lowered, draw, first=False):
    (v1.enable_control_flow_v2 if lowered else v1.disable_control_flow_v2)()
    arrays = [tf.TensorArray(tf.float32, count) for _ in range(2)]

    def body(i, a, b):
        if first:
            return i + 1, a.write(i, draw(1)), b.write(i, draw(2) + tf.cast(i, tf.float32))
        x, y = draw(1), draw(2)
        return i + 1, a.write(i, x), b.write(i, y)
    _, a, b = v1.while_loop(lambda i, *_: i < count, body, [0] + arrays, parallel_iterations=parallel)
    fetched = [a.stack(), b.stack()]
    v1.disable_control_flow_v2()
    return [fetched, fetched]


def uniform(seed):
    return tf.random.uniform([2], seed=seed)


@program
def the_first_iterations_draw_in_reverse():
    return draws(5, 10, False, uniform)


@program
def later_iterations_draw_in_order():
    return draws(25, 10, False, uniform) + draws(11, 4, False, uniform) + draws(6, 1, False, uniform)


@program
def lowered_loops_draw_so_too():
    return draws(5, 10, True, uniform) + draws(15, 10, True, uniform)


@program
def loops_that_step_first_draw_so_too():
    return draws(5, 10, False, uniform, first=True) + draws(11, 4, True, uniform, first=True)


@program
def a_loop_that_needs_the_draw_takes_it_in_order():
    def body(i, x):
        y = x + tf.random.uniform([], seed=3)
        return i + 1, y
    runs = [v1.while_loop(lambda i, x: x < 4., body, [0, 0.])]
    return [list(r) for r in runs]


def tensor(value, dtype):
    if dtype in (tf.resource, tf.variant):
        return {"dtype": dtype.name, "shape": []}
    value = np.asarray(value, object if dtype == tf.string else None)  # without, zeros at the end of strings go
    if dtype == tf.string:
        data = [base64.b64encode(b).decode() for b in value.ravel()]
    else:
        data = base64.b64encode(value.tobytes()).decode()
    return {"dtype": dtype.name, "shape": list(value.shape), "data": data}


def record(build):
    graph = tf.Graph()
    with graph.as_default():
        v1.set_random_seed(5)
        asked = build()
        runs = []
        config = v1.ConfigProto(inter_op_parallelism_threads=1)
        config.graph_options.rewrite_options.disable_meta_optimizer = "draw" not in build.__name__  # changes their order
        with v1.Session(config=config) as session:
            for a in asked:
                fetches, targets = (a, []) if isinstance(a, list) else ([], [a])
                run = {"feeds": {}, "fetches": [f.name for f in fetches], "targets": [t.name for t in targets]}
                try:
                    values = session.run(fetches + targets)
                    run["outputs"] = [tensor(x, f.dtype.base_dtype) for x, f in zip(values, fetches)]
                except tf.errors.OpError as e:
                    run["error"] = type(e).__name__
                    print(e, file=sys.stderr)
                runs.append(run)
    return graph.as_graph_def().SerializeToString(), runs


def main(out):
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as z:
        for name, build in programs.items():
            graph, runs = record(build)
            for file, content in (("graph.pb", graph), ("runs.json", json.dumps(runs))):
                z.writestr(zipfile.ZipInfo(f"{name}/{file}", (2020, 1, 1, 0, 0, 0)), content, zipfile.ZIP_DEFLATED)
            print(name, [r.get("error", "ok") for r in runs])


if __name__ == "__main__":
    main(sys.argv[1])
