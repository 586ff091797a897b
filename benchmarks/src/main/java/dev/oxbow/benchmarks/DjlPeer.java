package dev.oxbow.benchmarks;

import ai.djl.Device;
import ai.djl.engine.Engine;
import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.NDList;
import ai.djl.ndarray.NDManager;
import ai.djl.ndarray.types.Shape;
import ai.djl.ndarray.types.SparseFormat;
import ai.djl.nn.convolutional.Conv2d;
import ai.djl.nn.core.Embedding;
import ai.djl.nn.core.Linear;
import ai.djl.nn.norm.LayerNorm;
import ai.djl.nn.pooling.Pool;
import ai.djl.training.GradientCollector;
import ai.djl.training.loss.Loss;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;

/** The workloads in PyTorch through DJL: NDArray ops, a gradient collector, and updates in place. */
final class DjlPeer implements Peer {
    private final NDManager root;

    DjlPeer(int threads) {
        System.setProperty("ai.djl.pytorch.num_threads", Integer.toString(threads));
        System.setProperty("ai.djl.pytorch.num_interop_threads", Integer.toString(threads));
        root = NDManager.newBaseManager(Device.cpu(), "PyTorch");
    }

    @Override
    public Model prepare(Workload workload, Inputs inputs) {
        return switch (workload) {
            case MLP -> new Training(workload, inputs, DjlPeer::mlp);
            case CNN -> new Training(workload, inputs, DjlPeer::cnn);
            case TRANSFORMER -> new Training(workload, inputs, DjlPeer::transformer);
            case LSTM -> new Training(workload, inputs, DjlPeer::lstm);
            case EMBEDDING -> new Training(workload, inputs, DjlPeer::embedding);
            case XENT -> new CrossEntropy(workload, inputs);
            case MATMUL_512, MATMUL_1024, MATMUL_2048 ->
                new Computing(inputs, v -> v.get("x").matMul(v.get("y")));
            case TINY_ADD ->
                new Computing(inputs, v -> chain(v.get("x"), x -> x.add(v.get("y")), x -> x.add(v.get("y"))));
            case TINY_MATMUL ->
                new Computing(inputs, v -> chain(v.get("x"), x -> x.matMul(v.get("y")), x -> x.transpose(1, 0)));
            case RELU -> new Computing(inputs, DjlPeer::relu);
            case MLP_QUEUE, MLP_LOOP, LSTM_LOOP -> throw new UnsupportedOperationException("only Oxbow runs it");
        };
    }

    private static NDArray relu(Map<String, NDArray> v) {
        try (NDArray y = v.get("x").mul(v.get("y"))) {
            y.addi(v.get("z"));
            return y.getNDArrayInternal().relu();
        }
    }

    /** Ops in turn, each input closed as soon as it was used. */
    private static NDArray chain(NDArray x, Function<NDArray, NDArray> even, Function<NDArray, NDArray> odd) {
        NDArray v = x;
        for (int i = 0; i < Workload.TINY_OPS; i++) {
            NDArray next = (i % 2 == 0 ? even : odd).apply(v);
            if (v != x) v.close();
            v = next;
        }
        return v;
    }

    /** Weights are kept as PyTorch wants them: outputs by inputs. */
    private static NDArray linear(NDArray x, Map<String, NDArray> v, int number) {
        return Linear.linear(x, v.get("w" + number), v.get("b" + number)).singletonOrThrow();
    }

    private static NDArray activated(NDArray x) {
        return x.getNDArrayInternal().relu();
    }

    private static NDArray classLoss(NDArray logits, NDArray labels) {
        return Loss.softmaxCrossEntropyLoss().evaluate(new NDList(labels), new NDList(logits));
    }

    private static NDArray mlp(Map<String, NDArray> v) {
        NDArray h = activated(linear(v.get("x"), v, 0));
        return classLoss(linear(activated(linear(h, v, 1)), v, 2), v.get("y"));
    }

    private static NDArray cnn(Map<String, NDArray> v) {
        Shape one = new Shape(1, 1), two = new Shape(2, 2), none = new Shape(0, 0);
        NDArray h = v.get("x");
        for (int i = 0; i < 2; i++) {
            h = activated(
                    Conv2d.conv2d(h, v.get("w" + i), v.get("b" + i), one, two).singletonOrThrow());
            h = Pool.maxPool2d(h, two, two, none, false);
        }
        h = activated(linear(h.reshape(h.getShape().get(0), -1), v, 2));
        return classLoss(linear(h, v, 3), v.get("y"));
    }

    private static NDArray transformer(Map<String, NDArray> v) {
        NDArray x = v.get("x"), a = layerNorm(x, v, 0);
        long batch = x.getShape().get(0),
                time = x.getShape().get(1),
                d = x.getShape().get(2);
        NDArray[] heads = new NDArray[3];
        for (int i = 0; i < 3; i++)
            heads[i] = linear(a, v, i + 1)
                    .reshape(batch, time, Workload.HEADS, d / Workload.HEADS)
                    .transpose(0, 2, 1, 3);
        NDArray scores = heads[0].matMul(heads[1].transpose(0, 1, 3, 2))
                .mul((float) (1 / Math.sqrt((double) d / Workload.HEADS)));
        NDArray mixed =
                scores.softmax(-1).matMul(heads[2]).transpose(0, 2, 1, 3).reshape(batch, time, d);
        NDArray h = x.add(linear(mixed, v, 4));
        NDArray out = h.add(linear(activated(linear(layerNorm(h, v, 5), v, 6)), v, 7));
        return out.sub(v.get("y")).square().mean();
    }

    private static NDArray layerNorm(NDArray x, Map<String, NDArray> v, int number) {
        Shape last = new Shape(x.getShape().get(2));
        return LayerNorm.layerNorm(x, last, v.get("g" + number), v.get("b" + number), 1e-5f)
                .singletonOrThrow();
    }

    /** PyTorch's own LSTM. */
    private static NDArray lstm(Map<String, NDArray> v) {
        NDArray x = v.get("x");
        long hidden = v.get("w1").getShape().get(1);
        NDArray zero = x.getManager().zeros(new Shape(1, x.getShape().get(1), hidden));
        NDArray noBias = x.getManager().zeros(new Shape(4 * hidden));
        NDList weights = new NDList(v.get("w0"), v.get("w1"), v.get("b0"), noBias);
        NDList out = x.getNDArrayInternal().lstm(x, new NDList(zero, zero), weights, true, 1, 0, true, false, false);
        return out.get(1)
                .reshape(x.getShape().get(1), hidden)
                .sub(v.get("y"))
                .square()
                .mean();
    }

    private static NDArray embedding(Map<String, NDArray> v) {
        NDArray ids = v.get("x"), y = v.get("y");
        NDArray rows = Embedding.embedding(ids, v.get("w0"), SparseFormat.COO).singletonOrThrow();
        NDArray z = linear(activated(linear(rows.reshape(ids.getShape().get(0), -1), v, 1)), v, 2);
        NDArray soft = z.abs().neg().exp().add(1f).log();
        return activated(z).sub(z.mul(y)).add(soft).mean();
    }

    /** Arrays in PyTorch's layouts: outputs before inputs, channels before height and width. */
    private Map<String, NDArray> arrays(Inputs inputs, boolean trains) {
        Map<String, NDArray> all = new LinkedHashMap<>();
        for (Inputs.Array a : inputs.arrays().values()) {
            Shape shape = new Shape(a.shape());
            NDArray v = a.dtype().equals("i32") ? root.create(a.ints(), shape) : root.create(a.floats(), shape);
            boolean isTable = a.isParameter() && a.shape().length == 2 && a.shape()[0] >= 1_000_000;
            if (a.shape().length == 4) {
                v = replaced(v, a.isParameter() ? v.transpose(3, 2, 0, 1) : v.transpose(0, 3, 1, 2));
            } else if (a.name().equals("w2") && inputs.get("w1").shape().length == 4) {
                v = replaced(v, channelsFirst(v, inputs.dim("b1", 0)));
            } else if (trains && a.isParameter() && a.shape().length == 2 && !isTable) {
                v = replaced(v, v.transpose(1, 0));
            }
            if (a.isParameter()) v.setRequiresGradient(true);
            all.put(a.name(), v);
        }
        return all;
    }

    /** The weights behind a flattened image, whose rows are ordered by position and then channel, as PyTorch wants them. */
    private static NDArray channelsFirst(NDArray w, long channels) {
        long positions = w.getShape().get(0) / channels, out = w.getShape().get(1);
        return w.reshape(positions, channels, out).transpose(2, 1, 0).reshape(out, channels * positions);
    }

    /** A dense copy of a transposed view. */
    private static NDArray replaced(NDArray old, NDArray view) {
        NDArray copy = view.duplicate();
        view.close();
        old.close();
        return copy;
    }

    @Override
    public void close() {
        root.close();
    }

    /** Forward, backward, and an update of every parameter. */
    private final class Training implements Model {
        private final Workload workload;
        private final Map<String, NDArray> values;
        private final Function<Map<String, NDArray>, NDArray> loss;
        private double last;

        Training(Workload workload, Inputs inputs, Function<Map<String, NDArray>, NDArray> loss) {
            this.workload = workload;
            this.loss = loss;
            values = arrays(inputs, true);
        }

        @Override
        public void step() {
            try (NDManager step = root.newSubManager()) {
                values.values().forEach(v -> v.attach(step));
                try (GradientCollector collector = Engine.getInstance().newGradientCollector()) {
                    NDArray l = loss.apply(values);
                    collector.backward(l);
                    last = l.getFloat();
                }
                for (NDArray p : values.values()) {
                    if (!p.hasGradient()) continue;
                    try (NDArray g = p.getGradient()) {
                        p.subi(g.mul((float) workload.rate()));
                        g.subi(g);
                    }
                }
                values.values().forEach(v -> v.attach(root));
            }
        }

        @Override
        public double[] check() {
            return Model.losses(workload.checkedCalls(), this, () -> last);
        }

        @Override
        public void close() {
            values.values().forEach(NDArray::close);
        }
    }

    /** The loss and its gradient with respect to the logits. */
    private final class CrossEntropy implements Model {
        private final Map<String, NDArray> values;

        CrossEntropy(Workload workload, Inputs inputs) {
            values = arrays(inputs, false);
            values.get("x").setRequiresGradient(true);
        }

        private double[] run(boolean check) {
            NDArray x = values.get("x");
            try (NDManager step = root.newSubManager()) {
                values.values().forEach(v -> v.attach(step));
                double loss;
                try (GradientCollector collector = Engine.getInstance().newGradientCollector()) {
                    NDArray l = classLoss(x, values.get("y"));
                    collector.backward(l);
                    loss = l.getFloat();
                }
                double[] gradient = {0, 0};
                try (NDArray g = x.getGradient()) {
                    if (check) gradient = Sums.of(g.toByteBuffer().asFloatBuffer());
                    g.subi(g);
                }
                values.values().forEach(v -> v.attach(root));
                return new double[] {loss, loss, gradient[0], gradient[1]};
            }
        }

        @Override
        public void step() {
            run(false);
        }

        @Override
        public double[] check() {
            return run(true);
        }

        @Override
        public void close() {
            values.values().forEach(NDArray::close);
        }
    }

    /** One value computed and closed. */
    private final class Computing implements Model {
        private final Map<String, NDArray> values;
        private final Function<Map<String, NDArray>, NDArray> result;

        Computing(Inputs inputs, Function<Map<String, NDArray>, NDArray> result) {
            values = arrays(inputs, false);
            this.result = result;
        }

        @Override
        public void step() {
            result.apply(values).close();
        }

        @Override
        public double[] check() {
            try (NDArray y = result.apply(values)) {
                return Sums.of(y.toFloatArray());
            }
        }

        @Override
        public void close() {
            values.values().forEach(NDArray::close);
        }
    }
}
