package dev.oxbow.train.state;

import dev.oxbow.tensor.Tensor;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * All that a run needs to go on where it was: its place, and the values of its state by name. Whoever has it closes it.
 *
 * @param notes what else was to be kept, such as the plan it was saved under
 */
public record Checkpoint(Position position, Map<String, Tensor> values, Map<String, String> notes)
        implements AutoCloseable {

    public Checkpoint {
        values = new LinkedHashMap<>(values);
        notes = Map.copyOf(notes);
    }

    @Override
    public void close() {
        values.values().forEach(Tensor::close);
    }
}
