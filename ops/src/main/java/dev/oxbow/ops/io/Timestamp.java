package dev.oxbow.ops.io;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.ops.Stateful.Drawing;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import java.util.List;

/** The time in seconds since 1970. */
@Signature("Timestamp() -> (ts: double) stateful")
public record Timestamp() implements NotDifferentiable, Drawing {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return List.of(new TensorType(DType.F64, Shape.SCALAR));
    }

    @Override
    public Kernel cpu() {
        return c -> c.output(0).set(0, System.currentTimeMillis() / 1000.0);
    }
}
