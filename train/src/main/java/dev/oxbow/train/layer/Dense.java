package dev.oxbow.train.layer;

import dev.oxbow.ops.Value;
import dev.oxbow.ops.nn.BiasAdd;
import java.util.function.UnaryOperator;

/** {@code y = f(x W + b)} over the last axis of {@code x}. */
public record Dense(int units, UnaryOperator<Value> activation, boolean bias, Initialiser start, Initialiser biasStart)
        implements Layer {

    /** Without bias, as before a normalisation. */
    public Dense withoutBias() {
        return new Dense(units, activation, false, start, biasStart);
    }

    public Dense start(Initialiser s) {
        return new Dense(units, activation, bias, s, biasStart);
    }

    /** What the bias starts with. */
    public Dense biasStart(Initialiser s) {
        return new Dense(units, activation, true, start, s);
    }

    @Override
    public Value apply(Build b, Value x) {
        long in = x.shape().dim(x.shape().rank() - 1);
        Value rows = x.shape().rank() == 2 ? x : x.reshape(-1, in);
        Value y = rows.matMul(b.parameter("kernel", start, in, units));
        if (bias) y = Value.apply(new BiasAdd(), y, b.parameter("bias", biasStart, units));
        y = activation.apply(y);
        return x.shape().rank() == 2 ? y : Shapes.withLast(y, x, units);
    }

    @Override
    public String kind() {
        return "dense";
    }
}
