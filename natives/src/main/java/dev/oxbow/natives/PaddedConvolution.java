package dev.oxbow.natives;

import dev.oxbow.kernels.NativeLibrary.Convolution;
import dev.oxbow.kernels.NativeLibrary.ConvolutionShape;
import dev.oxbow.tensor.Memory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Random;

/** A convolution of narrow images that get their columns of zeros before it, not in it. */
final class PaddedConvolution implements Convolution {

    /*
     * oneDNN's kernels for 64 outputs skip taps outside of the image at a price that depends on how a row divides into
     * their blocks: 5 x 5 on 14 columns runs at 155 GFLOP/s, and at 182 on 18 columns with the copy included; other
     * widths lose 5 %. So both are tried when a shape is prepared, and the copy is taken only where it gives the same
     * bits in less time.
     */

    private static final long NARROW = 16;
    private static final long OUTPUTS = 64;
    private static final double GAIN = 0.95;
    private static final int TRIALS = 4;
    private static final long LINE = 64;
    private static final int PATTERN = 1 << 12;

    private final Convolution inner;
    private final long rows;
    private final long rowBytes;

    /** Zeros before the first row, and between two. */
    private final long firstBytes;

    private final long zeroBytes;

    /** The output of {@code s}, whose images have their channels last. */
    PaddedConvolution(ConvolutionShape s) {
        long pixel = Float.BYTES * s.channels(), before = s.before().get(2), after = DnnConvolution.after(s, 2);
        rows = s.batch() * s.in().get(0) * s.in().get(1);
        rowBytes = s.in().get(2) * pixel;
        firstBytes = before * pixel;
        zeroBytes = (before + after) * pixel;
        inner = DnnConvolution.output(new ConvolutionShape(
                s.batch(),
                s.channels(),
                s.outChannels(),
                s.groups(),
                List.of(s.in().get(0), s.in().get(1), before + s.in().get(2) + after),
                s.kernel(),
                s.stride(),
                s.dilation(),
                List.of(s.before().get(0), s.before().get(1), 0L),
                s.out(),
                s.channelsFirst()));
    }

    /** {@code plain}, which computes the output of {@code s}, or its padded form where that is faster. */
    static Convolution faster(ConvolutionShape s, Convolution plain) {
        long columns = s.out().get(2), zeros = s.before().get(2) + DnnConvolution.after(s, 2);
        boolean worth = columns > 1 && columns <= NARROW && zeros > 0 && s.outChannels() % OUTPUTS == 0;
        if (!worth || s.groups() > 1 || s.channelsFirst()) return plain;
        Convolution padded = new PaddedConvolution(s);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment x = random(arena, s.batch() * s.channels() * product(s.in()));
            MemorySegment w = random(arena, s.channels() * s.outChannels() * product(s.kernel()));
            MemorySegment y = random(arena, s.batch() * s.outChannels() * product(s.out()));
            MemorySegment z = arena.allocate(y.byteSize(), LINE);
            long usual = time(plain, x, w, y, arena), other = time(padded, x, w, z, arena);
            return other < GAIN * usual && y.mismatch(z) < 0 ? padded : plain;
        }
    }

    private static long product(List<Long> dims) {
        return dims.get(0) * dims.get(1) * dims.get(2);
    }

    private static MemorySegment random(Arena arena, long count) {
        MemorySegment s = arena.allocate(count * Float.BYTES, LINE);
        long bytes = Math.min(s.byteSize(), PATTERN * Float.BYTES);
        Random random = new Random(1);
        for (long at = 0; at < bytes; at += Float.BYTES) Memory.putFloat(s.address() + at, random.nextFloat() - 0.5f);
        for (long at = bytes; at < s.byteSize(); at += bytes)
            Memory.copy(s.address(), s.address() + at, Math.min(bytes, s.byteSize() - at));
        return s;
    }

    private static long time(Convolution c, MemorySegment x, MemorySegment w, MemorySegment y, Arena arena) {
        long packed = arena.allocate(c.packedFilterBytes(), LINE).address();
        long scratch = arena.allocate(c.scratchBytes(), LINE).address();
        c.packFilter(w.address(), packed);
        long least = Long.MAX_VALUE;
        for (int i = 0; i < TRIALS; i++) {
            long start = System.nanoTime();
            c.run(x.address(), packed, y.address(), scratch);
            least = Math.min(least, System.nanoTime() - start);
        }
        return least;
    }

    @Override
    public long packedFilterBytes() {
        return inner.packedFilterBytes();
    }

    @Override
    public long scratchBytes() {
        return rows * (rowBytes + zeroBytes) + LINE + inner.scratchBytes();
    }

    @Override
    public void packFilter(long filter, long packed) {
        inner.packFilter(filter, packed);
    }

    @Override
    public void unpackFilter(long packed, long filter) {
        inner.unpackFilter(packed, filter);
    }

    @Override
    public void run(long x, long packedFilter, long y, long scratch) {
        long to = scratch + firstBytes;
        Memory.zero(scratch, firstBytes);
        for (long row = 0; row < rows; row++) {
            Memory.copy(x + row * rowBytes, to, rowBytes);
            Memory.zero(to + rowBytes, row == rows - 1 ? zeroBytes - firstBytes : zeroBytes);
            to += rowBytes + zeroBytes;
        }
        long images = rows * (rowBytes + zeroBytes);
        inner.run(scratch, packedFilter, y, scratch + (images + LINE - 1) / LINE * LINE);
    }
}
