package dev.oxbow.kernels.numeric;

import dev.oxbow.kernels.KernelLevel;
import dev.oxbow.kernels.NativeLibrary;
import dev.oxbow.kernels.NativeLibrary.Convolution;
import dev.oxbow.kernels.NativeLibrary.ConvolutionShape;
import dev.oxbow.kernels.NativeLibrary.Direction;
import dev.oxbow.kernels.Parallel;
import dev.oxbow.tensor.Buffer;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.MemoryPool;
import java.util.List;

/** Convolutions of f32 images by a native library, a piece of the batch per call. */
final class ConvNative {

    /*
     * Pieces have the same number of images, except the last; how many follows from the shape, and where results lie
     * apart from that of one image, so that a part of a batch has the bits of the whole. The filter is brought
     * into the library's layout once. Gradients to the filter are sums of their own for each piece, added in order; they
     * are few enough to stay in the caches until then.
     */

    /** Multiplications below which the patch matrices of {@link Conv} cost less than a call. */
    private static final long LEAST = 1 << 16;

    /** Multiplications of one image from which its own products are cut, since a batch of one cannot be. */
    private static final long LARGE_IMAGE = 1 << 25;

    private static final long WORTH_CUTTING = 1 << 21;
    private static final long PIECE = 1 << 22;
    private static final long LARGE_PIECE = 1 << 26;
    private static final long MOST_PIECES = 16;
    private static final long MOST_SUM_BYTES = 1 << 21;
    private static final long ADDED_PER_TASK = 1 << 13;

    private final Window w;
    private final long outChannels;
    private final long filterSize;
    private final long images;
    private final Convolution whole;
    private final Convolution rest;
    private final MemoryPool pool;
    private final Parallel parallel;

    private ConvNative(
            Window w,
            long outChannels,
            long filterSize,
            long images,
            Convolution whole,
            Convolution rest,
            MemoryPool pool,
            Parallel parallel) {
        this.w = w;
        this.outChannels = outChannels;
        this.filterSize = filterSize;
        this.images = images;
        this.whole = whole;
        this.rest = rest;
        this.pool = pool;
        this.parallel = parallel;
    }

    /** Images of a call whose results lie apart: they divide {@link Conv#IMAGES}, whatever the batch. */
    private static long apart(long work) {
        return Long.highestOneBit(Math.clamp(LARGE_PIECE / work, 1, Conv.IMAGES));
    }

    /** Images of a call whose results are added up. */
    private static long summed(long batch, long work, long filterSize) {
        long all = batch * work;
        long pieces = Math.min(Math.min(MOST_PIECES, all / PIECE), MOST_SUM_BYTES / (4 * filterSize));
        if (all >= WORTH_CUTTING) pieces = Math.max(2, pieces);
        pieces = Long.highestOneBit(Math.clamp(pieces, 1, batch));
        return (batch + pieces - 1) / pieces;
    }

    /** The convolution at the level of this process, or null where the library has none or it would not pay. */
    static ConvNative of(
            Window w, Direction direction, long groupChannels, long outChannels, MemoryPool pool, Parallel parallel) {
        if (KernelLevel.current() != KernelLevel.NATIVE || groupChannels == 0) return null;
        NativeLibrary library = NativeLibrary.installed().orElse(null);
        long groups = w.channels / groupChannels, filterSize = w.taps() * groupChannels * outChannels;
        long work = w.positions() * filterSize;
        if (library == null || Math.min(w.batch, Conv.IMAGES) * work < LEAST || w.isPointwise() && groups == 1)
            return null;
        if (w.batch == 1 && work >= LARGE_IMAGE) return null;
        long images = direction == Direction.FILTER_GRADIENT ? summed(w.batch, work, filterSize) : apart(work);
        images = Math.min(images, w.batch);
        long last = w.batch % images;
        Convolution whole = library.convolution(shape(w, images, groups, outChannels), direction)
                .orElse(null);
        if (whole == null) return null;
        Convolution rest = last == 0
                ? whole
                : library.convolution(shape(w, last, groups, outChannels), direction)
                        .orElse(null);
        return rest == null ? null : new ConvNative(w, outChannels, filterSize, images, whole, rest, pool, parallel);
    }

    private static ConvolutionShape shape(Window w, long batch, long groups, long outChannels) {
        return new ConvolutionShape(
                batch,
                w.channels,
                outChannels,
                groups,
                list(w.in),
                list(w.kernel),
                list(w.stride),
                list(w.dilation),
                list(w.before),
                list(w.out),
                w.channelsFirst());
    }

    private static List<Long> list(long[] values) {
        return List.of(values[0], values[1], values[2]);
    }

    /** Computes {@code y} from {@code x} and the filter, or the gradient {@code x} from {@code y} and the filter. */
    void run(long x, long filter, long y) {
        try (Scratch s = new Scratch(pool, parallel)) {
            long packed = packed(s, whole, filter), packedRest = rest == whole ? packed : packed(s, rest, filter);
            pieces((c, piece, first, scratch) ->
                    c.run(xAt(x, first), c == whole ? packed : packedRest, yAt(y, first), scratch));
        }
    }

    private static long packed(Scratch s, Convolution c, long filter) {
        long packed = s.tensor(DType.U8, c.packedFilterBytes()).address();
        c.packFilter(filter, packed);
        return packed;
    }

    /** Computes the gradient to the filter. */
    void filterGradient(long x, long y, long df) {
        long bytes = whole.packedFilterBytes(), count = (w.batch + images - 1) / images, wholes = w.batch / images;
        Buffer sums = pool.allocate(wholes * bytes + rest.packedFilterBytes(), "Conv");
        try {
            long at = sums.address();
            pieces((c, piece, first, scratch) -> c.run(xAt(x, first), at + piece * bytes, yAt(y, first), scratch));
            parallel.run(bytes / 4, ADDED_PER_TASK, (from, to) -> {
                for (long piece = 1; piece < wholes; piece++) add(at + piece * bytes, at, from, to);
            });
            whole.unpackFilter(at, df);
            if (wholes == count) return;
            Buffer last = pool.allocate(4 * filterSize, "Conv");
            try {
                rest.unpackFilter(at + wholes * bytes, last.address());
                add(last.address(), df, 0, filterSize);
            } finally {
                last.release();
            }
        } finally {
            sums.release();
        }
    }

    private static void add(long x, long y, long from, long to) {
        for (long i = from; i < to; i++)
            Memory.putFloat(y + 4 * i, Memory.getFloat(y + 4 * i) + Memory.getFloat(x + 4 * i));
    }

    private interface Piece {
        void run(Convolution c, long piece, long firstImage, long scratch);
    }

    private void pieces(Piece task) {
        long bytes = Math.max(1, Math.max(whole.scratchBytes(), rest.scratchBytes()));
        parallel.run((w.batch + images - 1) / images, 1, (from, to) -> {
            Buffer scratch = pool.allocate(bytes, "Conv");
            try {
                for (long piece = from; piece < to; piece++) {
                    Convolution c = (piece + 1) * images <= w.batch ? whole : rest;
                    task.run(c, piece, piece * images, scratch.address());
                }
            } finally {
                scratch.release();
            }
        });
    }

    private long xAt(long x, long image) {
        return x + 4 * image * w.inPositions() * w.channels;
    }

    private long yAt(long y, long image) {
        return y + 4 * image * w.positions() * outChannels;
    }
}
