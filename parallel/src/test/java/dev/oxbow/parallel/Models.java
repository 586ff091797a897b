package dev.oxbow.parallel;

import dev.oxbow.ops.Ops;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.array.ConcatV2;
import dev.oxbow.ops.array.GatherV2;
import dev.oxbow.ops.gradient.Minimiser;
import dev.oxbow.ops.random.RandomUniform;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Small networks of the usual kinds, with batches of any number of rows. */
enum Models {
    MLP {
        @Override
        void build(Model m, DType t) {
            Value x = m.input("x", t, -1, 6), y = m.input("y", DType.I32, -1);
            Value h = x;
            long[] widths = {6, 8, 5, 3};
            for (int i = 0; i < 3; i++) {
                h = h.matMul(m.parameter("w" + i, widths[i], widths[i + 1])).plus(m.parameter("b" + i, widths[i + 1]));
                if (i == 2) continue;
                h = h.relu();
                Value u = Value.apply(new RandomUniform(7, i, t), h.runtimeShape());
                h = h.times(u.greaterEqual(u.constantLike(0.2)).cast(t)).dividedBy(0.8);
            }
            m.loss = entropy(h, y).mean();
        }
    },
    CNN {
        @Override
        void build(Model m, DType t) {
            Value x = m.input("x", t, -1, 8, 8, 2), y = m.input("y", DType.I32, -1);
            Value h = x;
            for (int i = 0; i < 2; i++) {
                Map<String, Object> same = Map.of("strides", List.of(1L, 1L, 1L, 1L), "padding", "SAME");
                h = Value.apply(Ops.named("Conv2D", same), h, m.parameter("w" + i, 3, 3, i == 0 ? 2 : 4, 4));
                Value mean = h.mean(true, 0, 1, 2), centred = h.minus(mean);
                Value variance = centred.square().mean(true, 0, 1, 2);
                h = centred.times(variance.plus(1e-3).rsqrt())
                        .times(m.parameter("scale" + i, 4))
                        .plus(m.parameter("offset" + i, 4))
                        .relu();
                Map<String, Object> pool = Map.of(
                        "ksize", List.of(1L, 2L, 2L, 1L), "strides", List.of(1L, 2L, 2L, 1L), "padding", "VALID");
                h = Value.apply(Ops.named(i == 0 ? "MaxPool" : "AvgPool", pool), h);
            }
            h = h.reshape(-1, 16).matMul(m.parameter("w", 16, 3));
            m.loss = entropy(h, y).mean();
        }
    },
    LSTM {
        @Override
        void build(Model m, DType t) {
            int time = 4, d = 3, units = 5;
            Value x = m.input("x", t, -1, time, d), y = m.input("y", t, -1);
            Value w = m.parameter("w", d + units, 4 * units), b = m.parameter("b", 4 * units);
            Value steps = x.transpose(1, 0, 2);
            Value zeros = x.sum(1).matMul(m.ops.constant(Tensor.zeros(t, Shape.of(d, units))));
            Value zero = m.ops.constant(DType.I32, 0), axis = m.ops.constant(DType.I32, 1);
            List<Value> end = m.ops.whileLoop(
                    v -> v.get(0).less(m.ops.constant(DType.I32, time)),
                    v -> {
                        Value now = steps.gather(v.get(0), 0);
                        Value both = Value.apply(new ConcatV2(), now, v.get(1), axis);
                        List<Value> gates = Value.applyAll(
                                Ops.named("Split", Map.of("num_split", 4L)),
                                axis,
                                both.matMul(w).plus(b));
                        Value c = gates.get(0)
                                .sigmoid()
                                .times(v.get(2))
                                .plus(gates.get(1).sigmoid().times(gates.get(2).tanh()));
                        return List.of(
                                v.get(0).plus(m.ops.constant(DType.I32, 1)),
                                gates.get(3).sigmoid().times(c.tanh()),
                                c);
                    },
                    List.of(zero, zeros, zeros));
            m.loss = end.get(1)
                    .matMul(m.parameter("v", units, 1))
                    .reshape(-1)
                    .minus(y)
                    .square()
                    .mean();
        }
    },
    EMBEDDING {
        @Override
        void build(Model m, DType t) {
            Value ids = m.input("ids", DType.I32, -1, 3), y = m.input("y", DType.I32, -1);
            Value large = m.parameter("large", 200, 4), small = m.parameter("small", 7, 4);
            Value zero = m.ops.constant(DType.I32, 0);
            Value h = Value.apply(new GatherV2(0), large, ids, zero)
                    .mean(1)
                    .plus(Value.apply(new GatherV2(0), small, ids, zero).sum(1));
            m.loss = entropy(h.matMul(m.parameter("w", 4, 3)), y).sum().times(0.1);
        }
    },
    ATTENTION {
        @Override
        void build(Model m, DType t) {
            int time = 3, d = 4, heads = 2;
            Value x = m.input("x", t, -1, time, d), y = m.input("y", t, -1, time, d);
            List<Value> three = new ArrayList<>();
            for (String name : List.of("q", "k", "v"))
                three.add(x.reshape(-1, d)
                        .matMul(m.parameter(name, d, d))
                        .reshape(-1, time, heads, d / heads)
                        .transpose(0, 2, 1, 3));
            Value scores = Value.apply(Ops.named("BatchMatMulV2", Map.of("adj_y", true)), three.get(0), three.get(1));
            Value mixed = Value.apply(
                    Ops.named("BatchMatMulV2", Map.of()),
                    Value.apply(Ops.named("Softmax", Map.of()), scores.times(0.7)),
                    three.get(2));
            Value h = x.plus(mixed.transpose(0, 2, 1, 3)
                    .reshape(-1, d)
                    .matMul(m.parameter("o", d, d))
                    .reshape(-1, time, d));
            Value centred = h.minus(h.mean(true, 2));
            h = centred.times(centred.square().mean(true, 2).plus(1e-5).rsqrt()).times(m.parameter("g", d));
            m.loss = h.minus(y).square().mean();
        }
    };

    abstract void build(Model m, DType t);

    /** With Adam. */
    Model model(long seed, DType t) {
        Model m = new Model(seed, t);
        build(m, t);
        Minimiser.Updates adam = Minimiser.adam(0.01).minimise(m.loss, m.parameters);
        m.state.addAll(adam.slots());
        m.updates.addAll(adam.nodes());
        return m;
    }

    static Value entropy(Value logits, Value labels) {
        return Value.applyAll(Ops.named("SparseSoftmaxCrossEntropyWithLogits", Map.of()), logits, labels)
                .getFirst();
    }
}
