/**
 * Matrix products, decompositions, systems and functions of batches of matrices. Start with {@link
 * dev.oxbow.ops.linalg.MatMul}; {@code SumsOfProducts} is the algebra that rewrites and gradients of loops share.
 * Decompositions compute in f64 whatever their dtype.
 */
package dev.oxbow.ops.linalg;
