package dev.oxbow.ops.queue;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.KernelContext;
import dev.oxbow.kernels.expr.Expr;
import dev.oxbow.kernels.expr.compile.ElementwiseKernel;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.Deque;

/** Sums up gradients until so many have come as somebody asks for; gradients of earlier steps are dropped. */
abstract class Accumulator extends WaitingResource {
    final DType dtype;
    final Shape shape;
    final boolean mean;
    private final Deque<Attempt> takes = line(true);
    private long step;
    int count;

    Accumulator(String name, DType dtype, Shape shape, String reduction) {
        super(name);
        this.dtype = dtype;
        this.shape = shape;
        this.mean = reduction.equals("MEAN");
    }

    int count() {
        return change(() -> count);
    }

    void setStep(long to) {
        change(() -> step = to);
    }

    /** Adds a gradient that was computed at {@code localStep} by {@code add}, unless it is too old. */
    void apply(long localStep, Runnable add) {
        change(() -> {
            if (localStep < step) return null;
            add.run();
            count++;
            return null;
        });
    }

    /** Waits for {@code required} gradients, gives their sum or mean as {@code wanted}, and begins the next step. */
    void take(KernelContext c, int required, DType wanted) {
        require(wanted == dtype, INVALID_ARGUMENT, "the accumulator is of %s, wanted was %s", dtype, wanted);
        submit(takes, new Attempt(c) {
            @Override
            Progress run() {
                if (count < required) return Progress.NONE;
                give(c);
                count = 0;
                step++;
                return Progress.DONE;
            }
        });
    }

    /** Gives the outputs and forgets the gradients; called under the lock. */
    abstract void give(KernelContext c);

    @Override
    public String kind() {
        return "ConditionalAccumulator";
    }

    /** {@code target = target + x} in place. */
    static void add(KernelContext c, Tensor target, Tensor x) {
        Expr a = Expr.input(0, x.dtype()), b = Expr.input(1, x.dtype());
        ElementwiseKernel.of(a.plus(b))
                .run(c.parallel(), target.shape(), new Tensor[] {target, x}, new Tensor[] {target});
    }

    /** {@code target = target / n} in place. */
    static void divide(KernelContext c, Tensor target, int n) {
        Expr a = Expr.input(0, target.dtype());
        ElementwiseKernel.of(a.dividedBy(a.literal(n)))
                .run(c.parallel(), target.shape(), new Tensor[] {target}, new Tensor[] {target});
    }
}
