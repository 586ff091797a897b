package dev.oxbow.kernels.numeric;

import static org.junit.jupiter.api.Assertions.fail;

import dev.oxbow.kernels.Kept;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.Random;

/** Random tensors and comparisons for numeric tests. */
final class Numbers {
    private Numbers() {}

    static Tensor uniform(Random random, DType t, long... dims) {
        Tensor x = Kept.keep(Tensor.allocate(t, Shape.of(dims)));
        for (int i = 0; i < x.size(); i++) x.set(i, random.nextDouble() * 2 - 1);
        return x;
    }

    /** Small whole numbers, exact in every type. */
    static Tensor whole(Random random, DType t, long... dims) {
        Tensor x = Kept.keep(Tensor.allocate(t, Shape.of(dims)));
        for (int i = 0; i < x.size(); i++) x.set(i, random.nextInt(5));
        return x;
    }

    static Tensor complex(Random random, DType t, long... dims) {
        Tensor x = Kept.keep(Tensor.allocate(t, Shape.of(dims)));
        int w = t.real().size();
        for (int i = 0; i < 2 * x.size(); i++) Gemm.put(w, x.address(), i, random.nextDouble() * 2 - 1);
        return x;
    }

    static Tensor copy(Tensor x) {
        Tensor y = Kept.keep(Tensor.allocate(x.dtype(), x.shape()));
        Memory.copy(x.address(), y.address(), x.byteSize());
        return y;
    }

    static Tensor like(Tensor x) {
        return Kept.keep(Tensor.zeros(x.dtype(), x.shape()));
    }

    static double[] doubles(Tensor x) {
        double[] d = new double[(int) x.size()];
        for (int i = 0; i < d.length; i++) d[i] = x.getDouble(i);
        return d;
    }

    static void assertClose(double[] expected, Tensor actual, double tolerance, String what) {
        for (int i = 0; i < expected.length; i++) {
            double e = expected[i], a = actual.getDouble(i);
            if (!(Math.abs(e - a) <= tolerance * (1 + Math.abs(e))))
                fail(what + ": element " + i + " is " + a + ", expected " + e);
        }
    }

    /** {@code sum(x * y)}, for checking gradients by duality. */
    static double dot(Tensor x, Tensor y) {
        double sum = 0;
        for (int i = 0; i < x.size(); i++) sum += x.getDouble(i) * y.getDouble(i);
        return sum;
    }
}
