package dev.oxbow.train.layer;

import dev.oxbow.ops.Value;
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
        return new Dense(units, activation, true, Initialiser.glorotUniform(), Initialiser.zeros());
    }

    /** Over sequences, images or volumes, by the rank of the input. */
    public static Conv conv(int filters, int size) {
        return conv(filters, size, UnaryOperator.identity());
    }

    public static Conv conv(int filters, int size, UnaryOperator<Value> activation) {
        return new Conv(filters, size, 1, 1, true, activation, true, Initialiser.glorotUniform());
    }

    /** The transpose of a convolution: larger by the stride. */
    public static ConvTransposed convTransposed(int filters, int size) {
        return new ConvTransposed(filters, size, 1, true, UnaryOperator.identity(), true, Initialiser.glorotUniform());
    }

    /** A convolution of each channel by itself. */
    public static Depthwise depthwise(int size) {
        double taps = (double) size * size;
        return new Depthwise(1, size, 1, true, UnaryOperator.identity(), true, Initialiser.glorotUniform(taps, taps));
    }

    /** A convolution of each channel by itself, then one of size 1 over all channels. */
    public static Layer separable(int filters, int size, UnaryOperator<Value> activation) {
        return of("separable", (b, x) -> {
            Value each = b.layer("depthwise", depthwise(size).withoutBias(), x);
            return b.layer("pointwise", conv(filters, 1, activation), each);
        });
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

    public static GroupNorm groupNorm(int groups) {
        return new GroupNorm(groups, 1e-5);
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

    /** Learned values for the positions of sequences of at most this length, which are added. */
    public static Positions positions(int length) {
        return new Positions(length, Initialiser.normal(0.02));
    }

    /** Fixed waves for positions, which are added. */
    public static Sinusoids sinusoids() {
        return new Sinusoids();
    }

    public static Recurrent rnn(int units) {
        return new Recurrent(new SimpleRnn(units, Value::tanh), false, false);
    }

    public static Recurrent gru(int units) {
        return new Recurrent(new Gru(units), false, false);
    }

    public static Recurrent lstm(int units) {
        return new Recurrent(new Lstm(units), false, false);
    }

    /** {@link #lstm} as one op, with the same parameters; f32 alone. */
    public static FusedLstm fusedLstm(int units) {
        return new FusedLstm(units, false, false);
    }

    public static Bidirectional bidirectional(OverTime layer) {
        return new Bidirectional(layer);
    }

    /** The greatest of each {@code size} values, or {@code size} x {@code size} pixels, without overlap. */
    public static Pool maxPool(int size) {
        return new Pool(true, size, size, false);
    }

    /** The mean of each {@code size} values, or {@code size} x {@code size} pixels, without overlap. */
    public static Pool avgPool(int size) {
        return new Pool(false, size, size, false);
    }

    /** The greatest value of each channel over all positions. */
    public static Layer globalMaxPool() {
        return of("pool", x -> x.max(Spatial.axes(x)));
    }

    /** The mean of each channel over all positions. */
    public static Layer globalAvgPool() {
        return of("pool", x -> x.mean(Spatial.axes(x)));
    }

    /** A function such as {@code Value::gelu} as a layer. */
    public static Layer activation(UnaryOperator<Value> f) {
        return of("activation", f);
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

    /** The outputs of several layers of the same input, side by side along the last axis. */
    public static Branches concat(Layer... layers) {
        return new Branches(List.of(layers), all -> Value.concat(-1, all.toArray(Value[]::new)));
    }

    /** The sum of the outputs of several layers of the same input. */
    public static Branches sum(Layer... layers) {
        return new Branches(
                List.of(layers), all -> all.stream().reduce(Value::plus).orElseThrow());
    }

    /** A layer at each step of [batch, time, ...]. */
    public static TimeDistributed timeDistributed(Layer layer) {
        return new TimeDistributed(layer);
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
