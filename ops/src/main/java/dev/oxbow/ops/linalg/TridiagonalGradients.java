package dev.oxbow.ops.linalg;

import dev.oxbow.ops.Value;
import dev.oxbow.ops.array.ConcatV2;
import dev.oxbow.ops.array.Pack;
import dev.oxbow.ops.array.StridedSlice;
import dev.oxbow.ops.array.ZerosLike;
import dev.oxbow.tensor.DType;

/** Shifts of rows that gradients of tridiagonal systems are made of. */
final class TridiagonalGradients {
    private TridiagonalGradients() {}

    /** Row i becomes row i - 1; the last one is 0. */
    static Value up(Value x) {
        return joined(Matrices.rows(x, 1, 0), Value.apply(new ZerosLike(), Matrices.rows(x, 0, 1)), -2);
    }

    /** Row i becomes row i + 1; the first one is 0. */
    static Value down(Value x) {
        return joined(Value.apply(new ZerosLike(), Matrices.rows(x, 0, 1)), Matrices.rows(x, 0, -1), -2);
    }

    private static Value joined(Value a, Value b, int axis) {
        return Value.apply(new ConcatV2(), a, b, a.ops().constant(DType.I32, axis));
    }

    /** The diagonals of the transposed matrix. */
    static Value transposed(Value diagonals) {
        Value sub = diagonal(diagonals, 2), sup = diagonal(diagonals, 0);
        Value shiftedSub = Matrices.transposed(up(sub.expandDims(-1))),
                shiftedSup = Matrices.transposed(down(sup.expandDims(-1)));
        return joined(joined(shiftedSub, diagonal(diagonals, 1).expandDims(-2), -2), shiftedSup, -2);
    }

    private static Value diagonal(Value diagonals, int i) {
        return Value.apply(
                new StridedSlice(4, 4, 1, 0, 2),
                diagonals,
                diagonals.ops().constant(0, i, 0),
                diagonals.ops().constant(0, i + 1, 0),
                diagonals.ops().constant(1, 1, 1));
    }

    /** The three diagonals of {@code x y^T}. */
    static Value diagonals(Value x, Value y) {
        Value sup = x.times(up(y)).sum(-1),
                main = x.times(y).sum(-1),
                sub = x.times(down(y)).sum(-1);
        return Value.apply(new Pack(-2), sup, main, sub);
    }
}
