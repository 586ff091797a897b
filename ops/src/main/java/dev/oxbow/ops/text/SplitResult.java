package dev.oxbow.ops.text;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.TensorType;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.List;

/** Rows of parts as the indices, values and dense shape of a sparse matrix. */
final class SplitResult {
    private SplitResult() {}

    static List<TensorType> infer(InferenceContext c) {
        require(
                c.shape(0).rank() == 1 || !c.shape(0).isRankKnown(),
                INVALID_ARGUMENT,
                "input must be a vector, got shape: %s",
                c.shape(0));
        return List.of(
                new TensorType(DType.I64, Shape.of(-1, 2)),
                new TensorType(DType.STRING, Shape.of(-1)),
                new TensorType(DType.I64, Shape.of(2)));
    }

    static void write(KernelContext c, List<List<byte[]>> rows) {
        int count = 0, widest = 0;
        for (List<byte[]> r : rows) {
            count += r.size();
            widest = Math.max(widest, r.size());
        }
        Tensor indices = c.allocate(0, Shape.of(count, 2)), values = c.allocate(1, Shape.of(count));
        int at = 0;
        for (int r = 0; r < rows.size(); r++) {
            for (int k = 0; k < rows.get(r).size(); k++, at++) {
                indices.setLong(2L * at, r);
                indices.setLong(2L * at + 1, k);
                values.objects()[at] = rows.get(r).get(k);
            }
        }
        c.output(2).setLong(0, rows.size());
        c.output(2).setLong(1, widest);
    }
}
