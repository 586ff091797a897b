package dev.oxbow.train.state;

import dev.oxbow.tensor.Tensor;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * All that a run needs to go on where it was: its place, and the values of its state by name. Whoever has it closes it.
 *
 * @param slices values that differ from process to process, by name: along the first dimension the slice of the process
 *     that saves, or those of all in the order of their ranks where it was loaded
 * @param notes what else was to be kept, such as the plan it was saved under
 */
public record Checkpoint(
        Position position, Map<String, Tensor> values, Map<String, Tensor> slices, Map<String, String> notes)
        implements AutoCloseable {

    public Checkpoint {
        values = new LinkedHashMap<>(values);
        slices = new LinkedHashMap<>(slices);
        notes = Map.copyOf(notes);
    }

    /** One of which every process has the same values. */
    public Checkpoint(Position position, Map<String, Tensor> values, Map<String, String> notes) {
        this(position, values, Map.of(), notes);
    }

    @Override
    public void close() {
        values.values().forEach(Tensor::close);
        slices.values().forEach(Tensor::close);
    }
}
