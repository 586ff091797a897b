package dev.oxbow.train.layer;

import dev.oxbow.ops.Value;
import java.util.ArrayList;
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
        List<String> names = names(layers);
        Value y = x;
        for (int i = 0; i < names.size(); i++) y = b.layer(names.get(i), layers.get(i), y);
        return y;
    }

    static List<String> names(List<Layer> layers) {
        Map<String, Integer> counts = new HashMap<>();
        List<String> names = new ArrayList<>();
        for (Layer l : layers)
            names.add(l instanceof Named n ? n.name() : l.kind() + counts.merge(l.kind(), 1, Integer::sum));
        return names;
    }

    @Override
    public String kind() {
        return "sequence";
    }
}
