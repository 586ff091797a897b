package dev.oxbow.kernels.expr;

import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.Tensor;
import java.util.Arrays;

/** Accumulators of complex values, in pairs of f64; sums, means and products. */
final class ComplexAccumulators implements Accumulators {
    private final Reduction.Operation operation;
    private final double[] re;
    private final double[] im;

    ComplexAccumulators(Reduction.Operation operation, int n) {
        this.operation = operation;
        this.re = new double[n];
        this.im = new double[n];
        if (operation == Reduction.Operation.PROD) Arrays.fill(re, 1);
    }

    @Override
    public Accumulators empty(int n) {
        return new ComplexAccumulators(operation, n);
    }

    @Override
    public void run(MappedInput in, int out, int at, int n) {
        double[] a = in.doubles(), b = in.imaginary();
        for (int i = 0; i < n; i++) take(out, a[at + i], b[at + i]);
    }

    @Override
    public void columns(MappedInput in, int out, int at, int n) {
        double[] a = in.doubles(), b = in.imaginary();
        for (int i = 0; i < n; i++) take(out + i, a[at + i], b[at + i]);
    }

    @Override
    public void merge(Accumulators later) {
        ComplexAccumulators c = (ComplexAccumulators) later;
        for (int i = 0; i < re.length; i++) take(i, c.re[i], c.im[i]);
    }

    @Override
    public void mergeValue(int out, Accumulators later) {
        ComplexAccumulators c = (ComplexAccumulators) later;
        take(out, c.re[0], c.im[0]);
    }

    private void take(int out, double a, double b) {
        if (operation == Reduction.Operation.PROD) {
            double r = re[out] * a - im[out] * b;
            im[out] = re[out] * b + im[out] * a;
            re[out] = r;
        } else {
            re[out] += a;
            im[out] += b;
        }
    }

    @Override
    public void store(Tensor output, long at, long count) {
        double divisor = operation == Reduction.Operation.MEAN ? count : 1;
        for (int i = 0; i < re.length; i++) write(output, at + i, re[i] / divisor, im[i] / divisor);
    }

    static void write(Tensor output, long at, double re, double im) {
        if (output.dtype() == DType.C64) {
            Memory.putFloat(output.address() + 8 * at, (float) re);
            Memory.putFloat(output.address() + 8 * at + 4, (float) im);
        } else {
            Memory.putDouble(output.address() + 16 * at, re);
            Memory.putDouble(output.address() + 16 * at + 8, im);
        }
    }
}
