package dev.oxbow.ops.dataset;

import static dev.oxbow.tensor.ErrorCode.NOT_FOUND;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.Signature;
import dev.oxbow.ops.io.MatchingFiles;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** The names of files that match patterns. */
@Signature("MatchingFilesDataset(patterns: string) -> (handle: variant) stateful")
public record MatchingFilesDataset() implements DatasetOp {
    @Override
    public Dataset dataset(KernelContext c) {
        List<String> patterns = FileElements.names(c);
        return new Dataset(List.of(), List.of(), () -> new Elements() {
            private List<String> found;
            private int at;

            @Override
            public void next(Turn turn, Taker taker) {
                if (found == null) found = all(patterns);
                taker.take(
                        at == found.size()
                                ? null
                                : List.of(Tensor.ofObjects(DType.STRING, Shape.SCALAR, (Object)
                                        found.get(at++).getBytes(StandardCharsets.UTF_8))),
                        null);
            }
        });
    }

    private static List<String> all(List<String> patterns) {
        List<String> found = new ArrayList<>();
        for (String p : patterns) found.addAll(MatchingFiles.found(p));
        require(!found.isEmpty(), NOT_FOUND, "Don't find any matched files, for patterns %s", patterns);
        return found;
    }
}
