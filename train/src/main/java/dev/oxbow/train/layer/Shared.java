package dev.oxbow.train.layer;

import dev.oxbow.ops.Value;

/**
 * A layer whose parameters are the same wherever this very object is used. They have the name of the first place, so that
 * tied weights are one entry of the state.
 */
final class Shared implements Layer {
    private final Layer layer;

    Shared(Layer layer) {
        this.layer = layer;
    }

    @Override
    public Value apply(Build b, Value x) {
        return b.shared(this, layer, x);
    }

    @Override
    public String kind() {
        return layer.kind();
    }
}
