package dev.oxbow.natives;

import dev.oxbow.kernels.KernelLevel;
import dev.oxbow.kernels.Parallel;
import dev.oxbow.kernels.Product;
import dev.oxbow.kernels.numeric.Gemm;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.MemoryPool;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;

/** A process of its own that prints its kernels and one element of a product of ones. */
final class Probe {
    private Probe() {}

    public static void main(String[] arguments) {
        Gemm.prepare();
        int n = 100;
        Tensor a = Tensor.allocate(DType.F32, Shape.of(n, n)), c = Tensor.allocate(DType.F32, Shape.of(n, n));
        for (int i = 0; i < n * n; i++) a.set(i, 1.0);
        Product p = Product.of(DType.F32, n, n, n, false, true);
        Gemm.run(p, a.address(), a.address(), c.address(), MemoryPool.shared(), Parallel.SERIAL);
        System.out.println(KernelLevel.describe() + ": " + c.getDouble(n * n - 1));
    }
}
