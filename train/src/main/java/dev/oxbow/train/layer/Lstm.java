package dev.oxbow.train.layer;

import dev.oxbow.ops.Value;
import dev.oxbow.tensor.Tensor;
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

    /** Ones at the forget gates, so that a state is kept until the cell learns otherwise (Jozefowicz et al., 2015). */
    @Override
    public Initialiser bias() {
        return (ops, dtype, shape, _) -> {
            Tensor t = Tensor.zeros(dtype, shape);
            for (long i = units; i < 2L * units; i++) t.set(i, 1);
            return ops.constant(t);
        };
    }

    @Override
    public List<Value> weights(Build b) {
        return List.of(b.parameter("recurrent", Initialiser.glorotUniform(), units, 4L * units));
    }

    @Override
    public List<Value> next(Value z, List<Value> states, List<Value> weights) {
        Value gates = z.plus(states.get(0).matMul(weights.getFirst()));
        List<Value> g = gates.split(4, 1);
        Value c = states.get(1)
                .times(g.get(1).sigmoid())
                .plus(g.get(0).sigmoid().times(g.get(2).tanh()));
        return List.of(g.get(3).sigmoid().times(c.tanh()), c);
    }
}
