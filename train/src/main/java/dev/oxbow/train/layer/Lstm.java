package dev.oxbow.train.layer;

import dev.oxbow.ops.Value;
import dev.oxbow.ops.array.Split;
import dev.oxbow.tensor.DType;
import java.util.List;

/**
 * Long short-term memory (Hochreiter and Schmidhuber, 1997): {@code i, f, g, o = z + h U; c = sigmoid(f) c + sigmoid(i)
 * tanh(g); h = sigmoid(o) tanh(c)}.
 */
record Lstm(int units) implements Recurrent.Cell {

    @Override
    public String kind() {
        return "lstm";
    }

    @Override
    public List<Integer> states() {
        return List.of(units, units);
    }

    @Override
    public int projected() {
        return 4 * units;
    }

    @Override
    public List<Value> weights(Build b) {
        return List.of(b.parameter("recurrent", Initialiser.glorotUniform(), units, 4L * units));
    }

    @Override
    public List<Value> next(Value z, List<Value> states, List<Value> weights) {
        Value gates = z.plus(states.get(0).matMul(weights.getFirst()));
        List<Value> g = Value.applyAll(new Split(4), gates.ops().constant(DType.I32, 1), gates);
        Value c = states.get(1)
                .times(g.get(1).sigmoid())
                .plus(g.get(0).sigmoid().times(g.get(2).tanh()));
        return List.of(g.get(3).sigmoid().times(c.tanh()), c);
    }
}
