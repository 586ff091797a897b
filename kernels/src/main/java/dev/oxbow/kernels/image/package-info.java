/**
 * Arithmetic on images [batch, rows, columns, channels]. Start with {@link dev.oxbow.kernels.image.Resize}: weighted
 * sums of a few rows and columns, with their gradients.
 */
package dev.oxbow.kernels.image;
