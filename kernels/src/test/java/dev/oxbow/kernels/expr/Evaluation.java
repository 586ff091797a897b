package dev.oxbow.kernels.expr;

import static org.junit.jupiter.api.Assertions.fail;

import dev.oxbow.kernels.Parallel;
import dev.oxbow.kernels.expr.compile.ElementwiseKernel;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.Arrays;
import java.util.Random;

/** Runs expressions on arrays, for tests. */
public final class Evaluation {
    private Evaluation() {}

    public static Tensor run(Expr e, Tensor... inputs) {
        Shape out = Shape.SCALAR;
        for (Tensor t : inputs) out = Shape.broadcast(out, t.shape());
        Tensor y = Tensor.allocate(e.dtype(), out);
        ElementwiseKernel.of(e).run(Parallel.SERIAL, out, inputs, new Tensor[] {y});
        return y;
    }

    /** A tensor of the values in {@code dtype}. */
    public static Tensor tensor(DType dtype, double... values) {
        Tensor t = Tensor.allocate(dtype, Shape.of(values.length));
        for (int i = 0; i < values.length; i++) t.set(i, values[i]);
        return t;
    }

    public static double[] doubles(Tensor t) {
        double[] d = new double[(int) t.size()];
        for (int i = 0; i < d.length; i++) d[i] = t.getDouble(i);
        return d;
    }

    /** Zeros, infinities, NaN, the smallest, the largest, and random values of every magnitude up to {@code most}. */
    public static double[] samples(DType dtype, Random random, double most, int n) {
        double smallest = dtype == DType.F64 ? Double.MIN_VALUE : Float.MIN_VALUE;
        double largest = dtype == DType.F64 ? Double.MAX_VALUE : Float.MAX_VALUE;
        double[] fixed = {
            0,
            -0.0,
            1,
            -1,
            0.5,
            -0.5,
            2,
            -2,
            Double.NaN,
            Double.POSITIVE_INFINITY,
            Double.NEGATIVE_INFINITY,
            smallest,
            -smallest,
            5 * smallest,
            largest,
            -largest,
            most,
            -most,
            0.99999994f,
            1.0000001f,
            1e-8,
            -1e-8,
            3,
            10,
            -10
        };
        double[] v = Arrays.copyOf(fixed, n);
        for (int i = fixed.length; i < n; i++) {
            double x = i % 2 == 0 ? random.nextGaussian() * 3 : Math.pow(10, random.nextDouble(-9, Math.log10(most)));
            v[i] = random.nextBoolean() ? x : -x;
        }
        if (dtype == DType.F32) for (int i = 0; i < n; i++) v[i] = (float) v[i];
        return v;
    }

    /** The distance in units of the last place of {@code wanted}; 0 for two NaNs and equal infinities. */
    public static double ulps(DType dtype, double wanted, double got) {
        if (Double.isNaN(wanted) || Double.isNaN(got)) return Double.isNaN(wanted) == Double.isNaN(got) ? 0 : 1e300;
        if (dtype == DType.F32) wanted = Math.abs(wanted) > Float.MAX_VALUE ? (float) wanted : wanted;
        if (wanted == got) return 0;
        if (Double.isInfinite(wanted) || Double.isInfinite(got)) return 1e300;
        return Math.abs(wanted - got) / (dtype == DType.F64 ? Math.ulp(wanted) : Math.ulp((float) wanted));
    }

    public static Tensor randomTensor(Random random, DType dtype, Shape shape) {
        Tensor t = Tensor.allocate(dtype, shape);
        if (dtype.isComplex()) {
            Shape parts = shape.concat(Shape.of(2));
            return randomTensor(random, dtype.real(), parts).as(dtype, shape);
        }
        for (long i = 0; i < t.size(); i++) {
            double[] special = samples(DType.F32, random, 100, 25);
            double v = random.nextInt(4) == 0 ? special[random.nextInt(25)] : random.nextGaussian() * 4;
            if (dtype == DType.BOOL) t.setLong(i, random.nextInt(2));
            else if (dtype.isFloating()) t.set(i, v);
            else t.setLong(i, random.nextInt(3) == 0 ? random.nextLong() : random.nextInt(20) - 10);
        }
        return t;
    }

    /** NaNs are equal, whatever their payload: processors choose it. */
    public static void assertEqualBits(Tensor a, Tensor b, String what) {
        if (a.dtype().isComplex()) {
            Shape parts = a.shape().concat(Shape.of(2));
            assertEqualBits(a.as(a.dtype().real(), parts), b.as(a.dtype().real(), parts), what);
            return;
        }
        int width = a.dtype().size();
        for (long i = 0; i < a.size(); i++) {
            if (a.dtype().isFloating() && Double.isNaN(a.getDouble(i)) && Double.isNaN(b.getDouble(i))) continue;
            for (long k = i * width; k < (i + 1) * width; k++) {
                if (Memory.getByte(a.address() + k) == Memory.getByte(b.address() + k)) continue;
                fail(what + "\nelement " + i + ": interpreted " + a.getDouble(i) + ", compiled " + b.getDouble(i));
            }
        }
    }
}
