package dev.oxbow.benchmarks;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.tensorflow.Graph;
import org.tensorflow.Operand;
import org.tensorflow.Output;
import org.tensorflow.Result;
import org.tensorflow.Session;
import org.tensorflow.ndarray.Shape;
import org.tensorflow.ndarray.buffer.DataBuffers;
import org.tensorflow.ndarray.buffer.FloatDataBuffer;
import org.tensorflow.op.Op;
import org.tensorflow.op.Ops;
import org.tensorflow.op.core.Gradients;
import org.tensorflow.op.core.Placeholder;
import org.tensorflow.op.core.Split;
import org.tensorflow.op.core.Variable;
import org.tensorflow.op.math.Mean;
import org.tensorflow.op.nn.SparseSoftmaxCrossEntropyWithLogits;
import org.tensorflow.op.train.BatchMatMul;
import org.tensorflow.proto.ConfigProto;
import org.tensorflow.proto.GraphOptions;
import org.tensorflow.proto.RewriterConfig;
import org.tensorflow.types.TFloat32;
import org.tensorflow.types.TInt32;
import org.tensorflow.types.family.TType;

/** The workloads in TensorFlow Java, in graph mode with its own gradients. */
final class TensorFlowPeer implements Peer {
    private final int threads;

    TensorFlowPeer(int threads) {
        this.threads = threads;
    }

    @Override
    public Model prepare(Workload workload, Inputs inputs) {
        Net n = new Net(inputs, workload);
        switch (workload) {
            case MLP -> n.descend(mlp(n));
            case CNN -> n.descend(cnn(n));
            case TRANSFORMER -> n.descend(transformer(n));
            case LSTM -> n.descend(lstm(n));
            case EMBEDDING -> embedding(n);
            case MATMUL_512, MATMUL_1024, MATMUL_2048 -> n.compute(n.tf.linalg.matMul(n.input("x"), n.input("y")));
            case TINY_ADD, TINY_MATMUL -> n.fetch(tiny(n, workload == Workload.TINY_ADD));
            case RELU ->
                n.compute(n.tf.nn.relu(n.tf.math.add(n.tf.math.mul(n.input("x"), n.input("y")), n.input("z"))));
            case XENT -> xent(n);
            case MLP_QUEUE, MLP_LOOP, LSTM_LOOP -> throw new UnsupportedOperationException("only Oxbow runs it");
        }
        boolean asWritten = workload == Workload.TINY_ADD || workload == Workload.TINY_MATMUL;
        return n.open(threads, asWritten);
    }

    @Override
    public Model graph(Path folder) throws IOException {
        return new TensorFlowGraph(folder, config(threads).build());
    }

    private static ConfigProto.Builder config(int threads) {
        return ConfigProto.newBuilder().setIntraOpParallelismThreads(threads).setInterOpParallelismThreads(threads);
    }

    private static Operand<TFloat32> mlp(Net n) {
        Operand<TFloat32> h = n.input("x");
        for (int i = 0; i < 3; i++) {
            h = n.dense(h, i);
            if (i < 2) h = n.tf.nn.relu(h);
        }
        return n.classLoss(h);
    }

    private static Operand<TFloat32> cnn(Net n) {
        Ops tf = n.tf;
        Operand<TFloat32> h = n.input("x");
        for (int i = 0; i < 2; i++) {
            h = tf.nn.conv2d(h, n.parameter("w" + i), List.of(1L, 1L, 1L, 1L), "SAME");
            h = tf.nn.relu(tf.nn.biasAdd(h, n.parameter("b" + i)));
            Operand<TInt32> two = tf.constant(new int[] {1, 2, 2, 1});
            h = tf.nn.maxPool(h, two, two, "SAME");
        }
        h = tf.reshape(h, tf.constant(new int[] {n.inputs.dim("x", 0), n.inputs.dim("w2", 0)}));
        return n.classLoss(n.dense(tf.nn.relu(n.dense(h, 2)), 3));
    }

    private static Operand<TFloat32> transformer(Net n) {
        Ops tf = n.tf;
        int batch = n.inputs.dim("x", 0), time = n.inputs.dim("x", 1), d = n.inputs.dim("x", 2);
        Operand<TInt32> flat = tf.constant(new int[] {batch * time, d}), swap = tf.constant(new int[] {0, 2, 1, 3});
        Operand<TFloat32> x = tf.reshape(n.input("x"), flat), y = tf.reshape(n.input("y"), flat);
        Operand<TFloat32> a = layerNorm(n, x, 0);
        List<Operand<TFloat32>> heads = new ArrayList<>();
        Operand<TInt32> split = tf.constant(new int[] {batch, time, Workload.HEADS, d / Workload.HEADS});
        for (int i = 1; i <= 3; i++) heads.add(tf.linalg.transpose(tf.reshape(n.dense(a, i), split), swap));
        Operand<TFloat32> scores = tf.math.mul(
                tf.train.batchMatMul(heads.get(0), heads.get(1), TFloat32.class, BatchMatMul.adjY(true)),
                tf.constant((float) (1 / Math.sqrt((double) d / Workload.HEADS))));
        Operand<TFloat32> mixed = tf.train.batchMatMul(tf.nn.softmax(scores), heads.get(2), TFloat32.class);
        Operand<TFloat32> h = tf.math.add(x, n.dense(tf.reshape(tf.linalg.transpose(mixed, swap), flat), 4));
        Operand<TFloat32> out = tf.math.add(h, n.dense(tf.nn.relu(n.dense(layerNorm(n, h, 5), 6)), 7));
        return tf.math.mean(tf.math.square(tf.math.sub(out, y)), tf.constant(new int[] {0, 1}));
    }

    private static Operand<TFloat32> layerNorm(Net n, Operand<TFloat32> x, int number) {
        Ops tf = n.tf;
        Operand<TInt32> last = tf.constant(1);
        Operand<TFloat32> c = tf.math.sub(x, tf.math.mean(x, last, Mean.keepDims(true)));
        Operand<TFloat32> variance = tf.math.mean(tf.math.square(c), last, Mean.keepDims(true));
        Operand<TFloat32> z = tf.math.mul(c, tf.math.rsqrt(tf.math.add(variance, tf.constant(1e-5f))));
        return tf.math.add(tf.math.mul(z, n.parameter("g" + number)), n.parameter("b" + number));
    }

    private static Operand<TFloat32> lstm(Net n) {
        Ops tf = n.tf;
        int time = n.inputs.dim("x", 0), batch = n.inputs.dim("x", 1), in = n.inputs.dim("x", 2);
        int hidden = n.inputs.dim("w1", 0);
        Operand<TFloat32> all = tf.reshape(n.input("x"), tf.constant(new int[] {time * batch, in}));
        Operand<TFloat32> projected = tf.reshape(n.dense(all, 0), tf.constant(new int[] {time, batch, 4 * hidden}));
        Operand<TFloat32> h = tf.zeros(tf.constant(new int[] {batch, hidden}), TFloat32.class), c = h;
        for (Operand<TFloat32> z : tf.unstack(projected, (long) time)) {
            Split<TFloat32> gates =
                    tf.split(tf.constant(1), tf.math.add(z, tf.linalg.matMul(h, n.parameter("w1"))), 4L);
            List<Output<TFloat32>> g = gates.output();
            c = tf.math.add(
                    tf.math.mul(c, tf.math.sigmoid(g.get(1))),
                    tf.math.mul(tf.math.sigmoid(g.get(0)), tf.math.tanh(g.get(2))));
            h = tf.math.mul(tf.math.sigmoid(g.get(3)), tf.math.tanh(c));
        }
        return tf.math.mean(tf.math.square(tf.math.sub(h, n.input("y"))), tf.constant(new int[] {0, 1}));
    }

    /** Differentiates to the looked-up rows and scatters them into the table. */
    private static void embedding(Net n) {
        Ops tf = n.tf;
        Operand<TInt32> ids = n.integers("x");
        Variable<TFloat32> table = n.parameter("w0");
        Operand<TFloat32> rows = tf.gather(table, ids, tf.constant(0));
        Operand<TFloat32> x = tf.reshape(rows, tf.constant(new int[] {n.inputs.dim("x", 0), n.inputs.dim("w1", 0)}));
        Operand<TFloat32> z = n.dense(tf.nn.relu(n.dense(x, 1)), 2), y = n.input("y");
        Operand<TFloat32> soft = tf.math.softplus(tf.math.neg(tf.math.abs(z)));
        Operand<TFloat32> loss = tf.math.mean(
                tf.math.add(tf.math.sub(tf.nn.relu(z), tf.math.mul(z, y)), soft), tf.constant(new int[] {0, 1}));
        List<Operand<?>> at = new ArrayList<>(List.of(rows));
        List<Variable<TFloat32>> dense =
                n.parameters.values().stream().filter(v -> v != table).toList();
        at.addAll(dense);
        Gradients gradients = tf.gradients(loss, at);
        Ops after = n.after(gradients, at.size());
        Operand<TFloat32> rate = tf.constant((float) n.workload.rate());
        n.updates.add(after.scatterSub(table, ids, tf.math.mul(gradients.<TFloat32>dy(0), rate)));
        for (int i = 0; i < dense.size(); i++)
            n.updates.add(after.train.applyGradientDescent(dense.get(i), rate, gradients.<TFloat32>dy(i + 1)));
        n.fetched = loss;
        n.trains = true;
    }

    private static Operand<TFloat32> tiny(Net n, boolean adds) {
        Operand<TFloat32> x = n.input("x"), y = n.input("y");
        Operand<TInt32> swap = n.tf.constant(new int[] {1, 0});
        for (int i = 0; i < Workload.TINY_OPS; i++)
            x = adds ? n.tf.math.add(x, y) : i % 2 == 0 ? n.tf.linalg.matMul(x, y) : n.tf.linalg.transpose(x, swap);
        return x;
    }

    private static void xent(Net n) {
        SparseSoftmaxCrossEntropyWithLogits<TFloat32> both =
                n.tf.nn.sparseSoftmaxCrossEntropyWithLogits(n.input("x"), n.integers("y"));
        Operand<TFloat32> loss = n.tf.math.mean(both.loss(), n.tf.constant(0));
        Operand<TFloat32> gradient = n.tf.math.mul(both.backprop(), n.tf.constant(1f / n.inputs.dim("x", 0)));
        n.updates.add(gradient);
        n.fetched = loss;
        n.checked.addAll(List.of(loss, gradient));
    }

    @Override
    public void close() {}

    /** A graph being built, and then its session. */
    private static final class Net implements Model {
        private final Graph graph = new Graph();
        private final Ops tf = Ops.create(graph);
        private final Inputs inputs;
        private final Workload workload;
        private final Map<String, Variable<TFloat32>> parameters = new LinkedHashMap<>();
        private final Map<Operand<?>, TType> feeds = new LinkedHashMap<>();
        private final List<Op> updates = new ArrayList<>();
        private final List<Operand<TFloat32>> checked = new ArrayList<>();
        private Operand<TFloat32> fetched;
        private boolean trains;
        private Session session;
        private double last;

        Net(Inputs inputs, Workload workload) {
            this.inputs = inputs;
            this.workload = workload;
            for (Inputs.Array a : inputs.parameters())
                parameters.put(a.name(), tf.variable(Shape.of(a.shape()), TFloat32.class));
        }

        Variable<TFloat32> parameter(String name) {
            return parameters.get(name);
        }

        private static TFloat32 floats(Inputs.Array a) {
            return TFloat32.tensorOf(Shape.of(a.shape()), DataBuffers.of(a.floats(), true, false));
        }

        Operand<TFloat32> input(String name) {
            Inputs.Array a = inputs.get(name);
            Placeholder<TFloat32> p = tf.placeholder(TFloat32.class, Placeholder.shape(Shape.of(a.shape())));
            feeds.put(p, floats(a));
            return p;
        }

        Operand<TInt32> integers(String name) {
            Inputs.Array a = inputs.get(name);
            Placeholder<TInt32> p = tf.placeholder(TInt32.class, Placeholder.shape(Shape.of(a.shape())));
            feeds.put(p, TInt32.tensorOf(Shape.of(a.shape()), DataBuffers.of(a.ints(), true, false)));
            return p;
        }

        Operand<TFloat32> dense(Operand<TFloat32> x, int number) {
            return tf.nn.biasAdd(tf.linalg.matMul(x, parameter("w" + number)), parameter("b" + number));
        }

        /** With one-hot labels: the sparse form has no gradient in TensorFlow's C++ library. */
        Operand<TFloat32> classLoss(Operand<TFloat32> logits) {
            int[] labels = inputs.get("y").ints();
            int classes = Math.toIntExact(logits.shape().get(1));
            float[] ones = new float[labels.length * classes];
            for (int i = 0; i < labels.length; i++) ones[i * classes + labels[i]] = 1;
            Shape shape = Shape.of(labels.length, classes);
            Placeholder<TFloat32> y = tf.placeholder(TFloat32.class, Placeholder.shape(shape));
            feeds.put(y, TFloat32.tensorOf(shape, DataBuffers.of(ones, true, false)));
            return tf.math.mean(tf.nn.softmaxCrossEntropyWithLogits(logits, y).loss(), tf.constant(0));
        }

        void descend(Operand<TFloat32> loss) {
            List<Variable<TFloat32>> all = List.copyOf(parameters.values());
            Gradients gradients = tf.gradients(loss, all);
            Ops after = after(gradients, all.size());
            for (int i = 0; i < all.size(); i++)
                updates.add(after.train.applyGradientDescent(
                        all.get(i), tf.constant((float) workload.rate()), gradients.<TFloat32>dy(i)));
            fetched = loss;
            trains = true;
        }

        /** Builds ops that run after all gradients: a variable must not change under those still being computed. */
        Ops after(Gradients gradients, int count) {
            List<Op> all = new ArrayList<>();
            for (int i = 0; i < count; i++) all.add(gradients.dy(i));
            return tf.withControlDependencies(all);
        }

        void compute(Operand<TFloat32> result) {
            updates.add(result);
            checked.add(result);
        }

        void fetch(Operand<TFloat32> result) {
            fetched = result;
            checked.add(result);
        }

        Net open(int threads, boolean asWritten) {
            ConfigProto.Builder config = config(threads);
            if (asWritten)
                config.setGraphOptions(GraphOptions.newBuilder()
                        .setRewriteOptions(RewriterConfig.newBuilder().setDisableMetaOptimizer(true)));
            List<Op> starts = new ArrayList<>();
            List<Placeholder<TFloat32>> values = new ArrayList<>();
            parameters.forEach((name, v) -> {
                Placeholder<TFloat32> p = tf.placeholder(TFloat32.class);
                values.add(p);
                starts.add(tf.assign(v, p));
            });
            session = new Session(graph, config.build());
            for (int i = 0; i < starts.size(); i++)
                try (TFloat32 value = floats(inputs.parameters().get(i))) {
                    session.runner()
                            .feed(values.get(i), value)
                            .addTarget(starts.get(i))
                            .run()
                            .close();
                }
            return this;
        }

        private Session.Runner runner() {
            Session.Runner r = session.runner();
            feeds.forEach(r::feed);
            return r;
        }

        @Override
        public void step() {
            Session.Runner r = runner();
            updates.forEach(r::addTarget);
            if (fetched != null) r.fetch(fetched);
            try (Result result = r.run()) {
                if (fetched != null && ((TFloat32) result.get(0)).rank() == 0)
                    last = ((TFloat32) result.get(0)).getFloat();
            }
        }

        @Override
        public double[] check() {
            if (trains) return Model.losses(workload.checkedCalls(), this, () -> last);
            double[] all = new double[2 * checked.size()];
            for (int i = 0; i < checked.size(); i++)
                try (Result result = runner().fetch(checked.get(i)).run()) {
                    FloatDataBuffer values =
                            ((TFloat32) result.get(0)).asRawTensor().data().asFloats();
                    float[] copy = new float[Math.toIntExact(values.size())];
                    values.read(copy);
                    System.arraycopy(Sums.of(copy), 0, all, 2 * i, 2);
                }
            return all;
        }

        @Override
        public void close() {
            session.close();
            graph.close();
            feeds.values().forEach(TType::close);
        }
    }
}
