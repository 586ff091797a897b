package dev.oxbow.benchmarks;

import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.ops.Ops;
import dev.oxbow.ops.Parameter;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.gradient.Minimiser;
import dev.oxbow.ops.linalg.BatchMatMulV2;
import dev.oxbow.ops.linalg.MatMul;
import dev.oxbow.ops.nn.BiasAdd;
import dev.oxbow.ops.nn.Softmax;
import dev.oxbow.ops.nn.SparseSoftmaxCrossEntropyWithLogits;
import dev.oxbow.ops.state.AssignSubVariableOp;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;

/** GPT-2 (Radford et al., 2019) with 124 million parameters for 12 layers, trained by AdamW. */
final class Gpt2 {
    static final int VOCABULARY = 50_304;
    private static final int CHANNELS = 768;
    private static final int HEADS = 12;
    private static final double RATE = 3e-4;
    private static final double DECAY = 0.01;
    private static final double NEVER = -1e9;

    private final CardModel model = new CardModel();
    private final int layers;
    private final int batch;
    private final int time;

    /** What lies between layers, and what products take: f32, which another pass makes narrow, or bf16. */
    private final DType stream;

    private Gpt2(int layers, int batch, int time, DType stream) {
        this.layers = layers;
        this.batch = batch;
        this.time = time;
        this.stream = stream;
    }

    static CardModel of(int layers, int batch, int time) {
        return new Gpt2(layers, batch, time, DType.F32).built();
    }

    /** With bf16 between layers; parameters, norms, the loss and the optimizer stay f32. */
    static CardModel inHalf(int layers, int batch, int time) {
        return new Gpt2(layers, batch, time, DType.BF16).built();
    }

    private static Value cast(Value v, DType to) {
        return v.dtype() == to ? v : v.cast(to);
    }

    private static Tensor filled(float value, long... shape) {
        Tensor t = Tensor.zeros(DType.F32, Shape.of(shape));
        for (long i = 0; value != 0 && i < t.size(); i++) t.set(i, value);
        return t;
    }

    private Value normal(String name, double deviation, long... shape) {
        return model.parameter(name, () -> StartValues.normal("gpt2." + name, deviation, DType.F32, shape), shape)
                .value();
    }

    private Value constant(String name, float value, long size) {
        return model.parameter(name, () -> filled(value, size), size).value();
    }

    private Value norm(Value given, String name) {
        Value x = cast(given, DType.F32);
        Value c = x.minus(x.mean(true, -1));
        Value scale = c.square().mean(true, -1).plus(1e-5).rsqrt();
        Value y = c.times(scale)
                .times(constant(name + ".weight", 1, CHANNELS))
                .plus(constant(name + ".bias", 0, CHANNELS));
        return cast(y, stream);
    }

    private Value dense(Value x, String name, int in, int out, double deviation) {
        Value w = cast(normal(name + ".weight", deviation, in, out), stream);
        return Value.apply(new BiasAdd("NHWC"), x.matMul(w), cast(constant(name + ".bias", 0, out), stream));
    }

    private Value attention(Value x, String name, Value mask) {
        // parts of the weight, not of the results: they are smaller
        List<Value> w =
                normal(name + ".c_attn.weight", 0.02, CHANNELS, 3 * CHANNELS).split(3, 1);
        List<Value> b = constant(name + ".c_attn.bias", 0, 3 * CHANNELS).split(3, 0);
        List<Value> heads = new ArrayList<>();
        for (int i = 0; i < 3; i++)
            heads.add(Value.apply(new BiasAdd("NHWC"), x.matMul(cast(w.get(i), stream)), cast(b.get(i), stream))
                    .reshape(batch, time, HEADS, CHANNELS / HEADS)
                    .transpose(0, 2, 1, 3));
        Value scores = Value.apply(new BatchMatMulV2(false, true), heads.get(0), heads.get(1))
                .times(1 / Math.sqrt(CHANNELS / HEADS))
                .plus(cast(mask, stream));
        Value weights = cast(Value.apply(new Softmax(), cast(scores, DType.F32)), stream);
        Value mixed = Value.apply(new BatchMatMulV2(false, false), weights, heads.get(2));
        return dense(
                mixed.transpose(0, 2, 1, 3).reshape((long) batch * time, CHANNELS),
                name + ".c_proj",
                CHANNELS,
                CHANNELS,
                0.02 / Math.sqrt(2 * layers));
    }

    private Value gelu(Value given) {
        Value x = cast(given, DType.F32);
        Value inner = x.plus(x.times(x).times(x).times(0.044715)).times(Math.sqrt(2 / Math.PI));
        return cast(x.times(0.5).times(inner.tanh().plus(1)), stream);
    }

    private CardModel built() {
        Ops ops = model.ops;
        long rows = (long) batch * time;
        Value x = model.input(
                "x", DType.I32, () -> StartValues.wholeNumbers("gpt2.x", VOCABULARY, batch, time), batch, time);
        Value y = model.input("y", DType.I32, () -> StartValues.wholeNumbers("gpt2.y", VOCABULARY, rows), rows);
        Tensor seen = Tensor.zeros(DType.F32, Shape.of(time, time));
        for (long i = 0; i < time; i++) for (long j = i + 1; j < time; j++) seen.set(i * time + j, NEVER);
        Value mask = ops.constant(seen);
        Value table = normal("wte", 0.02, VOCABULARY, CHANNELS), places = normal("wpe", 0.02, time, CHANNELS);
        Value h = cast(table.gather(x, 0).plus(places).reshape(rows, CHANNELS), stream);
        for (int i = 0; i < layers; i++) {
            String name = "h." + i;
            h = h.plus(attention(norm(h, name + ".ln_1"), name + ".attn", mask));
            Value wide = gelu(dense(norm(h, name + ".ln_2"), name + ".mlp.c_fc", CHANNELS, 4 * CHANNELS, 0.02));
            double deviation = 0.02 / Math.sqrt(2 * layers);
            h = h.plus(dense(wide, name + ".mlp.c_proj", 4 * CHANNELS, CHANNELS, deviation));
        }
        Value logits = Value.apply(new MatMul(false, true), norm(h, "ln_f"), cast(table, stream));
        Value loss = Value.applyAll(new SparseSoftmaxCrossEntropyWithLogits(), cast(logits, DType.F32), y)
                .get(0)
                .mean();
        decayed(loss);
        return model;
    }

    /** AdamW: beside Adam's step every parameter loses a part of itself. */
    private void decayed(Value loss) {
        List<Parameter> all = model.parameters();
        List<Value> gradients = Minimiser.gradients(loss, all), lost = new ArrayList<>();
        List<Node> before = new ArrayList<>();
        for (Parameter p : all) {
            lost.add(p.value().times(RATE * DECAY));
            before.add(lost.getLast().node());
        }
        Graph g = model.ops.graph();
        List<Node> updates = new ArrayList<>();
        Minimiser.Updates made;
        try (Graph.Scope _ = g.after(before.toArray(Node[]::new))) {
            made = Minimiser.adam(RATE).apply(all, gradients);
        }
        updates.addAll(made.nodes());
        for (int i = 0; i < all.size(); i++)
            try (Graph.Scope _ = g.after(made.nodes().get(i))) {
                updates.add(
                        Minimiser.update(new AssignSubVariableOp(), all.get(i).handle(), lost.get(i)));
            }
        model.train(loss, made.slots(), updates);
    }
}
