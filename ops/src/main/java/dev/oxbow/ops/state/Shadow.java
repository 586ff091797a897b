package dev.oxbow.ops.state;

import dev.oxbow.graph.Attr;
import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.graph.Variable;
import dev.oxbow.kernels.expr.Expr;
import dev.oxbow.kernels.expr.compile.ElementwiseKernel;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Tensor;
import java.util.List;

/**
 * The value of a variable in another dtype, {@code y = cast(value)}, which is kept beside the variable and written by its updates: it is
 * computed only where something else has changed that. Made when a part is compiled.
 */
@Signature("_Shadow(resource: resource, value: T) -> (y: DstT) {T: type; DstT: type}")
public record Shadow(@Attr("DstT") DType dstT) implements Op {

    /** Fills a tensor with another one's elements in its own dtype. */
    @FunctionalInterface
    public interface Casting {
        void cast(KernelContext c, Tensor from, Tensor to);
    }

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return List.of(new TensorType(dstT, c.shape(1)));
    }

    @Override
    public boolean suppliesOutputs() {
        return true;
    }

    @Override
    public Kernel cpu() {
        return by((c, from, to) -> ElementwiseKernel.of(
                        Expr.input(0, from.dtype()).cast(dstT))
                .run(c.parallel(), to.shape(), new Tensor[] {from}, new Tensor[] {to}));
    }

    /** The kernel of a device that casts so. */
    public Kernel by(Casting casting) {
        return c -> {
            Variable v = Variables.of(c, 0);
            Tensor value = c.input(1), kept = v.shadow(value, dstT);
            if (kept == null) {
                kept = c.temporary(dstT, value.shape());
                casting.cast(c, value, kept);
                v.keepShadow(value, kept);
            }
            c.set(0, kept);
        };
    }
}
