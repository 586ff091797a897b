package dev.oxbow.benchmarks;

import dev.oxbow.graph.Node;
import dev.oxbow.ops.Ops;
import dev.oxbow.ops.Parameter;
import dev.oxbow.ops.Slices;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.array.Transpose;
import dev.oxbow.ops.gradient.Gradients;
import dev.oxbow.ops.linalg.BatchMatMulV2;
import dev.oxbow.ops.nn.BiasAdd;
import dev.oxbow.ops.nn.Softmax;
import dev.oxbow.ops.nn.SparseSoftmaxCrossEntropyWithLogits;
import dev.oxbow.ops.state.ResourceApplyGradientDescent;
import dev.oxbow.ops.state.ResourceGather;
import dev.oxbow.ops.state.ResourceScatterSub;
import dev.oxbow.runtime.EngineOptions;
import dev.oxbow.runtime.SessionOptions;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The workloads in Oxbow, each as a user would write it. */
final class OxbowPeer implements Peer {
    private final EngineOptions options;

    OxbowPeer(int threads) {
        options = EngineOptions.defaults().withThreads(threads);
    }

    @Override
    public Model prepare(Workload workload, Inputs inputs) {
        boolean tiny = workload == Workload.TINY_ADD || workload == Workload.TINY_MATMUL;
        return built(workload, inputs)
                .open(options, tiny ? SessionOptions.defaults().withOptimise(false) : SessionOptions.defaults());
    }

    /** The graph of a workload, not yet opened. */
    static OxbowModel built(Workload workload, Inputs inputs) {
        return built(workload, inputs, DType.F32);
    }

    /** The same with f64 in place of f32, say. */
    static OxbowModel built(Workload workload, Inputs inputs, DType dtype) {
        OxbowModel m = new OxbowModel(inputs, workload, dtype);
        switch (workload) {
            case MLP -> m.descend(mlp(m.input("x"), m.input("y"), m.values()));
            case MLP_QUEUE -> OxbowForms.queue(m);
            case MLP_LOOP -> OxbowForms.loop(m);
            case CNN -> m.descend(cnn(m));
            case TRANSFORMER -> m.descend(transformer(m));
            case LSTM -> m.descend(OxbowForms.lstm(m));
            case LSTM_LOOP -> m.descend(OxbowForms.lstmLoop(m));
            case EMBEDDING -> embedding(m);
            case MATMUL_512, MATMUL_1024, MATMUL_2048 -> m.compute(m.input("x").matMul(m.input("y")));
            case TINY_ADD, TINY_MATMUL -> m.fetch(tiny(m, workload == Workload.TINY_ADD));
            case RELU ->
                m.compute(m.input("x").times(m.input("y")).plus(m.input("z")).relu());
            case XENT -> xent(m);
        }
        return m;
    }

    @Override
    public Model graph(Path folder) throws IOException {
        return new OxbowGraph(folder, options);
    }

    static Value dense(Value x, Value w, Value b) {
        return Value.apply(new BiasAdd("NHWC"), x.matMul(w), b);
    }

    private static Value dense(OxbowModel m, Value x, int number) {
        return dense(x, m.value("w" + number), m.value("b" + number));
    }

    private static Value classLoss(Value logits, Value labels) {
        return Value.applyAll(new SparseSoftmaxCrossEntropyWithLogits(), logits, labels)
                .get(0)
                .mean();
    }

    static Value mlp(Value x, Value y, List<Value> p) {
        Value h = x;
        for (int i = 0; i < p.size(); i += 2) {
            h = dense(h, p.get(i), p.get(i + 1));
            if (i + 2 < p.size()) h = h.relu();
        }
        return classLoss(h, y);
    }

    private static Value cnn(OxbowModel m) {
        Value h = m.input("x");
        for (int i = 0; i < 2; i++) {
            h = Value.apply(
                    Ops.named("Conv2D", Map.of("strides", List.of(1L, 1L, 1L, 1L), "padding", "SAME")),
                    h,
                    m.value("w" + i));
            h = Value.apply(new BiasAdd("NHWC"), h, m.value("b" + i)).relu();
            List<Long> two = List.of(1L, 2L, 2L, 1L);
            h = Value.apply(Ops.named("MaxPool", Map.of("ksize", two, "strides", two, "padding", "SAME")), h);
        }
        h = h.reshape(m.inputs().dim("x", 0), m.inputs().dim("w2", 0));
        return classLoss(dense(m, dense(m, h, 2).relu(), 3), m.input("y"));
    }

    private static Value transformer(OxbowModel m) {
        int batch = m.inputs().dim("x", 0),
                time = m.inputs().dim("x", 1),
                d = m.inputs().dim("x", 2);
        Value x = m.input("x").reshape((long) batch * time, d), y = m.input("y").reshape((long) batch * time, d);
        Value a = layerNorm(m, x, 0);
        List<Value> heads = new ArrayList<>();
        for (int i = 1; i <= 3; i++)
            heads.add(dense(m, a, i)
                    .reshape(batch, time, Workload.HEADS, d / Workload.HEADS)
                    .transpose(0, 2, 1, 3));
        Value scores = Value.apply(new BatchMatMulV2(false, true), heads.get(0), heads.get(1))
                .times(1 / Math.sqrt((double) d / Workload.HEADS));
        Value mixed = Value.apply(new BatchMatMulV2(false, false), Value.apply(new Softmax(), scores), heads.get(2));
        Value h = x.plus(dense(m, mixed.transpose(0, 2, 1, 3).reshape((long) batch * time, d), 4));
        Value out = h.plus(dense(m, dense(m, layerNorm(m, h, 5), 6).relu(), 7));
        return out.minus(y).square().mean();
    }

    private static Value layerNorm(OxbowModel m, Value x, int number) {
        Value c = x.minus(x.mean(true, -1));
        Value scale = c.square().mean(true, -1).plus(1e-5).rsqrt();
        return c.times(scale).times(m.value("g" + number)).plus(m.value("b" + number));
    }

    /** The table gets a sparse update: only rows that were looked up are touched. */
    private static void embedding(OxbowModel m) {
        Value ids = m.input("x"), y = m.input("y");
        Parameter table = m.parameter("w0");
        Value rows = Value.apply(new ResourceGather(0, true, y.dtype()), table.handle(), ids);
        Value logits = dense(
                m,
                dense(m, rows.reshape(m.inputs().dim("x", 0), m.inputs().dim("w1", 0)), 1)
                        .relu(),
                2);
        Value loss = logits.relu()
                .minus(logits.times(y))
                .plus(logits.abs().negated().softplus())
                .mean();
        List<Parameter> dense = m.parameters().subList(1, m.parameters().size());
        List<Value> at = new ArrayList<>(List.of(table.handle()));
        dense.forEach(p -> at.add(p.value()));
        List<Value> gradients = Gradients.of(List.of(loss), at);
        Slices slices = (Slices) gradients.get(0);
        List<Node> updates = new ArrayList<>();
        Value rate = loss.constantLike(m.rate());
        updates.add(m.ops()
                .graph()
                .add(
                        new ResourceScatterSub(),
                        List.of(
                                table.handle().edge(),
                                slices.indices().edge(),
                                slices.values().times(rate).edge())));
        for (int i = 0; i < dense.size(); i++)
            updates.add(m.ops()
                    .graph()
                    .add(
                            new ResourceApplyGradientDescent(),
                            List.of(
                                    dense.get(i).handle().edge(),
                                    rate.edge(),
                                    gradients.get(i + 1).edge())));
        m.train(loss, updates);
    }

    /** A chain of small ops, run one by one: folding and fusion are off. */
    private static Value tiny(OxbowModel m, boolean adds) {
        Value x = m.input("x"), y = m.input("y"), swap = m.ops().constant(1, 0);
        for (int i = 0; i < Workload.TINY_OPS; i++)
            x = adds ? x.plus(y) : i % 2 == 0 ? x.matMul(y) : Value.apply(new Transpose(), x, swap);
        return x;
    }

    private static void xent(OxbowModel m) {
        Value x = m.input("x"), loss = classLoss(x, m.input("y"));
        m.computeWith(loss, Gradients.of(loss, x).get(0));
    }

    static Shape shape(Inputs.Array a) {
        return Shape.of(a.shape());
    }

    @Override
    public void close() {}
}
