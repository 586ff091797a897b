package dev.oxbow.collective.codec;

import dev.oxbow.collective.combine.Combine;

/**
 * A way to write f32 values in fewer bytes. Values that were decoded are encoded without a further loss, block by block, so
 * that a result can be passed on from rank to rank and stays the same.
 */
public sealed interface Codec permits Bf16Codec, F16Codec, Int8Codec {

    /** Values in a piece that can be encoded on its own; larger counts are the same as pieces of this, one after the other. */
    int BLOCK = 1024;

    /** Bytes of {@code count} encoded values, a multiple of 4. */
    long bytes(long count);

    /** Bytes of each value where all are written alike, 0 where they are not. */
    int width();

    /** Only splits at multiples of so many values leave the encoding of the others as it is. */
    default int grain() {
        return width() > 0 ? 1 : BLOCK;
    }

    /** Encodes at most {@link #BLOCK} values. */
    void encode(long from, long to, int count);

    /** Decodes at most {@link #BLOCK} values. */
    void decode(long from, long to, int count);

    /** Encodes any number of values. */
    default void encodeAll(long from, long to, long count) {
        for (long i = 0; i < count; i += BLOCK) {
            encode(from + 4 * i, to + bytes(i), (int) Math.min(BLOCK, count - i));
        }
    }

    /** Decodes any number of values. */
    default void decodeAll(long from, long to, long count) {
        for (long i = 0; i < count; i += BLOCK) {
            decode(from + bytes(i), to + 4 * i, (int) Math.min(BLOCK, count - i));
        }
    }

    /** Decodes values and combines them with those in memory; {@code tile} has room for a block of values. */
    default void decodeAndCombine(long from, long to, long count, long tile, Combine combine) {
        for (long i = 0; i < count; i += BLOCK) {
            int n = (int) Math.min(BLOCK, count - i);
            decode(from + bytes(i), tile, n);
            combine.combine(to + 4 * i, tile, n);
        }
    }

    /** Gives values the form that they have after a journey; {@code tile} has room for a block of values and 64 bytes. */
    default void round(long address, long count, long tile) {
        for (long i = 0; i < count; i += BLOCK) {
            int n = (int) Math.min(BLOCK, count - i);
            encode(address + 4 * i, tile, n);
            decode(tile, address + 4 * i, n);
        }
    }
}
