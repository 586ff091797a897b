package dev.oxbow.train.layer;

import dev.oxbow.ops.Value;

/** A layer over time and its mirror image with parameters of its own, whose outputs lie side by side. */
public record Bidirectional(OverTime layer) implements Layer {

    /** Gives the outputs of all steps instead of the last one of each direction. */
    public Bidirectional sequences() {
        return new Bidirectional(layer.sequences());
    }

    @Override
    public Value apply(Build b, Value x) {
        return Value.concat(-1, b.layer("forward", layer, x), b.layer("backward", layer.reversed(), x));
    }

    @Override
    public String kind() {
        return "bidirectional";
    }
}
