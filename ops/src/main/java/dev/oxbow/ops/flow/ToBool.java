package dev.oxbow.ops.flow;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.List;

/** Whether a number is not zero, a string not empty, or a value that is no scalar has elements. */
@Signature("ToBool(input: T) -> (output: bool) {T: type}")
public record ToBool() implements NotDifferentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return List.of(new TensorType(DType.BOOL, Shape.SCALAR));
    }

    @Override
    public Kernel cpu() {
        return c -> {
            Tensor x = c.input(0);
            boolean y;
            if (!x.shape().isScalar()) y = x.size() > 0;
            else if (x.dtype() == DType.STRING) y = ((byte[]) x.objects()[0]).length > 0;
            else y = x.getDouble(0) != 0;
            c.output(0).setLong(0, y ? 1 : 0);
        };
    }
}
