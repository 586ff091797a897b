package dev.oxbow.ops.random;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.tensor.Counts;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Where sampled candidates are true classes: row, position among the candidates, and the lowest float as weight. */
@Signature(
        "ComputeAccidentalHits(true_classes: int64, sampled_candidates: int64) -> (indices: int32, ids: int64, weights: float) {num_true: int; seed: int = 0; seed2: int = 0}")
public record ComputeAccidentalHits(int numTrue) implements NotDifferentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        require(
                c.shape(0).isCompatibleWith(Shape.of(-1, numTrue)),
                INVALID_ARGUMENT,
                "true_candidates must be a batch_size * num_true matrix, got %s",
                c.shape(0));
        require(
                c.shape(1).rank() == 1 || !c.shape(1).isRankKnown(),
                INVALID_ARGUMENT,
                "sampled_candidates must be a vector, got %s",
                c.shape(1));
        Shape hits = Shape.of(-1);
        return List.of(
                new TensorType(DType.I32, hits), new TensorType(DType.I64, hits), new TensorType(DType.F32, hits));
    }

    @Override
    public Kernel cpu() {
        return c -> {
            Tensor classes = c.input(0), sampled = c.input(1);
            Counts.objects(sampled.size() + classes.size(), 96);
            Map<Long, Long> positions = new HashMap<>();
            for (long i = 0; i < sampled.size(); i++) positions.put(sampled.getLong(i), i);
            List<long[]> hits = new ArrayList<>();
            for (long i = 0; i < classes.size(); i++) {
                Long at = positions.get(classes.getLong(i));
                if (at != null) hits.add(new long[] {i / numTrue, at});
            }
            Shape shape = Shape.of(hits.size());
            Tensor rows = c.allocate(0, shape), ids = c.allocate(1, shape), weights = c.allocate(2, shape);
            for (int i = 0; i < hits.size(); i++) {
                rows.setLong(i, hits.get(i)[0]);
                ids.setLong(i, hits.get(i)[1]);
                weights.set(i, -Float.MAX_VALUE);
            }
        };
    }
}
