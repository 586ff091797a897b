/**
 * Sparse matrices by compressed rows, as variants: {@code CsrMatrix} is one, or a batch of them. They are made of
 * coordinates and given back as such, multiplied, transposed and factorised.
 */
package dev.oxbow.ops.csr;
