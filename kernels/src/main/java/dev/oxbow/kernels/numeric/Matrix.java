package dev.oxbow.kernels.numeric;

import dev.oxbow.tensor.Counts;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.Tensor;

/**
 * A small dense complex matrix in f64 on the heap, on which decompositions work; real ones keep imaginary parts of
 * zero.
 */
final class Matrix {
    final int rows;
    final int columns;

    /** Row by row: real part, imaginary part. */
    final double[] values;

    Matrix(int rows, int columns) {
        this.rows = rows;
        this.columns = columns;
        this.values = Counts.array(2L * rows * columns, double[]::new);
    }

    static Matrix identity(int rows, int columns) {
        Matrix m = new Matrix(rows, columns);
        for (int i = 0; i < Math.min(rows, columns); i++) m.values[2 * (i * columns + i)] = 1;
        return m;
    }

    /** Matrix number {@code index} of a batch. */
    static Matrix read(Tensor t, long index) {
        Matrix m = new Matrix(
                Counts.toInt(t.shape().dim(-2)), Counts.toInt(t.shape().dim(-1)));
        long n = (long) m.rows * m.columns, at = index * n;
        for (int i = 0; i < n; i++) {
            m.values[2 * i] = real(t, at + i);
            m.values[2 * i + 1] = imaginary(t, at + i);
        }
        return m;
    }

    /** Stores the elements as matrix number {@code index} of a batch of this size. */
    void write(Tensor t, long index) {
        long n = (long) rows * columns;
        for (int i = 0; i < n; i++) put(t, index * n + i, values[2 * i], values[2 * i + 1]);
    }

    static double real(Tensor t, long i) {
        return switch (t.dtype()) {
            case C64 -> Memory.getFloat(t.address() + 8 * i);
            case C128 -> Memory.getDouble(t.address() + 16 * i);
            default -> t.getDouble(i);
        };
    }

    static double imaginary(Tensor t, long i) {
        return switch (t.dtype()) {
            case C64 -> Memory.getFloat(t.address() + 8 * i + 4);
            case C128 -> Memory.getDouble(t.address() + 16 * i + 8);
            default -> 0;
        };
    }

    static void put(Tensor t, long i, double real, double imaginary) {
        t.set(i, real);
        if (t.dtype() == DType.C64) Memory.putFloat(t.address() + 8 * i + 4, (float) imaginary);
        else if (t.dtype() == DType.C128) Memory.putDouble(t.address() + 16 * i + 8, imaginary);
    }

    double real(int i, int j) {
        return values[2 * (i * columns + j)];
    }

    double imaginary(int i, int j) {
        return values[2 * (i * columns + j) + 1];
    }

    double abs(int i, int j) {
        return imaginary(i, j) == 0 ? Math.abs(real(i, j)) : Math.hypot(real(i, j), imaginary(i, j));
    }

    void set(int i, int j, double real, double imaginary) {
        values[2 * (i * columns + j)] = real;
        values[2 * (i * columns + j) + 1] = imaginary;
    }

    /** {@code a[i, j] -= (re + im i) * b[k, l]}, with the conjugate of b when asked. */
    void subtract(int i, int j, double re, double im, Matrix b, int k, int l, boolean conjugate) {
        double x = b.real(k, l), y = conjugate ? -b.imaginary(k, l) : b.imaginary(k, l);
        int at = 2 * (i * columns + j);
        values[at] -= re * x - im * y;
        values[at + 1] -= re * y + im * x;
    }

    /** {@code a[i, j] *= re + im i}. */
    void scale(int i, int j, double re, double im) {
        double x = real(i, j), y = imaginary(i, j);
        set(i, j, x * re - y * im, x * im + y * re);
    }

    /** {@code a[i, j] /= b[k, l]}, with the conjugate of b when asked. */
    void divide(int i, int j, Matrix b, int k, int l, boolean conjugate) {
        double x = b.real(k, l), y = conjugate ? -b.imaginary(k, l) : b.imaginary(k, l);
        if (y == 0) {
            set(i, j, real(i, j) / x, imaginary(i, j) == 0 ? 0 : imaginary(i, j) / x);
        } else {
            double norm = x * x + y * y;
            scale(i, j, x / norm, -y / norm);
        }
    }

    void swapRows(int i, int k) {
        if (i == k) return;
        for (int c = 0; c < 2 * columns; c++) {
            double x = values[2 * i * columns + c];
            values[2 * i * columns + c] = values[2 * k * columns + c];
            values[2 * k * columns + c] = x;
        }
    }

    void swapColumns(int j, int l) {
        if (j == l) return;
        for (int i = 0; i < rows; i++) {
            double x = real(i, j), y = imaginary(i, j);
            set(i, j, real(i, l), imaginary(i, l));
            set(i, l, x, y);
        }
    }

    /** The conjugate transpose. */
    Matrix adjoint() {
        Matrix m = new Matrix(columns, rows);
        for (int i = 0; i < rows; i++) for (int j = 0; j < columns; j++) m.set(j, i, real(i, j), -imaginary(i, j));
        return m;
    }

    /** The upper left part. */
    Matrix part(int r, int c) {
        Matrix m = new Matrix(r, c);
        for (int i = 0; i < r; i++) System.arraycopy(values, 2 * i * columns, m.values, 2 * i * c, 2 * c);
        return m;
    }

    Matrix copy() {
        return part(rows, columns);
    }
}
