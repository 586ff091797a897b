package dev.oxbow.ops.flow;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Stateful.Supplying;
import dev.oxbow.ops.Value;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import java.util.List;

/** The items of a list one after the other along their first axis, and how long each is. */
@Signature(
        "TensorListConcat(input_handle: variant) -> (tensor: element_dtype, lengths: int64) {element_dtype: type; element_shape: shape = shape { unknown_rank: true }}")
public record TensorListConcat(DType elementDtype, Shape elementShape) implements Differentiable, Supplying {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        Shape s = Lists.element(c, 0, elementDtype).shape().merge(elementShape);
        Shape all = s == null || s.rank() < 1 ? Shape.UNKNOWN : s.withDim(0, -1);
        return List.of(new TensorType(elementDtype, all), new TensorType(DType.I64, Shape.of(-1)));
    }

    @Override
    public Kernel cpu() {
        return c -> {
            ListConcat.concat(c, Lists.of(c, 0, elementDtype), elementShape, new long[0]);
        };
    }

    /** A list of the parts of {@code dy}. */
    @Override
    public List<Value> gradient(GradientContext g) {
        Value d = Value.apply(new TensorListSplit(), g.gradient(0), Lists.elementShape(g.input(0)), g.output(1));
        return List.of(d);
    }
}
