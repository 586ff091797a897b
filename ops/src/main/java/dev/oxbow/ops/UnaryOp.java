package dev.oxbow.ops;

import dev.oxbow.graph.Elementwise;
import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.expr.Expr;
import java.util.List;

/** An elementwise op of one input, whole from its expression: inference and every kernel follow. */
public interface UnaryOp extends Elementwise {
    Expr expression(Expr x);

    @Override
    default List<Expr> expressions(List<Expr> inputs) {
        return List.of(expression(inputs.get(0)));
    }

    @Override
    default List<TensorType> infer(InferenceContext c) {
        return List.of(new TensorType(c.outputDtype(0), c.shape(0)));
    }

    @Override
    default Kernel cpu() {
        return new ElementwiseCpu(this);
    }
}
