package dev.oxbow.collective.codec;

import dev.oxbow.kernels.move.UpperHalves;

/** The upper 16 bits of each value; see {@code WireFormat.BF16}. */
public final class Bf16Codec implements Codec {

    @Override
    public long bytes(long count) {
        return (2 * count + 3) / 4 * 4;
    }

    @Override
    public int width() {
        return 2;
    }

    @Override
    public void encode(long from, long to, int count) {
        UpperHalves.take(from, to, count);
    }

    @Override
    public void decode(long from, long to, int count) {
        UpperHalves.fill(from, to, count);
    }
}
