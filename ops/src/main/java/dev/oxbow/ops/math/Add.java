package dev.oxbow.ops.math;

import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.kernels.expr.Expr;
import dev.oxbow.ops.BinaryOp;
import dev.oxbow.ops.Broadcasting;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.ElementwiseCpu;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import dev.oxbow.tensor.DType;
import java.util.Arrays;
import java.util.List;

/** Sum: {@code z = x + y}; strings are joined. */
@Signature("Add(x: T, y: T) -> (z: T) {T: type in [FLOATING COMPLEX UINT8 INT8 INT16 INT32 INT64 STRING]}")
public record Add() implements BinaryOp, Differentiable {

    @Override
    public Expr expression(Expr x, Expr y) {
        return x.plus(y);
    }

    @Override
    public Kernel cpu() {
        Kernel numbers = new ElementwiseCpu(this);
        return c -> {
            if (c.input(0).dtype() != DType.STRING) {
                numbers.run(c);
                return;
            }
            Object[] z = c.output(0).objects();
            StringLoops.broadcast(c.input(0), c.input(1), c.output(0).shape(), (i, x, y) -> {
                byte[] joined = Arrays.copyOf(x, x.length + y.length);
                System.arraycopy(y, 0, joined, x.length, y.length);
                z[(int) i] = joined;
            });
        };
    }

    /** {@code dx = dy = dz}. */
    @Override
    public List<Value> gradient(GradientContext g) {
        return Broadcasting.reduce(g.input(0), g.input(1), g.gradient(0), g.gradient(0));
    }
}
