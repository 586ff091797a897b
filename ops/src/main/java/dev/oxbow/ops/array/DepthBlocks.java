package dev.oxbow.ops.array;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.ErrorCode.UNIMPLEMENTED;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.KernelContext;
import dev.oxbow.kernels.move.Blocks;
import dev.oxbow.ops.Arguments;
import dev.oxbow.tensor.Counts;
import dev.oxbow.tensor.Shape;

/** What SpaceToDepth and DepthToSpace share: layouts NHWC, NCHW and NCHW_VECT_C. */
final class DepthBlocks {
    private DepthBlocks() {}

    static Shape infer(Shape x, int block, String format, boolean toDepth) {
        boolean vector = format.equals("NCHW_VECT_C");
        Arguments.rank("input", x, vector ? 5 : 4);
        if (!x.isRankKnown()) return Shape.ofRank(vector ? 5 : 4);
        require(block > 1, INVALID_ARGUMENT, "Block size should be > 1, but was: %d", block);
        int h = format.equals("NHWC") ? 1 : 2, depth = format.equals("NHWC") ? 3 : 1;
        long area = (long) block * block;
        long[] dims = x.dims();
        for (int d = h; d < h + 2; d++) {
            require(
                    !toDepth || dims[d] < 0 || dims[d] % block == 0,
                    INVALID_ARGUMENT,
                    "Image width and height should be divisible by block_size: %s, %d",
                    x,
                    block);
            if (dims[d] >= 0) dims[d] = toDepth ? dims[d] / block : Counts.times(dims[d], block);
        }
        require(
                toDepth || dims[depth] < 0 || dims[depth] % area == 0,
                INVALID_ARGUMENT,
                "Input depth dimension %d should be divisible by: %d",
                dims[depth],
                area);
        if (dims[depth] >= 0) dims[depth] = toDepth ? Counts.times(dims[depth], area) : dims[depth] / area;
        return Shape.of(dims);
    }

    static void run(KernelContext c, int block, String format, boolean toDepth) {
        require(!format.equals("NCHW_VECT_C"), UNIMPLEMENTED, "NCHW_VECT_C is only for quantised values on a GPU");
        if (c.output(0).size() == 0) return;
        boolean first = format.equals("NCHW");
        if (toDepth) Blocks.spaceToDepth(c.input(0), block, first, c.output(0), c.parallel());
        else Blocks.depthToSpace(c.input(0), block, first, c.output(0), c.parallel());
    }
}
