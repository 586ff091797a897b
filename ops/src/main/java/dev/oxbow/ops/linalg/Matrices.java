package dev.oxbow.ops.linalg;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.array.BroadcastGradientArgs;
import dev.oxbow.ops.array.ConcatV2;
import dev.oxbow.ops.array.ConjugateTranspose;
import dev.oxbow.ops.array.MatrixBandPart;
import dev.oxbow.ops.array.MatrixDiag;
import dev.oxbow.ops.array.MatrixDiagPart;
import dev.oxbow.ops.array.MatrixSetDiag;
import dev.oxbow.ops.array.OnesLike;
import dev.oxbow.ops.array.Range;
import dev.oxbow.ops.array.StridedSlice;
import dev.oxbow.ops.array.Transpose;
import dev.oxbow.ops.array.ZerosLike;
import dev.oxbow.ops.math.Sum;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.Arrays;
import java.util.List;

/** What ops on batches of matrices share: shapes, and the algebra that their gradients are written in. */
final class Matrices {
    private Matrices() {}

    /** The shape of an input that must have two dimensions at least; with unknown rank, nothing. */
    static Shape matrices(InferenceContext c, int i) {
        Shape s = c.shape(i);
        require(
                !s.isRankKnown() || s.rank() >= 2,
                INVALID_ARGUMENT,
                "Input tensor %d must have rank >= 2, got %s",
                i,
                s);
        return s;
    }

    /** The same for square matrices, with what one side tells of the other. */
    static Shape square(InferenceContext c, int i) {
        Shape s = matrices(c, i);
        if (!s.isRankKnown()) return s;
        long rows = s.dim(-2), columns = s.dim(-1), n = Math.max(rows, columns);
        require(rows < 0 || columns < 0 || rows == columns, INVALID_ARGUMENT, "Input matrix must be square, got %s", s);
        return s.withDim(-2, n).withDim(-1, n);
    }

    /** The dimensions ahead of the matrices. */
    static Shape batch(Shape s) {
        return s.isRankKnown() ? s.slice(0, s.rank() - 2) : Shape.UNKNOWN;
    }

    static Shape of(Shape batch, long rows, long columns) {
        return batch.concat(Shape.of(rows, columns));
    }

    static long dim(Shape s, int i) {
        return s.isRankKnown() ? s.dim(i) : -1;
    }

    /** The shape of the solutions of a system whose batch dimensions are equal, or broadcast. */
    static Shape solution(InferenceContext c, Shape a, boolean square, boolean broadcasts) {
        Shape b = matrices(c, 1);
        Shape batch = broadcasts ? Shape.broadcast(batch(a), batch(b)) : batch(a).merge(batch(b));
        long rows = dim(a, -2), other = dim(b, -2);
        require(
                batch != null && (rows < 0 || other < 0 || rows == other),
                INVALID_ARGUMENT,
                "Input matrix and rhs are incompatible: %s vs. %s",
                a,
                b);
        return of(batch, square ? Math.max(rows, other) : dim(a, -1), dim(b, -1));
    }

    static Value product(Value a, Value b) {
        return product(a, false, b, false);
    }

    /** {@code a b}, with the adjoint of either side. */
    static Value product(Value a, boolean adjointA, Value b, boolean adjointB) {
        return Value.apply(new BatchMatMulV2(adjointA, adjointB), a, b);
    }

    /** The conjugate transpose of each matrix. */
    static Value adjoint(Value x) {
        return x.dtype().isComplex() ? Value.apply(new ConjugateTranspose(), x, swapLast(x)) : transposed(x);
    }

    static Value transposed(Value x) {
        return Value.apply(new Transpose(), x, swapLast(x));
    }

    private static Value swapLast(Value x) {
        if (x.shape().isRankKnown()) {
            int rank = x.shape().rank();
            int[] p = new int[rank];
            Arrays.setAll(p, i -> i < rank - 2 ? i : 2 * rank - 3 - i);
            return x.ops().constant(p);
        }
        Value rank = x.runtimeRank(), one = x.ops().constant(DType.I32, 1);
        Value ahead = Value.apply(new Range(), x.ops().constant(DType.I32, 0), rank.minus(2), one);
        Value last = x.ops().constant(-1, -2).plus(rank);
        return Value.apply(new ConcatV2(), ahead, last, x.ops().constant(DType.I32, 0));
    }

    /** The part within {@code below} subdiagonals and {@code above} superdiagonals; -1 is all of them. */
    static Value band(Value x, long below, long above) {
        Value b = x.ops().constant(Tensor.scalar(below)), a = x.ops().constant(Tensor.scalar(above));
        return Value.apply(new MatrixBandPart(), x, b, a);
    }

    static Value diagonal(Value x) {
        return Value.apply(new MatrixDiagPart(), x);
    }

    static Value withDiagonal(Value x, Value d) {
        return Value.apply(new MatrixSetDiag(), x, d);
    }

    static Value diagonalMatrix(Value d) {
        return Value.apply(new MatrixDiag(), d);
    }

    /** Identities in the shape of square matrices. */
    static Value identityLike(Value x) {
        return withDiagonal(Value.apply(new ZerosLike(), x), Value.apply(new OnesLike(), diagonal(x)));
    }

    /** One number per matrix, times the matrices. */
    static Value times(Value numbers, Value matrices) {
        return numbers.expandDims(-1).expandDims(-1).times(matrices);
    }

    /** Columns {@code [from, to)}; to the last one when {@code to} is negative. */
    static Value columns(Value x, int from, int to) {
        return Value.apply(
                new StridedSlice(2, to < 0 ? 6 : 2, 1, 0, 0),
                x,
                x.ops().constant(0, 0, from),
                x.ops().constant(0, 0, Math.max(to, 0)),
                x.ops().constant(1, 1, 1));
    }

    /** Rows {@code [from, to)}; {@code to} may be 0 for the last one, or negative to leave some out. */
    static Value rows(Value x, int from, int to) {
        return Value.apply(
                new StridedSlice(4, to == 0 ? 6 : 4, 1, 0, 0),
                x,
                x.ops().constant(0, from, 0),
                x.ops().constant(0, to, 0),
                x.ops().constant(1, 1, 1));
    }

    /** Gradients of operands whose batch dimensions were broadcast, summed back to their shapes. */
    static List<Value> reduceBatch(Value a, Value b, Value da, Value db) {
        Shape sa = a.shape(), sb = b.shape();
        if (sa.isFullyKnown() && sb.isFullyKnown() && batch(sa).equals(batch(sb))) return List.of(da, db);
        Value shapeA = a.runtimeShape(), shapeB = b.runtimeShape();
        List<Value> axes = Value.applyAll(new BroadcastGradientArgs(), ahead(shapeA), ahead(shapeB));
        return List.of(sumTo(da, axes.get(0), shapeA), sumTo(db, axes.get(1), shapeB));
    }

    private static Value ahead(Value shape) {
        return Value.apply(
                new StridedSlice(1, 0, 0, 0, 0),
                shape,
                shape.ops().constant(new int[] {0}),
                shape.ops().constant(new int[] {-2}),
                shape.ops().constant(new int[] {1}));
    }

    private static Value sumTo(Value d, Value axes, Value shape) {
        return Value.apply(new Sum(false), d, axes).reshape(shape);
    }

    /** {@code x / (x^2 + 1e-20)}: the reciprocal, and 0 at 0. */
    static Value safeReciprocal(Value x) {
        return x.times(x.times(x).plus(1e-20).reciprocal());
    }
}
