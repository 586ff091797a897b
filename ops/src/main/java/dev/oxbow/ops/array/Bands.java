package dev.oxbow.ops.array;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.move.Diagonals;
import dev.oxbow.ops.Arguments;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.List;

/** What the matrix-diagonal ops share: which diagonals, and the shapes that follow. */
final class Bands {
    private Bands() {}

    /** The diagonals that {@code k}, one number or two, names; null when it is not known. */
    static Diagonals.Band of(long[] k, String align) {
        if (k == null) return null;
        require(
                k.length == 1 || k.length == 2,
                INVALID_ARGUMENT,
                "diag_index must have only one or two elements, received %d elements.",
                k.length);
        long lower = k[0], upper = k[k.length - 1];
        require(
                lower <= upper,
                INVALID_ARGUMENT,
                "lower_diag_index must not be larger than upper_diag_index: %d > %d",
                lower,
                upper);
        return Diagonals.Band.of(lower, upper, align);
    }

    /** The shape of matrices made of diagonals; rows and columns of -1 follow from the diagonals. */
    static Shape matrices(Shape diagonal, Diagonals.Band band, long rows, long columns) {
        Arguments.atLeast("diagonal", diagonal, 1);
        if (!diagonal.isRankKnown()) return Shape.UNKNOWN;
        boolean many = band.count() > 1;
        Arguments.atLeast("diagonal", diagonal, many ? 2 : 1);
        if (many)
            require(
                    diagonal.dim(-2) < 0 || diagonal.dim(-2) == band.count(),
                    INVALID_ARGUMENT,
                    "The number of diagonals provided in the input does not match the lower_diag_index and upper_diag_index range: %s for %d",
                    diagonal,
                    band.count());
        Shape batch = diagonal.slice(0, diagonal.rank() - (many ? 2 : 1));
        long width = diagonal.dim(-1);
        if (width < 0) return batch.concat(Shape.of(rows, columns));
        long leastRows = width - Math.min(band.upper(), 0), leastColumns = width + Math.max(band.lower(), 0);
        require(
                rows == -1 || rows >= leastRows,
                INVALID_ARGUMENT,
                "The number of rows is too small: %d, at least %d",
                rows,
                leastRows);
        require(
                columns == -1 || columns >= leastColumns,
                INVALID_ARGUMENT,
                "The number of columns is too small: %d, at least %d",
                columns,
                leastColumns);
        long m = rows, n = columns;
        if (m == -1 && n == -1) m = n = Math.max(leastRows, leastColumns);
        if (m == -1) m = leastRows;
        if (n == -1) n = leastColumns;
        require(
                m == leastRows || n == leastColumns,
                INVALID_ARGUMENT,
                "The number of rows or columns is not consistent with the specified diagonals: %d x %d",
                m,
                n);
        return batch.concat(Shape.of(m, n));
    }

    /** The shape of the packed diagonals of matrices; null band means not known. */
    static Shape diagonals(Shape x, Diagonals.Band band) {
        Arguments.atLeast("input", x, 2);
        if (!x.isRankKnown() || band == null) return Shape.UNKNOWN;
        long m = x.dim(-2), n = x.dim(-1);
        Shape batch = x.slice(0, x.rank() - 2);
        if (band.count() > 1) batch = batch.concat(Shape.of(band.count()));
        if (m < 0 || n < 0) return batch.concat(Shape.of(-1));
        require(
                band.lower() == 0 || -m < band.lower() && band.lower() < n,
                INVALID_ARGUMENT,
                "lower_diag_index is out of bound: %d. It must be between %d and %d",
                band.lower(),
                -m,
                n);
        require(
                band.upper() == 0 || -m < band.upper() && band.upper() < n,
                INVALID_ARGUMENT,
                "upper_diag_index is out of bound: %d. It must be between %d and %d",
                band.upper(),
                -m,
                n);
        return batch.concat(Shape.of(Math.max(0, band.width(m, n))));
    }

    /** Zeros of a value's dtype, as a scalar tensor for padding. */
    static Tensor zero(KernelContext c, DType dtype) {
        Tensor zero = c.temporary(dtype, Shape.SCALAR);
        Fills.zero(zero);
        return zero;
    }

    /** The kernel of the ops that make matrices of the main diagonal, with zeros elsewhere. */
    static Kernel makeMain() {
        return c -> {
            Tensor zero = zero(c, c.input(0).dtype());
            Diagonals.make(c.input(0), Diagonals.Band.MAIN, zero, c.output(0), c.parallel());
            zero.release();
        };
    }

    /** The kernel of the ops that take the main diagonal. */
    static Kernel partMain() {
        return c -> {
            Tensor zero = zero(c, c.input(0).dtype());
            Diagonals.part(c.input(0), Diagonals.Band.MAIN, zero, c.output(0), c.parallel());
            zero.release();
        };
    }

    /** Checks and kernel of the ops that replace diagonals. */
    static List<TensorType> inferSet(InferenceContext c, Diagonals.Band band) {
        Arguments.atLeast("diagonal", c.shape(1), 1);
        Shape wanted = diagonals(c.shape(0), band);
        require(
                wanted.isCompatibleWith(c.shape(1)),
                INVALID_ARGUMENT,
                "diagonal must have shape %s for input %s, got %s",
                wanted,
                c.shape(0),
                c.shape(1));
        return List.of(c.input(0));
    }
}
