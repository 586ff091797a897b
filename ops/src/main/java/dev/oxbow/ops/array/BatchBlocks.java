package dev.oxbow.ops.array;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.KernelContext;
import dev.oxbow.kernels.move.Blocks;
import dev.oxbow.ops.Arguments;
import dev.oxbow.tensor.Counts;
import dev.oxbow.tensor.Shape;

/** What the ops share that exchange batch and space: one block size and two border numbers for each spatial dimension. */
final class BatchBlocks {
    private BatchBlocks() {}

    static Shape toBatch(Shape x, long[] block, Shape blockShape, long[] border, Shape borderShape) {
        int n = check(x, block, blockShape, border, borderShape);
        if (n < 0 || !x.isRankKnown()) return x.isRankKnown() ? Shape.ofRank(x.rank()) : Shape.UNKNOWN;
        long[] dims = x.dims();
        for (int d = 0; d < n; d++) {
            if (block == null) {
                dims[0] = dims[d + 1] = -1;
                continue;
            }
            dims[0] = Counts.times(dims[0], block[d]);
            if (border == null || dims[d + 1] < 0) {
                dims[d + 1] = -1;
                continue;
            }
            long padded = Counts.plus(Counts.plus(dims[d + 1], border[2 * d]), border[2 * d + 1]);
            require(
                    padded % block[d] == 0,
                    INVALID_ARGUMENT,
                    "padded_shape[%d]=%d is not divisible by block_shape[%d]=%d",
                    d,
                    padded,
                    d,
                    block[d]);
            dims[d + 1] = padded / block[d];
        }
        return Shape.of(dims);
    }

    static Shape toSpace(Shape x, long[] block, Shape blockShape, long[] border, Shape borderShape) {
        int n = check(x, block, blockShape, border, borderShape);
        if (n < 0 || !x.isRankKnown()) return x.isRankKnown() ? Shape.ofRank(x.rank()) : Shape.UNKNOWN;
        long[] dims = x.dims();
        for (int d = 0; d < n; d++) {
            if (block == null) {
                dims[0] = dims[d + 1] = -1;
                continue;
            }
            if (dims[0] >= 0) {
                require(
                        dims[0] % block[d] == 0,
                        INVALID_ARGUMENT,
                        "Input batch dimension (%d) is not divisible by product of block sizes",
                        x.dim(0));
                dims[0] /= block[d];
            }
            if (border == null || dims[d + 1] < 0) {
                dims[d + 1] = -1;
                continue;
            }
            long cropped = Counts.times(dims[d + 1], block[d]) - Counts.plus(border[2 * d], border[2 * d + 1]);
            require(cropped >= 0, INVALID_ARGUMENT, "cropped_shape[%d]=%d must be non-negative", d, cropped);
            dims[d + 1] = cropped;
        }
        return Shape.of(dims);
    }

    /** The number of spatial dimensions; -1 when it is not known. */
    private static int check(Shape x, long[] block, Shape blockShape, long[] border, Shape borderShape) {
        Arguments.rank("block_shape", blockShape, 1);
        Arguments.rank("paddings or crops", borderShape, 2);
        long n = blockShape.rank() == 1 ? blockShape.dim(0) : -1;
        if (n < 0) return -1;
        require(
                borderShape.rank() < 0 || Shape.of(n, 2).isCompatibleWith(borderShape),
                INVALID_ARGUMENT,
                "paddings or crops should have shape [%d, 2] instead of %s",
                n,
                borderShape);
        Arguments.atLeast("input", x, (int) n + 1);
        if (block != null)
            for (long b : block) require(b >= 1, INVALID_ARGUMENT, "block_shape must be positive, got %d", b);
        if (border != null)
            for (long b : border)
                require(b >= 0, INVALID_ARGUMENT, "paddings or crops must be non-negative, got %d", b);
        return (int) n;
    }

    static void toBatch(KernelContext c, long[] block, long[] border) {
        if (c.output(0).size() > 0) Blocks.spaceToBatch(c.input(0), block, before(border), c.output(0), c.parallel());
    }

    static void toSpace(KernelContext c, long[] block, long[] border) {
        if (c.output(0).size() > 0) Blocks.batchToSpace(c.input(0), block, before(border), c.output(0), c.parallel());
    }

    private static long[] before(long[] border) {
        long[] before = new long[border.length / 2];
        for (int d = 0; d < before.length; d++) before[d] = border[2 * d];
        return before;
    }
}
