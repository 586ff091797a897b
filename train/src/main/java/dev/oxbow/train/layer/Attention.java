package dev.oxbow.train.layer;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.ops.Value;
import dev.oxbow.ops.linalg.BatchMatMulV2;
import dev.oxbow.ops.nn.Softmax;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;

/**
 * Attention of several heads over [batch, time, channels] (Vaswani et al., 2017): {@code softmax(q k^T / sqrt(d)) v} for
 * each head, then a product over all heads. A causal one looks only at positions that are not later.
 */
public record Attention(int heads, boolean causal, double dropout) implements Layer {
    /** Added to scores that must not count: their exponential is zero in every floating dtype. */
    private static final double NEVER = -1e9;

    /** Drops weights of positions in training. */
    public Attention dropout(double rate) {
        return new Attention(heads, causal, rate);
    }

    @Override
    public Value apply(Build b, Value x) {
        return apply(b, x, x);
    }

    /** Attention whose queries come from {@code x}, and keys and values from {@code context}. */
    public Value apply(Build b, Value x, Value context) {
        int time = Math.toIntExact(x.shape().dim(1)),
                from = Math.toIntExact(context.shape().dim(1));
        Value rows = rows(x), others = context == x ? rows : rows(context);
        return apply(b, rows, time, others, from)
                .reshape(x.shape().withDim(0, -1).dims());
    }

    /** All positions of all sequences as rows. */
    static Value rows(Value x) {
        return x.reshape(-1, x.shape().dim(2));
    }

    /** The same over rows, of which so many, one after the other, are a sequence; gives rows. */
    Value apply(Build b, Value x, int time, Value context, int from) {
        int channels = Math.toIntExact(x.shape().dim(1));
        require(
                channels % heads == 0,
                INVALID_ARGUMENT,
                "Attention: %d channels can not be split over %d heads",
                channels,
                heads);
        Value q = heads(b, "query", x, time, channels), k = heads(b, "key", context, from, channels);
        Value scores =
                Value.apply(new BatchMatMulV2(false, true), q, k).times(1 / Math.sqrt((double) channels / heads));
        if (causal) scores = scores.plus(later(x, time, from));
        Value weights = Value.apply(new Softmax(), scores);
        if (dropout > 0) weights = new Dropout(dropout).apply(b, weights);
        Value mixed = Value.apply(new BatchMatMulV2(false, false), weights, heads(b, "value", context, from, channels))
                .transpose(0, 2, 1, 3);
        return b.layer("output", Layers.dense(channels), mixed.reshape(-1, channels));
    }

    private Value heads(Build b, String name, Value x, int time, int channels) {
        return b.layer(name, Layers.dense(channels), x)
                .reshape(-1, time, heads, channels / heads)
                .transpose(0, 2, 1, 3);
    }

    /** {@link #NEVER} at positions of the context that are later than the query's, else 0. */
    private static Value later(Value x, int rows, int columns) {
        Tensor mask = Tensor.zeros(x.dtype(), Shape.of(rows, columns));
        for (long i = 0; i < rows; i++) for (long j = i + 1; j < columns; j++) mask.set(i * columns + j, NEVER);
        return x.ops().constant(mask);
    }

    @Override
    public String kind() {
        return "attention";
    }
}
