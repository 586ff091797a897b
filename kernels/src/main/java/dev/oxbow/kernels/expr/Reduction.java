package dev.oxbow.kernels.expr;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.kernels.Parallel;
import dev.oxbow.kernels.expr.ElementwiseKernel.Mode;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.MemoryPool;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Reduces the values of an expression along any axes, in one loop with computing them. Thread-safe. */
public final class Reduction {

    /*
     * Values are accumulated in f64, i64 or pairs of f64 (extremes in their own kind), so that rounding happens
     * once, at the end. Folding takes one reduced dimension at a time: the last one along rows when it is reduced,
     * else the innermost one along columns. What is left of the other reduced dimensions, and of the
     * blocks into which long ones are cut, is folded in the same way again. Cuts depend on shapes alone, so the
     * result does not depend on how many threads took part.
     */

    /** What values are reduced by. */
    public enum Operation {
        SUM,
        /** Of integers, truncated; 0 when there are none. */
        MEAN,
        PROD,
        /** NaN when any value is; the lowest value when there are none. */
        MAX,
        /** NaN when any value is; the highest value when there are none. */
        MIN,
        ALL,
        ANY,
        /** The square root of the sum of squared moduli. */
        EUCLIDEAN_NORM
    }

    private static final int CACHE_SIZE = 1024;

    private record Key(Operation operation, Expr map) {}

    private static final Map<Key, Reduction> CACHE =
            Collections.synchronizedMap(new LinkedHashMap<>(64, 0.75f, true) {
                private static final long serialVersionUID = 1;

                @Override
                protected boolean removeEldestEntry(Map.Entry<Key, Reduction> eldest) {
                    return size() > CACHE_SIZE;
                }
            });

    private final Operation operation;
    private final DType dtype;
    private final FoldedValues values;
    private final ElementwiseKernel finish;

    private Reduction(Key key) {
        this.operation = key.operation;
        this.dtype = key.map.dtype();
        List<Expr> wide = Accumulation.values(operation, key.map);
        this.values = new FoldedValues(Accumulation.fold(operation), wide);
        this.finish = ElementwiseKernel.of(Accumulation.result(operation, dtype, values.accumulators));
    }

    /** A reduction of {@code map}, over as many inputs as it uses. */
    public static Reduction of(Operation operation, Expr map) {
        boolean logical = operation == Operation.ALL || operation == Operation.ANY;
        require(
                logical == (map.dtype() == DType.BOOL)
                        && !(map.dtype().isComplex() && (operation == Operation.MAX || operation == Operation.MIN)),
                INVALID_ARGUMENT,
                "Reduction: %s is not defined for %s",
                operation,
                map.dtype());
        return CACHE.computeIfAbsent(new Key(operation, map), Reduction::new);
    }

    public static Reduction of(Operation operation, DType dtype) {
        return of(operation, Expr.input(0, dtype));
    }

    /**
     * Reduces along {@code axes} (each in [-rank, rank)) the values that {@code inputs}, broadcast to {@code shape},
     * give. {@code output} has one element for each index of the other axes, whatever its shape.
     */
    public void run(Parallel parallel, Shape shape, int[] axes, Tensor[] inputs, Tensor output) {
        run(ElementwiseKernel.defaultMode(), parallel, shape, axes, inputs, output);
    }

    /** As above, in a given mode. */
    public void run(Mode mode, Parallel parallel, Shape shape, int[] axes, Tensor[] inputs, Tensor output) {
        boolean[] reduced = new boolean[shape.rank()];
        for (int axis : axes) reduced[Axes.index(axis, shape.rank())] = true;
        long kept = 1;
        for (int d = 0; d < reduced.length; d++) if (!reduced[d]) kept *= shape.dim(d);
        if (output.dtype() != dtype || output.size() != kept) {
            require(
                    false,
                    INVALID_ARGUMENT,
                    "Reduction: %s of %s along %s gives %d elements of %s, got %s",
                    operation,
                    shape,
                    Arrays.toString(axes),
                    kept,
                    dtype,
                    output);
        }
        if (kept == 0) return;
        if (shape.size() == 0) {
            Accumulation.fillEmpty(operation, output);
        } else if (operation == Operation.PROD && dtype.isComplex()) {
            ComplexProduct.run(values.values, shape, axes, inputs, output);
        } else {
            FoldedValues.Folded f = values.fold(mode, parallel, shape, reduced, inputs, straight(output));
            if (f != null) finish(mode, parallel, f, shape.size() / kept, output);
        }
    }

    /** The output, if accumulators are results as they are. */
    private Tensor straight(Tensor output) {
        boolean plain = operation != Operation.MEAN && operation != Operation.EUCLIDEAN_NORM;
        boolean same = values.values.size() == 1 && values.values.getFirst().dtype() == dtype;
        return plain && same ? output : null;
    }

    private void finish(Mode mode, Parallel parallel, FoldedValues.Folded f, long count, Tensor output) {
        Tensor flat = output.reshaped(Shape.of(output.size())), divisor = null;
        try {
            Tensor[] in = f.accumulators();
            if (operation == Operation.MEAN) {
                divisor = MemoryPool.shared().tensor(Accumulation.countType(dtype), Shape.SCALAR, "count");
                if (divisor.dtype() == DType.I64) divisor.setLong(0, count);
                else divisor.set(0, count);
                in = Arrays.copyOf(in, in.length + 1);
                in[in.length - 1] = divisor;
            }
            finish.run(mode, parallel, flat.shape(), in, new Tensor[] {flat});
        } finally {
            flat.release();
            if (divisor != null) divisor.release();
            f.release();
        }
    }
}
