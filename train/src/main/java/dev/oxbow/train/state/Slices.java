package dev.oxbow.train.state;

import static dev.oxbow.tensor.ErrorCode.DATA_LOSS;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import dev.oxbow.wire.SafeTensors;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Values of which every file of a checkpoint has a slice of the first dimension, in the order of the files. */
final class Slices implements AutoCloseable {
    private static final String NOTE = "oxbow.slices";

    private final Map<String, List<Tensor>> pieces = new LinkedHashMap<>();

    /** Writes a file of a checkpoint: a share of the values, and slices, whose names its notes have. */
    static void write(Path file, Map<String, Tensor> share, Checkpoint c) {
        Map<String, Tensor> all = new LinkedHashMap<>(share);
        all.putAll(c.slices());
        Map<String, String> notes = new HashMap<>(c.notes());
        if (!c.slices().isEmpty()) notes.put(NOTE, String.join("\n", c.slices().keySet()));
        SafeTensors.write(file, all, notes);
    }

    /** The names of the slices of a file. */
    static List<String> names(SafeTensors file) {
        String names = file.metadata().get(NOTE);
        return names == null ? List.of() : List.of(names.split("\n"));
    }

    void add(String name, Tensor slice) {
        List<Tensor> all = pieces.computeIfAbsent(name, _ -> new ArrayList<>());
        all.add(slice);
        Shape first = all.getFirst().shape(), s = slice.shape();
        require(
                s.rank() > 0
                        && all.getFirst().dtype() == slice.dtype()
                        && s.withDim(0, 1).equals(first.withDim(0, 1)),
                DATA_LOSS,
                "checkpoints: slices of '%s' do not fit: %s is followed by %s",
                name,
                first,
                s);
    }

    /** All of them whole; the caller closes them. */
    Map<String, Tensor> joined() {
        Map<String, Tensor> whole = new LinkedHashMap<>();
        pieces.forEach((name, all) -> {
            long rows = all.stream().mapToLong(t -> t.shape().dim(0)).sum(), at = 0;
            Tensor first = all.getFirst();
            Tensor to = Tensor.allocate(first.dtype(), first.shape().withDim(0, rows));
            whole.put(name, to);
            for (Tensor t : all) {
                long count = t.shape().dim(0);
                try (Tensor place = to.rows(at, count)) {
                    t.copyTo(place);
                }
                at += count;
            }
        });
        return whole;
    }

    @Override
    public void close() {
        pieces.values().forEach(all -> all.forEach(Tensor::close));
    }
}
