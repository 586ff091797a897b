package dev.oxbow.ops.flow;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Stateful.Supplying;
import dev.oxbow.ops.Value;
import dev.oxbow.tensor.Counts;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.Arrays;
import java.util.List;

/** A list of the rows of a tensor. */
@Signature(
        "TensorListFromTensor(tensor: element_dtype, element_shape: shape_type) -> (output_handle: variant) {element_dtype: type; shape_type: type in [INT32 INT64]}")
public record TensorListFromTensor() implements Differentiable, Supplying {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        Shape s = Lists.shape(c, 1), x = c.shape(0);
        require(x.rank() != 0, INVALID_ARGUMENT, "Tensor must be at least a vector, but saw shape: %s", x);
        return List.of(Lists.type(c.dtype(0), x.isRankKnown() ? x.slice(1, x.rank()) : s));
    }

    @Override
    public Kernel cpu() {
        return c -> {
            Shape x = c.input(0).shape(), wanted = Lists.shape(c.input(1)), row = x.slice(1, x.rank());
            require(
                    wanted.isCompatibleWith(row),
                    INVALID_ARGUMENT,
                    "Specified a list with shape %s from a tensor with shape %s",
                    wanted,
                    row);
            Tensor all = c.keep(0);
            Tensor[] items = new Tensor[Counts.objects(x.dim(0), 128)];
            for (int i = 0; i < items.length; i++) items[i] = Lists.row(all, i);
            all.release();
            Lists.give(c, 0, TensorList.of(c.input(0).dtype(), wanted, -1, items));
        };
    }

    /** The items of the gradient list, stacked. */
    @Override
    public List<Value> gradient(GradientContext g) {
        Value x = g.input(0);
        int n = x.shape().rank() > 0 ? (int) x.shape().dim(0) : -1;
        return Arrays.asList(Value.apply(new TensorListStack(x.dtype(), n), g.gradient(0), Lists.rowShape(x)), null);
    }
}
