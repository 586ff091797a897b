package dev.oxbow.train.layer;

import dev.oxbow.ops.Value;
import java.util.List;

/**
 * Gated recurrent unit (Cho et al., 2014), with the reset behind the product as most libraries have it:
 * {@code u, r, n = z; u', r', n' = h U + b; update = sigmoid(u + u'); reset = sigmoid(r + r');
 * h = update h + (1 - update) tanh(n + reset n')}.
 */
record Gru(int units) implements Recurrent.Cell {

    @Override
    public String kind() {
        return "gru";
    }

    @Override
    public List<Integer> states() {
        return List.of(units);
    }

    @Override
    public int projected() {
        return 3 * units;
    }

    @Override
    public List<Value> weights(Build b) {
        return List.of(
                b.parameter("recurrent", Initialiser.glorotUniform(), units, 3L * units),
                b.parameter("recurrent_bias", Initialiser.zeros(), 3L * units));
    }

    @Override
    public List<Value> next(Value z, List<Value> states, List<Value> weights) {
        Value h = states.getFirst();
        List<Value> in = z.split(3, 1),
                own = h.matMul(weights.get(0)).plus(weights.get(1)).split(3, 1);
        Value update = in.get(0).plus(own.get(0)).sigmoid(),
                reset = in.get(1).plus(own.get(1)).sigmoid();
        Value candidate = in.get(2).plus(reset.times(own.get(2))).tanh();
        return List.of(candidate.plus(update.times(h.minus(candidate))));
    }
}
