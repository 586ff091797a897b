package dev.oxbow.testing.conformance;

import dev.oxbow.tensor.Tensor;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;

/** A GraphDef and the runs of one session on it, with what TensorFlow answered. */
record Case(String name, byte[] graph, List<Run> runs, Tolerance tolerance) implements AutoCloseable {

    /** One run; either {@code outputs} or {@code error}, the name of TensorFlow's Python exception, is not null. */
    record Run(
            Map<String, Tensor> feeds,
            List<String> fetches,
            List<String> targets,
            List<Answer> outputs,
            String error) {}

    @Override
    public void close() {
        runs.stream()
                .flatMap(r -> Stream.concat(
                        r.feeds().values().stream(),
                        r.outputs() == null ? Stream.of() : r.outputs().stream().map(Answer::tensor)))
                .filter(Objects::nonNull)
                .forEach(Tensor::close);
    }
}
