/**
 * Convolutions, pools, normalisations, losses, recurrent blocks. Start with {@link dev.oxbow.ops.nn.Conv2D}; {@code
 * SlidingWindow} is the geometry that all windows share. Layouts with channels first are computed as they are by
 * libraries, and turned round elsewhere.
 */
package dev.oxbow.ops.nn;
