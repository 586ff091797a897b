package dev.oxbow.train.layer;

import dev.oxbow.ops.Value;
import java.util.List;
import java.util.function.UnaryOperator;

/** A plain recurrent cell (Elman, 1990): {@code h = f(z + h U)}. */
record SimpleRnn(int units, UnaryOperator<Value> activation) implements Recurrent.Cell {

    @Override
    public String kind() {
        return "rnn";
    }

    @Override
    public List<Integer> states() {
        return List.of(units);
    }

    @Override
    public int projected() {
        return units;
    }

    @Override
    public List<Value> weights(Build b) {
        return List.of(b.parameter("recurrent", Initialiser.orthogonal(), units, units));
    }

    @Override
    public List<Value> next(Value z, List<Value> states, List<Value> weights) {
        return List.of(activation.apply(z.plus(states.getFirst().matMul(weights.getFirst()))));
    }
}
