package dev.oxbow.collective.codec;

import dev.oxbow.collective.algorithm.Exchange;
import dev.oxbow.net.Sink;
import java.util.ArrayDeque;
import java.util.Queue;

/**
 * An exchange of f32 values whose messages are encoded. Contributions are encoded by their sender; {@link #complete} gives a
 * result the form in which others will get it, and passing it on does not change it again. So all ranks end with the same
 * bits under algorithms in which each element of the result is completed by one rank and then passed on: not under flat
 * and doubling ones.
 */
public final class CodedExchange implements Exchange {
    private final Exchange floats;
    private final Codec codec;
    private final long tile;
    /** Free buffers of 2^i words. */
    @SuppressWarnings({"unchecked", "rawtypes"})
    private final Queue<Long>[] free = new Queue[48];

    public CodedExchange(Exchange floats, Codec codec) {
        this.floats = floats;
        this.codec = codec;
        tile = floats.scratch(Codec.BLOCK + 16);
    }

    @Override
    public int rank() {
        return floats.rank();
    }

    @Override
    public int size() {
        return floats.size();
    }

    @Override
    public int width() {
        return floats.width();
    }

    @Override
    public int grain() {
        return codec.grain();
    }

    @Override
    public void send(int to, int slot, long address, long count, Runnable then) {
        long words = codec.bytes(count) / 4, buffer = take(words);
        codec.encodeAll(address, buffer, count);
        floats.send(to, slot, buffer, words, () -> {
            give(buffer, words);
            then.run();
        });
    }

    @Override
    public void receive(int from, int slot, long address, long count, Runnable then) {
        decoded(from, slot, count, (at, first, n) -> codec.decodeAll(at, address + 4 * first, n), then);
    }

    @Override
    public void receive(int from, int slot, long count, Sink sink, Runnable then) {
        decoded(
                from,
                slot,
                count,
                (at, first, n) ->
                        codec.decodeAndCombine(at, 4 * first, n, tile, (to, block, m) -> sink.accept(block, to, 4 * m)),
                then);
    }

    @Override
    public void receiveReduce(int from, int slot, long address, long count, Runnable then) {
        decoded(
                from,
                slot,
                count,
                (at, first, n) -> codec.decodeAndCombine(
                        at, address + 4 * first, n, tile, (to, block, m) -> floats.reduce(block, to, m)),
                then);
    }

    /** Takes encoded values, of which the first is number {@code first} of the message. */
    @FunctionalInterface
    private interface Coded {
        void accept(long address, long first, long count);
    }

    /** Values that are written alike are taken piece by piece where they arrive, others when all have come. */
    private void decoded(int from, int slot, long count, Coded coded, Runnable then) {
        long words = codec.bytes(count) / 4;
        int width = codec.width();
        if (width > 0) {
            Sink pieces = (at, offset, length) ->
                    coded.accept(at, offset / width, Math.min(length, count * width - offset) / width);
            floats.receive(from, slot, words, pieces, then);
            return;
        }
        long buffer = take(words);
        floats.receive(from, slot, buffer, words, () -> {
            coded.accept(buffer, 0, count);
            give(buffer, words);
            then.run();
        });
    }

    @Override
    public void reduce(long from, long to, long count) {
        floats.reduce(from, to, count);
    }

    @Override
    public void complete(long address, long count) {
        floats.complete(address, count);
        codec.round(address, count, tile);
    }

    @Override
    public void copy(long from, long to, long count) {
        floats.copy(from, to, count);
    }

    @Override
    public long scratch(long count) {
        return floats.scratch(count);
    }

    @Override
    public void finish() {
        floats.finish();
    }

    private long take(long words) {
        int size = sizeOf(words);
        Long buffer = free[size] == null ? null : free[size].poll();
        return buffer != null ? buffer : floats.scratch(1L << size);
    }

    private void give(long buffer, long words) {
        int size = sizeOf(words);
        if (free[size] == null) free[size] = new ArrayDeque<>();
        free[size].add(buffer);
    }

    private static int sizeOf(long words) {
        return words <= 1 ? 0 : 64 - Long.numberOfLeadingZeros(words - 1);
    }
}
