package dev.oxbow.kernels;

import dev.oxbow.tensor.DType;

/**
 * A matrix product, but for where its matrices lie: {@code C = op(A) * op(B)}, or {@code C += op(A) * op(B)}, of an
 * m-by-k and a k-by-n matrix in row-major memory.
 *
 * <p>Strides are the elements from one stored row to the next; a transposed operand is stored with k, or n, as its rows.
 * Made once for many calls, which give the three addresses: such a call allocates nothing.
 */
public record Product(
        DType dtype,
        long m,
        long n,
        long k,
        boolean transposeA,
        long strideA,
        boolean transposeB,
        long strideB,
        long strideC,
        boolean accumulate) {

    /** A product of dense matrices. */
    public static Product of(DType dtype, long m, long n, long k) {
        return of(dtype, m, n, k, false, false);
    }

    /** A product of dense matrices, either of which may be stored transposed. */
    public static Product of(DType dtype, long m, long n, long k, boolean transposeA, boolean transposeB) {
        return new Product(dtype, m, n, k, transposeA, transposeA ? m : k, transposeB, transposeB ? k : n, n, false);
    }

    /** The same with rows of A, B and C that lie further apart. */
    public Product strided(long a, long b, long c) {
        return new Product(dtype, m, n, k, transposeA, a, transposeB, b, c, accumulate);
    }

    /** The same, added to C. */
    public Product added() {
        return part(m, n, k, true);
    }

    /** A part of the matrices, of other sizes; this where they are its own. */
    public Product part(long rows, long columns, long depth, boolean adds) {
        if (rows == m && columns == n && depth == k && adds == accumulate) return this;
        return new Product(dtype, rows, columns, depth, transposeA, strideA, transposeB, strideB, strideC, adds);
    }

    /** Bytes of an element. */
    public int width() {
        return dtype.size();
    }

    /** Multiplications. */
    public long work() {
        return m * n * k;
    }

    /** Elements from a row of op(A) to the next. */
    public long rowA() {
        return transposeA ? 1 : strideA;
    }

    /** Elements from a column of op(A) to the next. */
    public long columnA() {
        return transposeA ? strideA : 1;
    }

    /** Elements from a row of op(B) to the next. */
    public long rowB() {
        return transposeB ? 1 : strideB;
    }

    /** Elements from a column of op(B) to the next. */
    public long columnB() {
        return transposeB ? strideB : 1;
    }
}
