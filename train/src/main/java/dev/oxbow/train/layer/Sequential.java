package dev.oxbow.train.layer;

import dev.oxbow.ops.Value;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** One layer behind the other. Those without a name are called by their kind and a number: {@code conv1, conv2, dense1}. */
public record Sequential(List<Layer> layers) implements Layer {

    public Sequential {
        layers = List.copyOf(layers);
    }

    @Override
    public Value apply(Build b, Value x) {
        Map<String, Integer> counts = new HashMap<>();
        Value y = x;
        for (Layer l : layers) {
            String name = l instanceof Named n ? n.name() : l.kind() + counts.merge(l.kind(), 1, Integer::sum);
            y = b.layer(name, l, y);
        }
        return y;
    }

    @Override
    public String kind() {
        return "sequence";
    }
}
