/**
 * What becomes of two values: {@code to[i] = to[i] op from[i]} over arrays in memory, by
 * {@link dev.oxbow.collective.combine.Combine} for each operator and dtype. Integers wrap around, halves are combined in
 * f32 and rounded to nearest even, NaN wins in minimum and maximum; vectors and scalars give the same bits.
 */
package dev.oxbow.collective.combine;
