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
 */
package dev.oxbow.kernels;
