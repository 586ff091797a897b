package dev.oxbow.ops.state;

import static dev.oxbow.tensor.ErrorCode.INTERNAL;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.kernels.expr.Expr;
import java.util.Map;

/** The inputs of an optimizer's op as expressions, by argument name, and the constants that formulas need. */
record OptimizerInputs(Map<String, Expr> byName) {

    Expr get(String name) {
        Expr e = byName.get(name);
        require(e != null, INTERNAL, "Optimizer: no input '%s' among %s", name, byName.keySet());
        return e;
    }

    Expr gradient() {
        return byName.containsKey("grad") ? get("grad") : get("delta");
    }

    Expr constant(double value) {
        return gradient().literal(value);
    }
}
