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
        int channels = Math.toIntExact(x.shape().dim(2));
        require(
                channels % heads == 0,
                INVALID_ARGUMENT,
                "Attention: %d channels can not be split over %d heads",
                channels,
                heads);
        Value q = heads(b, "query", x, channels), k = heads(b, "key", context, channels);
        Value scores =
                Value.apply(new BatchMatMulV2(false, true), q, k).times(1 / Math.sqrt((double) channels / heads));
        if (causal) scores = scores.plus(later(x, context));
        Value weights = Value.apply(new Softmax(), scores);
        if (dropout > 0) weights = new Dropout(dropout).apply(b, weights);
        Value mixed = Value.apply(new BatchMatMulV2(false, false), weights, heads(b, "value", context, channels))
                .transpose(0, 2, 1, 3);
        Value joined = mixed.reshape(-1, x.shape().dim(1), channels);
        return b.layer("output", Layers.dense(channels), joined);
    }

    private Value heads(Build b, String name, Value x, int channels) {
        return b.layer(name, Layers.dense(channels), x)
                .reshape(-1, x.shape().dim(1), heads, channels / heads)
                .transpose(0, 2, 1, 3);
    }

    /** {@link #NEVER} at positions of the context that are later than the query's, else 0. */
    private static Value later(Value x, Value context) {
        int rows = Math.toIntExact(x.shape().dim(1)),
                columns = Math.toIntExact(context.shape().dim(1));
        Tensor mask = Tensor.zeros(x.dtype(), Shape.of(rows, columns));
        for (long i = 0; i < rows; i++) for (long j = i + 1; j < columns; j++) mask.set(i * columns + j, NEVER);
        return x.ops().constant(mask);
    }

    @Override
    public String kind() {
        return "attention";
    }
}
