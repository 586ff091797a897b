package dev.oxbow.ops;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.Elementwise;
import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.expr.Expr;
import dev.oxbow.tensor.Shape;
import java.util.List;

/** An elementwise op of two inputs that broadcast, whole from its expression. */
public interface BinaryOp extends Elementwise {
    Expr expression(Expr x, Expr y);

    @Override
    default List<Expr> expressions(List<Expr> inputs) {
        return List.of(expression(inputs.get(0), inputs.get(1)));
    }

    @Override
    default List<TensorType> infer(InferenceContext c) {
        Shape s = Shape.broadcast(c.shape(0), c.shape(1));
        require(s != null, INVALID_ARGUMENT, "Incompatible shapes: %s vs. %s", c.shape(0), c.shape(1));
        return List.of(new TensorType(c.outputDtype(0), s));
    }

    @Override
    default Kernel cpu() {
        return new ElementwiseCpu(this);
    }
}
