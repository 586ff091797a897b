package dev.oxbow.ops.flow;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.ops.Stateful.Supplying;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.List;

/** The partial shape of a list's items; a scalar -1 when nothing is known. */
@Signature(
        "TensorListElementShape(input_handle: variant) -> (element_shape: shape_type) {shape_type: type in [INT32 INT64]}")
public record TensorListElementShape(DType shapeType) implements NotDifferentiable, Supplying {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        Shape s = c.input(0).behind().isEmpty()
                ? Shape.UNKNOWN
                : c.input(0).behind().get(0).shape();
        return List.of(new TensorType(shapeType, s.isRankKnown() ? Shape.of(s.rank()) : Shape.UNKNOWN));
    }

    @Override
    public Kernel cpu() {
        return c -> {
            Shape s = Lists.of(c, 0).elementShape();
            Tensor y = c.allocate(0, s.isRankKnown() ? Shape.of(s.rank()) : Shape.SCALAR);
            if (!s.isRankKnown()) y.setLong(0, -1);
            for (int i = 0; i < s.rank(); i++) y.setLong(i, s.dim(i));
        };
    }
}
