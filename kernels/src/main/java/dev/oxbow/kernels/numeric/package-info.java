/**
 * Products, convolutions, pools, normalisations, transforms and decompositions. Start with {@link
 * dev.oxbow.kernels.numeric.Gemm}, which chooses who multiplies a {@link dev.oxbow.kernels.Product}, and {@link
 * dev.oxbow.kernels.numeric.Conv}.
 *
 * <p>Work is cut by shape, so results do not depend on threads. 16-bit floats are widened, computed and rounded once
 * ({@code Scratch}). {@code F32} in a name is a loop of the Vector API that has a scalar twin.
 */
package dev.oxbow.kernels.numeric;
