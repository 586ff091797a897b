package dev.oxbow.kernels.expr.reduce;

import dev.oxbow.kernels.expr.Assembler;
import dev.oxbow.kernels.expr.Expr;
import dev.oxbow.kernels.expr.interpret.Tile;
import dev.oxbow.tensor.Counts;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.Arrays;
import java.util.List;

/** Products of complex values along axes, in pairs of f64, in memory order. */
final class ComplexProduct {
    private ComplexProduct() {}

    static void run(List<Expr> parts, Shape shape, int[] axes, Tensor[] inputs, Tensor output) {
        Axes a = Axes.of(shape, axes);
        MappedInput in = new MappedInput(new MappedInput.Plan(Assembler.assemble(parts), true, false), shape, inputs);
        double[] re = new double[Counts.toInt(a.kept)], im = new double[re.length];
        Arrays.fill(re, 1);
        for (long at = 0; at < a.total; at += Tile.SIZE) {
            int n = (int) Math.min(Tile.SIZE, a.total - at);
            in.fetch(at, n);
            double[] x = in.doubles(), y = in.imaginary();
            for (int i = 0; i < n; i++) {
                int out = (int) a.output(at + i);
                double r = re[out] * x[i] - im[out] * y[i];
                im[out] = re[out] * y[i] + im[out] * x[i];
                re[out] = r;
            }
        }
        for (int i = 0; i < re.length; i++) write(output, i, re[i], im[i]);
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
