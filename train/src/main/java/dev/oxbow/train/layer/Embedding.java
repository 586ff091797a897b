package dev.oxbow.train.layer;

import dev.oxbow.ops.Parameter;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.state.ResourceGather;

/** Rows of a table by integers: {@code y[...] = table[x[...]]}. Only rows that were looked up have a gradient. */
public record Embedding(long entries, int units, Initialiser start) implements Layer {

    @Override
    public Value apply(Build b, Value x) {
        Parameter table = b.table("table", start, entries, units);
        return Value.apply(new ResourceGather(0, true, b.dtype()), table.handle(), x);
    }

    @Override
    public String kind() {
        return "embedding";
    }
}
