package dev.oxbow.ops.math;

import static dev.oxbow.tensor.ErrorCode.UNIMPLEMENTED;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.Attr;
import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.expr.Expr;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.ElementwiseCpu;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.UnaryOp;
import dev.oxbow.ops.Value;
import dev.oxbow.tensor.DType;
import java.util.Arrays;
import java.util.List;

/** The value in another dtype, as C++ converts it. */
@Signature("Cast(x: SrcT) -> (y: DstT) {SrcT: type; DstT: type; Truncate: bool = false}")
public record Cast(@Attr("DstT") DType dstT) implements UnaryOp, Differentiable {

    @Override
    public Expr expression(Expr x) {
        return x.cast(dstT);
    }

    @Override
    public List<TensorType> infer(InferenceContext c) {
        require(
                !dstT.isObject() && !c.dtype(0).isObject() || c.dtype(0) == dstT,
                UNIMPLEMENTED,
                "Cast %s to %s is not supported",
                c.dtype(0).inWords(),
                dstT.inWords());
        return List.of(new TensorType(dstT, c.shape(0)));
    }

    @Override
    public boolean suppliesOutputs() {
        return dstT.isObject();
    }

    @Override
    public Kernel cpu() {
        return dstT.isObject() ? c -> c.forward(0, 0) : new ElementwiseCpu(this);
    }

    /** {@code dx = dy} in the dtype of x, when both are real or complex numbers with fractions. */
    @Override
    public List<Value> gradient(GradientContext g) {
        DType from = g.node().input(0).type().dtype();
        boolean smooth = (from.isFloating() || from.isComplex()) && (dstT.isFloating() || dstT.isComplex());
        return Arrays.asList(smooth ? g.gradient(0).cast(from) : null);
    }
}
