package dev.oxbow.kernels.move;

import dev.oxbow.kernels.Parallel;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.Tensor;
import java.util.Arrays;

/** Space, batch and depth exchanged in blocks. */
public final class Blocks {
    private Blocks() {}

    /**
     * SpaceToBatchND: cuts the zero-padded spatial dimensions (those after the first) into blocks and moves the position
     * inside a block to the front of the batch. {@code before} is the padding ahead of each spatial dimension.
     */
    public static void spaceToBatch(Tensor x, long[] block, long[] before, Tensor y, Parallel parallel) {
        if (y.dtype().isObject()) Arrays.fill(y.objects(), new byte[0]);
        else Memory.zero(y.address(), y.byteSize());
        exchange(
                x.shape().dims(),
                y.shape().dims(),
                block,
                before,
                (xAt, xSteps, yAt, ySteps, size) -> Strided.copy(x, xAt, xSteps, y, yAt, ySteps, size, parallel));
    }

    /** BatchToSpaceND: the inverse; {@code cropBefore} is what is cut off ahead of each spatial dimension. */
    public static void batchToSpace(Tensor x, long[] block, long[] cropBefore, Tensor y, Parallel parallel) {
        exchange(
                y.shape().dims(),
                x.shape().dims(),
                block,
                cropBefore,
                (yAt, ySteps, xAt, xSteps, size) -> Strided.copy(x, xAt, xSteps, y, yAt, ySteps, size, parallel));
    }

    private interface Pair {
        void copy(long spaceAt, long[] spaceSteps, long batchAt, long[] batchSteps, long[] size);
    }

    /** One strided copy for each position inside a block: {@code space[t * block + o - before] <-> batch[o][t]}. */
    private static void exchange(long[] space, long[] batch, long[] block, long[] before, Pair pair) {
        long blocks = 1;
        for (long b : block) blocks *= b;
        long[] spaceStrides = Strided.strides(space), batchStrides = Strided.strides(batch);
        for (long o = 0; o < blocks; o++) {
            long[] size = space.clone(), steps = spaceStrides.clone();
            long spaceAt = 0, batchAt = o * space[0] * batchStrides[0], rest = o;
            for (int d = block.length - 1; d >= 0; d--) {
                long b = block[d], shift = rest % b - before[d];
                rest /= b;
                long first = Math.max(0, Math.ceilDiv(-shift, b));
                long last = Math.min(batch[d + 1] - 1, Math.floorDiv(space[d + 1] - 1 - shift, b));
                size[d + 1] = Math.max(0, last - first + 1);
                steps[d + 1] *= b;
                spaceAt += (first * b + shift) * spaceStrides[d + 1];
                batchAt += first * batchStrides[d + 1];
            }
            pair.copy(spaceAt, steps, batchAt, batchStrides, size);
        }
    }

    /** SpaceToDepth of images {@code [n, h, w, c]}, or {@code [n, c, h, w]} when {@code channelsFirst}. */
    public static void spaceToDepth(Tensor x, long block, boolean channelsFirst, Tensor y, Parallel parallel) {
        long[] d = y.shape().dims();
        long c = (channelsFirst ? x.shape().dim(1) : x.shape().dim(3)), b = block;
        if (channelsFirst) {
            // x as n c h bh w bw, y as n bh bw c h w
            Transpose.run(x, new long[] {d[0], c, d[2], b, d[3], b}, new int[] {0, 3, 5, 1, 2, 4}, y, parallel);
        } else {
            // x as n h bh w bw c, y as n h w bh bw c
            Transpose.run(x, new long[] {d[0], d[1], b, d[2], b, c}, new int[] {0, 1, 3, 2, 4, 5}, y, parallel);
        }
    }

    /** DepthToSpace, the inverse of {@link #spaceToDepth}. */
    public static void depthToSpace(Tensor x, long block, boolean channelsFirst, Tensor y, Parallel parallel) {
        long[] d = x.shape().dims();
        long c = (channelsFirst ? y.shape().dim(1) : y.shape().dim(3)), b = block;
        if (channelsFirst) {
            Transpose.run(x, new long[] {d[0], b, b, c, d[2], d[3]}, new int[] {0, 3, 4, 1, 5, 2}, y, parallel);
        } else {
            Transpose.run(x, new long[] {d[0], d[1], d[2], b, b, c}, new int[] {0, 1, 3, 2, 4, 5}, y, parallel);
        }
    }
}
