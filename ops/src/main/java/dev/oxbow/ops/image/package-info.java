/**
 * Ops on images [batch, rows, columns, channels]: resizing, crops, colours, boxes and their suppression. Start with
 * {@link dev.oxbow.ops.image.ResizeBilinear}. The arithmetic is in {@code dev.oxbow.kernels.image}.
 */
package dev.oxbow.ops.image;
