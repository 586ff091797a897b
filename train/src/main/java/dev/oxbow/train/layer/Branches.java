package dev.oxbow.train.layer;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.ops.Value;
import java.util.List;
import java.util.function.Function;

/** Layers side by side over the same input, whose outputs become one. They are named as those of a {@link Sequential}. */
public record Branches(List<Layer> layers, Function<List<Value>, Value> join) implements Layer {

    public Branches {
        layers = List.copyOf(layers);
        require(!layers.isEmpty(), INVALID_ARGUMENT, "Branches: there is no branch");
    }

    @Override
    public Value apply(Build b, Value x) {
        List<String> names = Sequential.names(layers);
        Value[] outputs = new Value[names.size()];
        for (int i = 0; i < outputs.length; i++) outputs[i] = b.layer(names.get(i), layers.get(i), x);
        return join.apply(List.of(outputs));
    }

    @Override
    public String kind() {
        return "branches";
    }
}
