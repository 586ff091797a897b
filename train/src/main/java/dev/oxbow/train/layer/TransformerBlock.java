package dev.oxbow.train.layer;

import dev.oxbow.ops.Value;
import java.util.function.UnaryOperator;

/**
 * A block of a transformer with the normalisations first: {@code h = x + attention(norm(x)), y = h + W2 f(W1 norm(h))}.
 */
public record TransformerBlock(Attention attention, int hidden, UnaryOperator<Value> activation, double dropout)
        implements Layer {

    /** Drops what is added to the residual stream, in training. */
    public TransformerBlock dropout(double rate) {
        return new TransformerBlock(attention, hidden, activation, rate);
    }

    @Override
    public Value apply(Build b, Value x) {
        int time = Math.toIntExact(x.shape().dim(1)),
                channels = Math.toIntExact(x.shape().dim(2));
        Value rows = Attention.rows(x), n = b.layer("norm1", Layers.layerNorm(), rows);
        Layer attend = Layers.of(attention.kind(), (inner, r) -> attention.apply(inner, r, time, r, time));
        Value h = rows.plus(dropped(b, "dropout1", b.layer("attention", attend, n)));
        Value f = b.layer("hidden", Layers.dense(hidden, activation), b.layer("norm2", Layers.layerNorm(), h));
        Value y = h.plus(dropped(b, "dropout2", b.layer("output", Layers.dense(channels), f)));
        return y.reshape(-1, time, channels);
    }

    private Value dropped(Build b, String name, Value x) {
        return dropout == 0 ? x : b.layer(name, new Dropout(dropout), x);
    }

    @Override
    public String kind() {
        return "block";
    }
}
