package dev.oxbow.ops.sparse;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Arguments;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.array.Unpack;
import dev.oxbow.tensor.Counts;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.Arrays;
import java.util.List;

/** A sparse matrix times a dense one, either side transposed and conjugated first. */
@Signature(
        "SparseTensorDenseMatMul(a_indices: Tindices, a_values: T, a_shape: int64, b: T) -> (product: T) {T: type; Tindices: type in [INT32 INT64] = INT64; adjoint_a: bool = false; adjoint_b: bool = false}")
public record SparseTensorDenseMatMul(boolean adjointA, boolean adjointB) implements Differentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        Arguments.rank("a_indices", c.shape(0), 2);
        Arguments.rank("b", c.shape(3), 2);
        long[] a = c.longs(2);
        Shape b = c.shape(3).isRankKnown() ? c.shape(3) : Shape.ofRank(2);
        long columns = b.dim(adjointB ? 0 : 1);
        if (a == null) return List.of(new TensorType(c.dtype(1), Shape.of(-1, columns)));
        require(a.length == 2, INVALID_ARGUMENT, "Tensor 'a_shape' must have 2 elements, got %d", a.length);
        long inner = a[adjointA ? 0 : 1], other = b.dim(adjointB ? 1 : 0);
        require(
                other < 0 || inner == other,
                INVALID_ARGUMENT,
                "Cannot multiply A and B because inner dimension does not match: %d vs. %d",
                inner,
                other);
        return List.of(new TensorType(c.dtype(1), Shape.of(a[adjointA ? 1 : 0], columns)));
    }

    @Override
    public Kernel cpu() {
        return c -> {
            Tensor y = c.output(0), values = c.input(1), b = c.input(3);
            Coordinates a = Coordinates.of(c.input(0), values, c.input(2));
            for (int k = 0; k < a.count(); k++)
                for (int d = 0; d < 2; d++)
                    require(
                            a.rows()[k][d] >= 0 && a.rows()[k][d] < a.shape()[d],
                            INVALID_ARGUMENT,
                            "%s (%d) from index[%d,%d] out of bounds (>=%d)",
                            d == (adjointA ? 0 : 1) ? "k" : "m",
                            a.rows()[k][d],
                            k,
                            d,
                            a.shape()[d]);
            long n = y.shape().dim(1), stride = b.shape().dim(1);
            boolean complex = y.dtype().isComplex();
            double[] sums = Counts.array(y.size() * (complex ? 2 : 1), double[]::new);
            for (int k = 0; k < a.count(); k++) {
                long row = a.rows()[k][adjointA ? 1 : 0], inner = a.rows()[k][adjointA ? 0 : 1];
                for (long j = 0; j < n; j++) {
                    long at = adjointB ? j * stride + inner : inner * stride + j;
                    int to = (int) (row * n + j);
                    if (!complex) {
                        sums[to] += values.getDouble(k) * b.getDouble(at);
                        continue;
                    }
                    double re = part(values, 2 * k), im = part(values, 2 * k + 1) * (adjointA ? -1 : 1);
                    double x = part(b, 2 * at), z = part(b, 2 * at + 1) * (adjointB ? -1 : 1);
                    sums[2 * to] += re * x - im * z;
                    sums[2 * to + 1] += re * z + im * x;
                }
            }
            for (int i = 0; i < sums.length; i++) {
                if (y.dtype() == DType.C64) Memory.putFloat(y.address() + 4L * i, (float) sums[i]);
                else if (complex) Memory.putDouble(y.address() + 8L * i, sums[i]);
                else y.set(i, sums[i]);
            }
        };
    }

    private static double part(Tensor t, long i) {
        return t.dtype() == DType.C64 ? Memory.getFloat(t.address() + 4 * i) : Memory.getDouble(t.address() + 8 * i);
    }

    /** {@code db = a' dy}, and for each entry of a the product of its row of dy with its column of b. */
    @Override
    public List<Value> gradient(GradientContext g) {
        Value indices = g.input(0), values = g.input(1), shape = g.input(2), b = g.input(3), dy = g.gradient(0);
        Value db = Value.apply(new SparseTensorDenseMatMul(!adjointA, false), indices, values, shape, dy);
        List<Value> both = Value.applyAll(new Unpack(2, 1), indices);
        Value rows = both.get(adjointA ? 1 : 0), inner = both.get(adjointA ? 0 : 1);
        Value partsB = (adjointB ? b.transpose(1, 0).conj() : b).gather(inner, 0);
        Value da = dy.gather(rows, 0).times(partsB.conj()).sum(1);
        return Arrays.asList(
                null,
                adjointA ? da.conj() : da,
                null,
                adjointB ? db.transpose(1, 0).conj() : db);
    }
}
