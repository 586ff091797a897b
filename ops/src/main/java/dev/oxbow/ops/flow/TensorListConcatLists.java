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
import dev.oxbow.tensor.Tensor;
import java.util.List;

/** The items of one list followed by those of another, for each pair of lists. */
@Signature("TensorListConcatLists(input_a: variant, input_b: variant) -> (output: variant) {element_dtype: type}")
public record TensorListConcatLists(DType elementDtype) implements NotDifferentiable, Supplying {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return List.of(c.input(0));
    }

    @Override
    public Kernel cpu() {
        return c -> {
            Tensor a = c.input(0), b = c.input(1);
            require(
                    a.shape().equals(b.shape()),
                    INVALID_ARGUMENT,
                    "Incompatible input TensorList tensor shapes: %s vs. %s",
                    a.shape(),
                    b.shape());
            Object[] lists = new Object[a.objects().length];
            for (int i = 0; i < lists.length; i++) {
                TensorList x = Lists.checked(Lists.of(a.objects()[i]), elementDtype);
                TensorList y = Lists.checked(Lists.of(b.objects()[i]), elementDtype);
                require(
                        x.elementShape().isCompatibleWith(y.elementShape()),
                        INVALID_ARGUMENT,
                        "input_a and input_b TensorList element shapes are not identical at index %d: %s vs. %s",
                        i,
                        x.elementShape(),
                        y.elementShape());
                Tensor[] items = x.items((long) x.size() + y.size()), more = y.items(y.size());
                System.arraycopy(more, 0, items, x.size(), more.length);
                lists[i] = TensorList.of(elementDtype, x.elementShape(), -1, items);
            }
            c.set(0, Tensor.ofObjects(DType.VARIANT, a.shape(), lists));
        };
    }
}
