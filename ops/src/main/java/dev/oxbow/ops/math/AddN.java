package dev.oxbow.ops.math;

import dev.oxbow.graph.Elementwise;
import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.expr.ElementwiseKernel;
import dev.oxbow.kernels.expr.Expr;
import dev.oxbow.ops.Arguments;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.ElementwiseCpu;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.Variants;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Sum of any number of values of one shape. */
@Signature("AddN(inputs: N*T) -> (sum: T) {N: int >= 1; T: type in [NUMBER VARIANT]} commutative")
public record AddN() implements Elementwise, Differentiable {

    private static final int MOST_AT_ONCE = 256;

    @Override
    public List<Expr> expressions(List<Expr> inputs) {
        return List.of(inputs.stream().reduce(Expr::plus).orElseThrow());
    }

    @Override
    public List<TensorType> infer(InferenceContext c) {
        Shape s = c.shape(0);
        for (int i = 1; i < c.inputCount(); i++) s = Arguments.merge(s, c.shape(i));
        return List.of(c.input(0).withShape(s));
    }

    @Override
    public Kernel cpu() {
        Kernel numbers = new ElementwiseCpu(this);
        return c -> {
            if (c.input(0).dtype() == DType.VARIANT) c.set(0, sum(c));
            else if (c.inputCount() <= MOST_AT_ONCE) numbers.run(c);
            else sumInParts(c);
        };
    }

    /** An expression has a register for each input, so long sums go on from the sum of the inputs before. */
    private void sumInParts(KernelContext c) {
        List<Expr> leaves = new ArrayList<>();
        for (int i = 0; i < MOST_AT_ONCE; i++)
            leaves.add(Expr.input(i, c.input(0).dtype()));
        ElementwiseKernel all = ElementwiseKernel.of(expressions(leaves));
        // an output may lie where an input does, so it is written last
        Tensor sum = c.temporary(c.output(0).dtype(), c.output(0).shape());
        try {
            Tensor[] part = new Tensor[MOST_AT_ONCE];
            int at = 0;
            for (int i = 0; i < MOST_AT_ONCE; i++) part[i] = c.input(at++);
            all.run(c.parallel(), sum.shape(), part, new Tensor[] {sum});
            part[0] = sum;
            for (; at + MOST_AT_ONCE - 1 < c.inputCount(); ) {
                for (int i = 1; i < MOST_AT_ONCE; i++) part[i] = c.input(at++);
                all.run(c.parallel(), sum.shape(), part, new Tensor[] {sum});
            }
            Tensor[] rest = new Tensor[1 + c.inputCount() - at];
            rest[0] = sum;
            for (int i = 1; i < rest.length; i++) rest[i] = c.input(at++);
            ElementwiseKernel.of(expressions(leaves.subList(0, rest.length)))
                    .run(c.parallel(), sum.shape(), rest, new Tensor[] {c.output(0)});
        } finally {
            sum.release();
        }
    }

    private static Tensor sum(KernelContext c) {
        Tensor total = c.input(0).retain();
        for (int i = 1; i < c.inputCount(); i++) {
            Tensor before = total;
            total = Variants.sum(before, c.input(i), c);
            before.release();
        }
        return total;
    }

    /** {@code dx = dy} for every x. */
    @Override
    public List<Value> gradient(GradientContext g) {
        return Collections.nCopies(g.node().inputCount(), g.gradient(0));
    }
}
