package dev.oxbow.ops.flow;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Stateful.Supplying;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.array.ConcatV2;
import dev.oxbow.tensor.DType;
import java.util.Arrays;
import java.util.List;

/** A list of consecutive parts of a tensor along its first axis. */
@Signature(
        "TensorListSplit(tensor: element_dtype, element_shape: shape_type, lengths: int64) -> (output_handle: variant) {element_dtype: type; shape_type: type in [INT32 INT64]}")
public record TensorListSplit() implements Differentiable, Supplying {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return List.of(Lists.type(c.dtype(0), Lists.shape(c, 1)));
    }

    @Override
    public Kernel cpu() {
        return c -> {
            Lists.give(c, 0, ListConcat.split(c));
        };
    }

    /** The items of the gradient list, one after the other. */
    @Override
    public List<Value> gradient(GradientContext g) {
        Value x = g.input(0);
        Value any = Value.apply(
                new ConcatV2(),
                x.ops().constant(new int[] {-1}),
                Lists.rowShape(x),
                x.ops().constant(DType.I32, 0));
        Value dx = Value.applyAll(new TensorListConcatV2(x.dtype()), g.gradient(0), any, g.input(2))
                .get(0);
        return Arrays.asList(dx, null, null);
    }
}
