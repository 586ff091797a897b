/**
 * Products and convolutions of OpenBLAS and oneDNN by foreign-function calls. Nothing requires this module; kernels find
 * it by ServiceLoader.
 *
 * <p>Products are OpenBLAS's where the call itself matters, oneDNN's sgemm where they are large, and its matmul
 * primitives for a small B, for few rows times a large one and for long sums over a transposed operand. The work is cut
 * by shape, so bits do not depend on the number of threads. Libraries are loaded from a cache folder of the user ({@code
 * -Doxbow.natives.cache}), on a thread of their own when a session with products opens.
 */
package dev.oxbow.natives;
