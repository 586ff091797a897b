/**
 * Sparse and ragged tensors, and sets in rows. Start with {@code Coordinates}. A sparse tensor is three values
 * (indices, values, shape), and inference checks that they fit each other.
 */
package dev.oxbow.ops.sparse;
