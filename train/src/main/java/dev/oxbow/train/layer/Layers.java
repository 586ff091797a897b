package dev.oxbow.train.layer;

import dev.oxbow.ops.Value;
import dev.oxbow.ops.nn.AvgPool;
import dev.oxbow.ops.nn.MaxPool;
import java.util.List;
import java.util.function.UnaryOperator;

/** Layers by name, to be imported statically: {@code sequential(conv(32, 3, Value::relu), maxPool(2), flatten(), dense(10))}. */
public final class Layers {
    private Layers() {}

    public static Sequential sequential(Layer... layers) {
        return new Sequential(List.of(layers));
    }

    public static Dense dense(int units) {
        return dense(units, UnaryOperator.identity());
    }

    public static Dense dense(int units, UnaryOperator<Value> activation) {
        return new Dense(units, activation, true, Initialiser.glorotUniform());
    }

    public static Conv conv(int filters, int size) {
        return conv(filters, size, UnaryOperator.identity());
    }

    public static Conv conv(int filters, int size, UnaryOperator<Value> activation) {
        return new Conv(filters, size, 1, true, activation, true, Initialiser.glorotUniform());
    }

    public static Dropout dropout(double rate) {
        return new Dropout(rate);
    }

    public static BatchNorm batchNorm() {
        return new BatchNorm(0.99, 1e-3);
    }

    public static LayerNorm layerNorm() {
        return new LayerNorm(1e-5);
    }

    /** Rows of a table of so many entries, by integers. */
    public static Embedding embedding(long entries, int units) {
        return new Embedding(entries, units, Initialiser.normal(0.02));
    }

    /** Attention over all positions of the same sequence. */
    public static Attention attention(int heads) {
        return new Attention(heads, false, 0);
    }

    /** Attention over the positions that are not later. */
    public static Attention causalAttention(int heads) {
        return new Attention(heads, true, 0);
    }

    public static TransformerBlock transformerBlock(Attention attention, int hidden) {
        return new TransformerBlock(attention, hidden, Value::relu, 0);
    }

    public static Recurrent lstm(int units) {
        return new Recurrent(new Lstm(units), false);
    }

    /** The greatest of each {@code size} x {@code size} pixels. */
    public static Layer maxPool(int size) {
        List<Long> window = List.of(1L, (long) size, (long) size, 1L);
        return of("pool", x -> Value.apply(new MaxPool(window, window, "VALID"), x));
    }

    /** The mean of each {@code size} x {@code size} pixels. */
    public static Layer avgPool(int size) {
        List<Long> window = List.of(1L, (long) size, (long) size, 1L);
        return of("pool", x -> Value.apply(new AvgPool(window, window, "VALID"), x));
    }

    /** All but the batch as one axis. */
    public static Layer flatten() {
        return of(
                "flatten",
                x -> x.reshape(-1, x.shape().slice(1, x.shape().rank()).size()));
    }

    /** {@code y = x + f(x)}. */
    public static Layer residual(Layer f) {
        return of("residual", (b, x) -> x.plus(f.apply(b, x)));
    }

    /** A layer whose parameters are the same wherever the returned object is used. */
    public static Layer shared(Layer layer) {
        return new Shared(layer);
    }

    /** A layer without parameters. */
    public static Layer of(String kind, UnaryOperator<Value> f) {
        return of(kind, (_, x) -> f.apply(x));
    }

    /** A layer of a kind, which names it where nobody does. */
    public static Layer of(String kind, Layer layer) {
        return new Kind(kind, layer);
    }

    private record Kind(String kind, Layer layer) implements Layer {
        @Override
        public Value apply(Build b, Value x) {
            return layer.apply(b, x);
        }
    }
}
