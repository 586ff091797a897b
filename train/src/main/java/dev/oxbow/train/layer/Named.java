package dev.oxbow.train.layer;

import dev.oxbow.ops.Value;

/** A layer that was given a name. */
record Named(String name, Layer layer) implements Layer {

    @Override
    public Value apply(Build b, Value x) {
        return layer.apply(b, x);
    }

    @Override
    public String kind() {
        return layer.kind();
    }
}
