"""features.py TARGET [theirs]: what a client of TensorFlow can ask of a cluster beyond runs of a session; prints a line for each and ends with PASSED.

Devices are those of the cluster that the target belongs to: one task is enough, variables are spread over more where they are.
With "theirs" there are servers of TensorFlow among them, which keep no values for a session's handles."""
import glob
import os
import sys
import tempfile

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import numpy as np
import tensorflow as tf

v1 = tf.compat.v1
v1.disable_v2_behavior()
v1.logging.set_verbosity(v1.logging.ERROR)
target, keeps = sys.argv[1], sys.argv[2:] != ["theirs"]


def holds(what, truth, seen=""):
    if not truth:
        sys.exit("FAILED %s: %s" % (what, seen))
    print("ok", what)


def raises(what, error, run, *words):
    """The client raises this class of error, and its text has these words."""
    try:
        run()
    except tf.errors.OpError as e:
        holds(what, type(e) is error and all(w in str(e) for w in words), "%s: %s" % (type(e).__name__, e))
    else:
        sys.exit("FAILED %s: no error" % what)


with v1.Session(target) as s:
    tasks = sorted({d.name.split("/device")[0] for d in s.list_devices() if "CPU" in d.name})
first, last = tasks[0], tasks[-1]


def feature(run):
    """Each on containers without anything of the last one."""
    v1.Session.reset(target)
    with tf.Graph().as_default(), tempfile.TemporaryDirectory() as folder:
        run(folder)


@feature
def run_options(_):
    options = v1.RunOptions
    x = v1.placeholder(tf.float32, [2, 2])
    with tf.device(first):
        a = tf.matmul(x, x, name="product")
    with tf.device(last):
        b = tf.reduce_sum(a, name="sum")
    blocked = v1.FIFOQueue(1, [tf.float32]).dequeue()
    with v1.Session(target) as s:
        for level in (options.NO_TRACE, options.SOFTWARE_TRACE, options.HARDWARE_TRACE, options.FULL_TRACE):
            seen = v1.RunMetadata()
            s.run(b, {x: np.ones((2, 2))}, options=options(trace_level=level), run_metadata=seen)
            named = {n.node_name.split(":")[0] for d in seen.step_stats.dev_stats for n in d.node_stats}
            holds("trace level %d" % level, ("product" in named) if level == options.FULL_TRACE else level or not named, named)
        graphs = v1.RunMetadata()
        s.run(b, {x: np.ones((2, 2))}, options=options(output_partition_graphs=True), run_metadata=graphs)
        holds("graphs of partitions", sum(len(g.node) for g in graphs.partition_graphs) > 1, graphs)
        raises("a timeout ends a step", tf.errors.DeadlineExceededError, lambda: s.run(blocked, options=options(timeout_in_ms=300)))
    with v1.Session(target, config=v1.ConfigProto(operation_timeout_in_ms=3000)) as s:
        raises("a timeout of the session ends a step", tf.errors.DeadlineExceededError, lambda: s.run(blocked))


@feature
def callables(_):
    x, y = v1.placeholder(tf.float32, []), v1.placeholder(tf.float32, [])
    product, v = x * y, v1.get_variable("v", initializer=0.0)
    add = v.assign_add(x)
    with v1.Session(target) as s:
        s.run(v.initializer)
        call = s.make_callable([product, x + y], [x, y])
        holds("a callable with feeds", [call(2.0, 3.0), call(4.0, 5.0)] == [[6.0, 5.0], [20.0, 9.0]])
        act = s.make_callable(add.op, [x])
        act(1.5), act(2.5)
        holds("a callable of an operation", s.make_callable(v)() == 4.0)
        seen = v1.RunMetadata()
        s.make_callable(product, [x, y], accept_options=True)(
            1.0, 2.0, options=v1.RunOptions(trace_level=v1.RunOptions.FULL_TRACE), run_metadata=seen)
        holds("a callable with options", len(seen.step_stats.dev_stats) > 0)


@feature
def partitioned_and_sharded(folder):
    def model(parts):
        with v1.device(lambda op: tasks[int(op.name.split("part_")[1][0]) % len(tasks)] if "part_" in op.name else None):
            w = v1.get_variable("w", [10, 3], partitioner=v1.fixed_size_partitioner(parts), initializer=v1.random_normal_initializer(seed=3))
        return w, tf.convert_to_tensor(w)

    w, whole = model(2)
    with v1.Session(target) as s:
        s.run(v1.global_variables_initializer())
        before = s.run(whole)
        path = v1.train.Saver(sharded=True).save(s, folder + "/model", global_step=7)
    holds("a shard for each task", len(glob.glob(path + ".data-*")) == min(2, len(tasks)), os.listdir(folder))
    holds("TensorFlow reads them", np.array_equal(v1.train.load_checkpoint(path).get_tensor("w"), before))
    for parts in (1, 3):
        v1.Session.reset(target)
        with tf.Graph().as_default(), v1.Session(target) as s:
            w, whole = model(parts)
            v1.train.Saver(sharded=parts == 3).restore(s, path)
            holds("restored in %d parts" % parts, np.array_equal(s.run(whole), before))


@feature
def queue_runners(folder):
    names = []
    for i in range(3):
        names.append("%s/%d.txt" % (folder, i))
        with open(names[-1], "w") as f:
            f.write("".join("%d,%d\n" % (i, j) for j in range(20)))
    files = v1.train.string_input_producer(names, num_epochs=2, shuffle=False)
    _, line = v1.TextLineReader().read(files)
    columns = tf.io.decode_csv(line, [[0], [0]])
    batch = v1.train.shuffle_batch(columns, 8, capacity=64, min_after_dequeue=8, num_threads=2, allow_smaller_final_batch=True)
    rows = []
    with v1.Session(target) as s:
        s.run(v1.local_variables_initializer())
        stop = v1.train.Coordinator()
        threads = v1.train.start_queue_runners(s, coord=stop)
        try:
            while not stop.should_stop():
                rows += zip(*s.run(batch))
        except tf.errors.OutOfRangeError:
            stop.request_stop()
        stop.join(threads, stop_grace_period_secs=30)
    holds("queue runners read each line twice", sorted(rows) == sorted(2 * [(i, j) for i in range(3) for j in range(20)]), len(rows))


@feature
def monitored_session(folder):
    def train(until):
        with tf.Graph().as_default():
            step = v1.train.get_or_create_global_step()
            x = v1.get_variable("x", initializer=10.0)
            loss = tf.square(x)
            v1.summary.scalar("loss", loss)
            op = v1.train.GradientDescentOptimizer(0.1).minimize(loss, global_step=step)
            hooks = [v1.train.StopAtStepHook(last_step=until), v1.train.NanTensorHook(loss), v1.train.StepCounterHook(every_n_steps=5, output_dir=folder)]
            with v1.train.MonitoredTrainingSession(target, checkpoint_dir=folder, hooks=hooks, save_checkpoint_steps=5, save_summaries_steps=2) as s:
                begun = s.run(step)
                while not s.should_stop():
                    s.run(op)
                    at = None if s.should_stop() else s.run(x)
            return begun

    holds("MonitoredTrainingSession begins at 0", train(10) == 0)
    v1.Session.reset(target)
    holds("and goes on from its checkpoint", train(20) == 10)
    got = v1.train.load_checkpoint(folder)
    holds("with the numbers of 20 steps", abs(got.get_tensor("x") - 10 * 0.8**20) < 1e-5, got.get_tensor("x"))
    events = [v.tag for f in glob.glob(folder + "/events*") for e in v1.train.summary_iterator(f) for v in e.summary.value]
    holds("and summaries in its folder", events.count("loss") >= 8, events)


@feature
def supervisor(folder):
    step = v1.train.get_or_create_global_step()
    count = v1.assign_add(step, 1)
    v1.summary.scalar("step", step)
    chief = v1.train.Supervisor(logdir=folder, global_step=step, save_summaries_secs=0, save_model_secs=0)
    with chief.managed_session(target) as s:
        for _ in range(5):
            s.run(count)
        chief.saver.save(s, folder + "/model.ckpt", global_step=step)
    v1.Session.reset(target)
    with tf.Graph().as_default():
        with tf.device(first):
            step = v1.train.get_or_create_global_step()
        again = v1.train.Supervisor(logdir=folder, global_step=step, save_summaries_secs=0, save_model_secs=0)
        with again.managed_session(target) as s:
            holds("Supervisor restores what it saved", s.run(step) == 5)
        other = v1.train.Supervisor(is_chief=False, logdir=folder, global_step=step, saver=again.saver, recovery_wait_secs=1)
        with other.managed_session(target) as s:
            holds("and another waits for the chief's variables", s.run(step) == 5)


@feature
def replicas(_):
    parts = [t.split("/") for t in tasks]
    job = [p for p in parts[0] if p.startswith("job:")][0][4:]
    cluster = {job: ["127.0.0.1:%d" % (1 + i) for i in range(len(tasks))]}
    place = v1.train.replica_device_setter(ps_device="/job:" + job, worker_device=last, cluster=cluster, ps_tasks=len(tasks))
    with v1.device(place):
        step = v1.train.get_or_create_global_step()
        variables = [v1.get_variable("v%d" % i, [3], initializer=v1.ones_initializer()) for i in range(4)]
        loss = tf.add_n([tf.reduce_sum(tf.square(v)) for v in variables])
        optimizer = v1.train.SyncReplicasOptimizer(v1.train.GradientDescentOptimizer(0.25), replicas_to_aggregate=1, total_num_replicas=1)
        train = optimizer.minimize(loss, global_step=step)
    holds("replica_device_setter spreads variables", len({v.device for v in variables}) == min(4, len(tasks)), [v.device for v in variables])
    hook = optimizer.make_session_run_hook(is_chief=True, num_tokens=0)
    with v1.train.MonitoredTrainingSession(target, hooks=[hook, v1.train.StopAtStepHook(last_step=6)]) as s:
        while not s.should_stop():
            seen = s.run([loss, train])[0]
    # a step may read some variables before and others after the update that its chief makes meanwhile
    holds("SyncReplicasOptimizer applies what replicas gave", 12 * 0.25**6 - 1e-6 < seen < 12 * 0.25**5 + 1e-6, seen)


@feature
def handles(_):
    a = v1.placeholder(tf.float32, [2])
    keep = v1.get_session_handle(a * 2)
    fed = v1.placeholder(tf.float32, [2])
    evens = v1.data.make_one_shot_iterator(tf.data.Dataset.range(0, 10, 2))
    odds = v1.data.make_one_shot_iterator(tf.data.Dataset.range(1, 10, 2))
    handle = v1.placeholder(tf.string, [])
    either = v1.data.Iterator.from_string_handle(handle, tf.int64, []).get_next()
    with v1.Session(target) as s:
        if keeps:
            kept = s.run(keep, {a: [1.0, 2.0]})
            holder, value = v1.get_session_tensor(kept.handle, tf.float32)
            holds("a value stays on the server and is fed by its handle", s.run(value + 1, {holder: kept.handle}).tolist() == [3.0, 5.0])
            holds("or the handle is fed for the value", [x.tolist() for x in s.run([fed - 1, fed], {fed: kept})] == [[1.0, 3.0], [2.0, 4.0]])
            kept.delete()
            raises("and is gone when it is deleted", tf.errors.InvalidArgumentError, lambda: s.run(value, {holder: kept.handle}))
        even, odd = s.run([evens.string_handle(), odds.string_handle()])
        holds("iterators are fed by handles", [s.run(either, {handle: h}) for h in (even, odd, even, odd)] == [0, 1, 2, 3])


@feature
def errors(_):
    x = v1.placeholder_with_default(np.ones((2, 3), "f4"), None)
    with tf.device(last), tf.name_scope("deep"):
        bad = tf.matmul(x, x, name="product")
        wrong = v1.Assert(tf.constant(False), ["values are", tf.constant(7)], name="claim")
        checked = v1.check_numerics(tf.math.log(tf.constant(-1.0) * tf.reduce_sum(x)), "bad", name="finite")
        parsed = v1.string_to_number(v1.placeholder_with_default("abc", []), name="parsed")
    gone = v1.get_variable("gone", [2], use_resource=True)
    with tf.device(last):
        used = tf.add(gone, 1.0, name="used")
    with v1.Session(target) as s:
        raises("a wrong shape", tf.errors.InvalidArgumentError, lambda: s.run(bad), "node deep/product", "[2,3]")
        raises("a claim that does not hold", tf.errors.InvalidArgumentError, lambda: s.run(wrong), "node deep/claim", "values are")
        raises("a number that is none", tf.errors.InvalidArgumentError, lambda: s.run(checked), "node deep/finite", "bad", "NaN")
        raises("a text that is no number", tf.errors.InvalidArgumentError, lambda: s.run(parsed), "node deep/parsed", "abc")
        raises("a variable without a value", tf.errors.FailedPreconditionError, lambda: s.run(used), "gone", "node ")
        try:
            s.run(bad)
        except tf.errors.OpError as e:
            holds("the client knows the op", e.op is not None and e.op.name == "deep/product", e.op)
            from tensorflow.python.framework import error_interpolation
            name = getattr(error_interpolation, "interpolate", None) or error_interpolation.interpolate_graph
            holds("and interpolates where it was made", "defined at" in e.message or "features.py" in str(name(e.message, v1.get_default_graph())), e.message)


print("PASSED")
