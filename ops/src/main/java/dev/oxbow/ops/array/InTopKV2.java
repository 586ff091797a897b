package dev.oxbow.ops.array;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Pieces;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Arguments;
import dev.oxbow.ops.NotDifferentiable;
import java.util.List;

/** Whether the target of each row is among its k greatest predictions. */
@Signature("InTopKV2(predictions: float, targets: T, k: T) -> (precision: bool) {T: type in [INT32 INT64] = INT32}")
public record InTopKV2() implements NotDifferentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        Arguments.scalar("k", c.shape(2));
        return TopHits.infer(c);
    }

    @Override
    public Pieces cut(InferenceContext c, List<TensorType> outputs, int axis) {
        return Pieces.along(axis, outputs, 0, 0, Pieces.WHOLE);
    }

    @Override
    public Kernel cpu() {
        return c -> TopHits.run(c, c.input(2).getLong(0));
    }
}
