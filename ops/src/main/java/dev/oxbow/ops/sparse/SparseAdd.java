package dev.oxbow.ops.sparse;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.move.Combine;
import dev.oxbow.ops.Arguments;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The sum of two sparse tensors, without entries of both whose sum is smaller than a threshold. */
@Signature(
        "SparseAdd(a_indices: int64, a_values: T, a_shape: int64, b_indices: int64, b_values: T, b_shape: int64, thresh: Treal) -> (sum_indices: int64, sum_values: T, sum_shape: int64) {T: type in [NUMBER]; Treal: type in [REAL]}")
public record SparseAdd() implements Differentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        Arguments.scalar("thresh", c.shape(6));
        Arguments.merge(c.shape(2), c.shape(5));
        return Coordinates.types(c.dtype(1), Coordinates.rank(c, 2));
    }

    @Override
    public Kernel cpu() {
        return c -> {
            Coordinates a = Coordinates.of(c.input(0), c.input(1), c.input(2));
            Coordinates b = Coordinates.of(c.input(3), c.input(4), c.input(5));
            require(
                    Arrays.equals(a.shape(), b.shape()),
                    INVALID_ARGUMENT,
                    "Input shapes do not match: %s vs. %s",
                    Arrays.toString(a.shape()),
                    Arrays.toString(b.shape()));
            DType dtype = a.values().dtype();
            int w = dtype.size(), i = 0, j = 0;
            long n = a.count() + b.count();
            Tensor sums = c.temporary(dtype, Shape.of(n));
            List<long[]> rows = new ArrayList<>();
            List<Integer> kept = new ArrayList<>();
            double threshold = c.input(6).getDouble(0);
            for (int k = 0; i < a.count() || j < b.count(); k++) {
                int order = i == a.count() ? 1 : j == b.count() ? -1 : Arrays.compare(a.rows()[i], b.rows()[j]);
                long at = sums.address() + (long) k * w;
                rows.add(order <= 0 ? a.rows()[i] : b.rows()[j]);
                if (order <= 0) Memory.copy(a.values().address() + (long) i++ * w, at, w);
                if (order > 0) Memory.copy(b.values().address() + (long) j++ * w, at, w);
                if (order == 0) Combine.ADD.apply(dtype, at, b.values().address() + (long) j++ * w, 1);
                if (order != 0 || size(sums, k) >= threshold) kept.add(k);
            }
            Coordinates.emit(c, 0, kept.stream().map(rows::get).toList(), a.rank());
            Coordinates.pick(
                    c, 1, sums, kept.stream().mapToInt(Integer::intValue).toArray());
            Coordinates.vector(c, 2, a.shape());
            sums.release();
        };
    }

    private static double size(Tensor t, long i) {
        return switch (t.dtype()) {
            case C64 -> Math.hypot(Memory.getFloat(t.address() + 8 * i), Memory.getFloat(t.address() + 8 * i + 4));
            case C128 -> Math.hypot(Memory.getDouble(t.address() + 16 * i), Memory.getDouble(t.address() + 16 * i + 8));
            default -> Math.abs(t.getDouble(i));
        };
    }

    /** Each entry gets the gradient of the sum at its place. */
    @Override
    public List<Value> gradient(GradientContext g) {
        List<Value> d = Value.applyAll(new SparseAddGrad(), g.gradient(1), g.input(0), g.input(3), g.output(0));
        return Arrays.asList(null, d.get(0), null, null, d.get(1), null, null);
    }
}
