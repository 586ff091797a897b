package dev.oxbow.kernels.codec;

import java.util.Arrays;

/** A Huffman code, with tables by the next bits. */
final class JpegHuffman {
    static final int LOOK = 10;

    /** By the next bits: length and symbol of a code, 0 where it is longer. */
    final int[] symbols = new int[1 << LOOK];

    /** By the next bits: a coefficient, the zeros before it and the bits of both, 0 where they are more. */
    final int[] coefficients = new int[1 << LOOK];

    private final int[] largest = new int[18];
    private final int[] offset = new int[17];
    private final byte[] values;

    /** A code of {@code lengths[i]} words of i + 1 bits for these values, in order. */
    JpegHuffman(byte[] lengths, byte[] values, int at) {
        this.values = values;
        int code = 0, k = 0;
        for (int length = 1; length <= 16; length++) {
            offset[length] = k - code;
            int words = lengths[length - 1] & 255;
            if (code + words > 1 << length)
                throw BrokenImage.at("JPEG", at, "a Huffman table has more words of %d bits than there can be", length);
            for (int i = 0; i < words; i++, k++, code++)
                if (length <= LOOK) {
                    int from = code << (LOOK - length), to = from + (1 << (LOOK - length));
                    Arrays.fill(symbols, from, to, length << 8 | values[k] & 255);
                }
            largest[length] = words == 0 ? -1 : code - 1;
            code <<= 1;
        }
        for (int look = 0; look < symbols.length; look++) coefficients[look] = coefficient(look);
    }

    private int coefficient(int look) {
        int length = symbols[look] >>> 8, size = symbols[look] & 15, run = (symbols[look] & 255) >> 4;
        if (length == 0 || size == 0 || length + size > LOOK) return 0;
        int v = look >> (LOOK - length - size) & (1 << size) - 1;
        return JpegBits.extended(v, size) << 16 | run << 8 | length + size;
    }

    /** Length and symbol of a word that is longer than the tables know. */
    int longer(long bits, int at) {
        for (int length = LOOK + 1; length <= 16; length++) {
            int code = (int) (bits >>> (64 - length));
            if (largest[length] >= 0 && code <= largest[length] && code + offset[length] >= 0)
                return length << 8 | values[code + offset[length]] & 255;
        }
        throw BrokenImage.at("JPEG", at, "bits that are no word of the Huffman code");
    }
}
