/**
 * Ops that move elements and do not compute with them: shapes, slices, joins, gathers, scatters, pads, diagonals,
 * blocks, sorting. Start with {@link dev.oxbow.ops.array.Reshape} and {@link dev.oxbow.ops.array.GatherV2}. What only
 * looks at its input in another shape is a view and copies nothing.
 */
package dev.oxbow.ops.array;
