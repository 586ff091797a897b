package dev.oxbow.ops.flow;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

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

/** Lists, each with one row of a tensor more at its end. */
@Signature(
        "TensorListPushBackBatch(input_handles: variant, tensor: element_dtype) -> (output_handles: variant) {element_dtype: type}")
public record TensorListPushBackBatch(DType elementDtype) implements NotDifferentiable, Supplying {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return List.of(c.input(0));
    }

    @Override
    public Kernel cpu() {
        return c -> {
            Tensor lists = c.input(0), x = c.input(1);
            require(
                    x.shape().rank() >= 1
                            && lists.shape().rank() == 1
                            && x.shape().dim(0) == lists.shape().dim(0),
                    INVALID_ARGUMENT,
                    "Expected tensor.shape[0] == input_handles.size, but saw %s vs. %s",
                    x.shape(),
                    lists.shape());
            Tensor all = c.keep(1);
            Object[] longer = new Object[lists.objects().length];
            for (int i = 0; i < longer.length; i++)
                longer[i] = list(lists, i, x).with(Lists.row(all, i));
            all.release();
            c.set(0, Tensor.ofObjects(DType.VARIANT, lists.shape(), longer));
        };
    }

    private TensorList list(Tensor lists, int i, Tensor x) {
        TensorList l = Lists.checked(Lists.of(lists.objects()[i]), elementDtype);
        Shape row = x.shape().slice(1, x.shape().rank());
        require(
                l.elementShape().isCompatibleWith(row),
                INVALID_ARGUMENT,
                "Tried to append a tensor with incompatible shape to a list at index %d. Op element shape: %s list shape: %s",
                i,
                row,
                l.elementShape());
        return l;
    }
}
