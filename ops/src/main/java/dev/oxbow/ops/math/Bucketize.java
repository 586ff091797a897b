package dev.oxbow.ops.math;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Tensor;
import java.util.List;

/** The number of boundaries that are not above each element. */
@Signature("Bucketize(input: T) -> (output: int32) {T: type in [INT32 INT64 FLOAT DOUBLE]; boundaries: list(float)}")
public record Bucketize(List<Float> boundaries) implements NotDifferentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        for (int i = 1; i < boundaries.size(); i++)
            require(
                    boundaries.get(i - 1) <= boundaries.get(i),
                    INVALID_ARGUMENT,
                    "Expected sorted boundaries, got %s",
                    boundaries);
        return List.of(new TensorType(DType.I32, c.shape(0)));
    }

    @Override
    public Kernel cpu() {
        return c -> {
            Tensor x = c.input(0);
            for (long i = 0; i < x.size(); i++) {
                double v = x.getDouble(i);
                int low = 0, high = boundaries.size();
                while (low < high) {
                    int middle = (low + high) >>> 1;
                    if (boundaries.get(middle) <= v) low = middle + 1;
                    else high = middle;
                }
                c.output(0).setLong(i, low);
            }
        };
    }
}
