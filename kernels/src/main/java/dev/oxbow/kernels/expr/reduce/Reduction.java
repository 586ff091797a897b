package dev.oxbow.kernels.expr.reduce;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.kernels.Parallel;
import dev.oxbow.kernels.expr.Expr;
import dev.oxbow.kernels.expr.compile.ElementwiseKernel;
import dev.oxbow.kernels.expr.compile.ElementwiseKernel.Mode;
import dev.oxbow.kernels.expr.compile.Fold;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.MemoryPool;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Reduces the values of expressions along any axes, in one loop with computing them. Thread-safe. */
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

    private record Key(Operation operation, List<Expr> maps) {}

    private static final Map<Key, Reduction> CACHE = Collections.synchronizedMap(new LinkedHashMap<>(64, 0.75f, true) {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Key, Reduction> eldest) {
            return size() > CACHE_SIZE;
        }
    });

    private final Operation operation;
    private final List<Expr> maps;
    private final FoldedValues values;
    private final ElementwiseKernel finish;
    /** Whether accumulators are results as they are. */
    private final boolean isStraight;

    private Reduction(Key key) {
        this.operation = key.operation;
        this.maps = key.maps;
        List<Expr> wide = new ArrayList<>();
        for (Expr map : maps) wide.addAll(Accumulation.values(operation, map));
        this.values = new FoldedValues(Accumulation.fold(operation), wide);
        this.finish = ElementwiseKernel.of(Accumulation.results(operation, maps, values.accumulators));
        boolean straight = operation != Operation.MEAN && operation != Operation.EUCLIDEAN_NORM;
        for (int i = 0; i < maps.size(); i++)
            straight &= wide.get(i).dtype() == maps.get(i).dtype();
        this.isStraight = straight && wide.size() == maps.size();
    }

    /**
     * What is folded how, and what is made of it: {@code results} take the accumulators and, for means, the count as f64 and as
     * i64. For devices that run it by code of their own.
     */
    public record Parts(Fold fold, List<Expr> values, List<Expr> results) {}

    /** The parts of a reduction of each of {@code maps}. */
    public static Parts parts(Operation operation, List<Expr> maps) {
        Reduction r = of(operation, maps);
        return new Parts(r.values.fold, r.values.values, r.finish.outputs());
    }

    /** A reduction of each of {@code maps}, over as many inputs as they use. */
    public static Reduction of(Operation operation, List<Expr> maps) {
        boolean logical = operation == Operation.ALL || operation == Operation.ANY;
        boolean ordered = operation == Operation.MAX || operation == Operation.MIN;
        for (Expr map : maps) {
            require(
                    logical == (map.dtype() == DType.BOOL) && !(map.dtype().isComplex() && ordered),
                    INVALID_ARGUMENT,
                    "Reduction: %s is not defined for %s",
                    operation,
                    map.dtype());
        }
        return CACHE.computeIfAbsent(new Key(operation, List.copyOf(maps)), Reduction::new);
    }

    public static Reduction of(Operation operation, Expr map) {
        return of(operation, List.of(map));
    }

    public static Reduction of(Operation operation, DType dtype) {
        return of(operation, Expr.input(0, dtype));
    }

    /**
     * Reduces along {@code axes} (each in [-rank, rank)) the values that {@code inputs}, broadcast to {@code shape},
     * give. {@code output} has one element for each index of the other axes, whatever its shape.
     */
    public void run(Parallel parallel, Shape shape, int[] axes, Tensor[] inputs, Tensor output) {
        run(parallel, shape, axes, inputs, new Tensor[] {output});
    }

    /** The same with an output for each map. */
    public void run(Parallel parallel, Shape shape, int[] axes, Tensor[] inputs, Tensor[] outputs) {
        run(ElementwiseKernel.defaultMode(), parallel, shape, axes, inputs, outputs);
    }

    /** As above, in a given mode. */
    public void run(Mode mode, Parallel parallel, Shape shape, int[] axes, Tensor[] inputs, Tensor[] outputs) {
        boolean[] reduced = new boolean[shape.rank()];
        for (int axis : axes) reduced[Axes.index(axis, shape.rank())] = true;
        long kept = 1;
        for (int d = 0; d < reduced.length; d++) if (!reduced[d]) kept *= shape.dim(d);
        for (int i = 0; i < maps.size(); i++)
            check(shape, axes, kept, maps.get(i).dtype(), outputs[i]);
        if (kept == 0) return;
        if (shape.size() == 0) {
            for (Tensor output : outputs) Accumulation.fillEmpty(operation, output);
        } else if (operation == Operation.PROD && outputs[0].dtype().isComplex()) {
            for (int i = 0; i < outputs.length; i++) {
                ComplexProduct.run(Accumulation.values(operation, maps.get(i)), shape, axes, inputs, outputs[i]);
            }
        } else {
            Tensor[] straight = isStraight ? outputs : null;
            Tensor[] accumulators = values.fold(mode, parallel, shape, reduced, inputs, straight);
            if (accumulators != straight) finish(mode, parallel, accumulators, shape.size() / kept, outputs);
        }
    }

    private void check(Shape shape, int[] axes, long kept, DType dtype, Tensor output) {
        if (output.dtype() == dtype && output.size() == kept) return;
        require(
                false,
                INVALID_ARGUMENT,
                "Reduction: %s of %s along %s gives %d elements of %s, got %s",
                operation,
                shape,
                Arrays.toString(axes),
                kept,
                dtype,
                output.describe());
    }

    private void finish(Mode mode, Parallel parallel, Tensor[] accumulators, long count, Tensor[] outputs) {
        Shape flat = accumulators[0].shape();
        List<Tensor> held = new ArrayList<>(List.of(accumulators));
        try {
            Tensor[] in = accumulators, out = new Tensor[outputs.length];
            if (operation == Operation.MEAN) {
                Tensor floating = MemoryPool.shared().tensor(DType.F64, Shape.SCALAR, "count");
                Tensor whole = MemoryPool.shared().tensor(DType.I64, Shape.SCALAR, "count");
                floating.set(0, count);
                whole.setLong(0, count);
                held.add(floating);
                held.add(whole);
                in = held.toArray(Tensor[]::new);
            }
            for (int i = 0; i < out.length; i++) held.add(out[i] = outputs[i].view(flat));
            finish.run(mode, parallel, flat, in, out);
        } finally {
            for (Tensor t : held) t.release();
        }
    }
}
