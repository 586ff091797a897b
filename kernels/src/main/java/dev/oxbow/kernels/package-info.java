/**
 * Arithmetic on addresses, and how it is chosen: {@link dev.oxbow.kernels.KernelLevel}, {@code
 * -Doxbow.kernels=native|vector|scalar}.
 *
 * <p>Native products and convolutions are those of a {@link dev.oxbow.kernels.NativeLibrary}, each call on the calling
 * thread; what is missing falls back to vectors, with a line in the log. A loop of the Vector API is used once a warm-up
 * thread has seen it run fast; until then its scalar twin gives the same bits. Such loops are in classes of their own
 * ({@code Vectors} inside the class of their twins), which are linked only where the module {@code jdk.incubator.vector}
 * is there.
 *
 * <p>{@code -Doxbow.matmul=bf16} rounds the operands of large f32 products to bf16 where the processor multiplies those
 * (relative error of each term about 2^-8).
 *
 * {@snippet :
 * // rows of a product, on as many threads as there are
 * static void multiply(Parallel parallel, NativeLibrary library, long rows) {
 *     Product whole = Product.of(DType.F32, rows, 256, 512);
 *     var fast = library.product(DType.F32);
 *     parallel.run(rows, 16, (from, to) -> {
 *         Product mine = whole.part(to - from, 256, 512, false);
 *         IO.println(mine.work() + " by " + (fast.isPresent() ? library.description() : "our own kernels"));
 *     });
 * }
 *
 * static void measure() {
 *     WarmLoop loop = new WarmLoop(1e6, address -> Memory.zero(address, WarmLoop.BYTES));
 *     if (loop.isReady()) IO.println(KernelLevel.current() + ", vectors of " + VectorWidth.BYTES + " bytes");
 * }
 * }
 */
package dev.oxbow.kernels;
