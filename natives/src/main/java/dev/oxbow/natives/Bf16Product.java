package dev.oxbow.natives;

import dev.oxbow.kernels.NativeLibrary;
import dev.oxbow.kernels.Product;

/**
 * Products of floats whose elements are rounded to bf16, 8 bits of mantissa, before they are multiplied; sums are f32.
 * Every term of a sum has a relative error of about 2^-8. Small products and those that add to C stay exact.
 */
final class Bf16Product implements NativeLibrary.Multiplier {
    private static final long LARGE = 1 << 18;

    private final NativeLibrary.Multiplier exact;
    private final NativeLibrary.Multiplier rounded = new DnnProduct(true);

    Bf16Product(NativeLibrary.Multiplier exact) {
        this.exact = exact;
    }

    @Override
    public void run(Product p, long a, long b, long c) {
        (p.accumulate() || p.work() < LARGE ? exact : rounded).run(p, a, b, c);
    }
}
