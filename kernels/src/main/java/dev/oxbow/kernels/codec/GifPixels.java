package dev.oxbow.kernels.codec;

/** Indices of colours that GIF's form of LZW packed into sub-blocks. */
final class GifPixels {
    private static final int MOST = 4096;

    private final byte[] data;
    private final int[] prefix = new int[MOST];
    private final byte[] suffix = new byte[MOST];
    private final byte[] stack = new byte[MOST + 1];
    private int at;
    private int left;
    private int bits;
    private int count;

    GifPixels(byte[] data, int at) {
        this.data = data;
        this.at = at;
    }

    /** The byte behind the sub-blocks that begin, with the size of a word before them, at a byte. */
    static int behind(byte[] data, int start) {
        int at = start + 1;
        while (at < data.length && data[at] != 0) at += 1 + (data[at] & 255);
        return at + 1;
    }

    private int next() {
        if (left == 0) {
            left = at < data.length ? data[at++] & 255 : 0;
            if (left == 0) throw BrokenImage.at("GIF", at, "the data of a frame end early");
        }
        left--;
        if (at >= data.length) throw BrokenImage.at("GIF", at, "the file ends inside of a frame");
        return data[at++] & 255;
    }

    private int code(int size) {
        while (count < size) {
            bits |= next() << count;
            count += 8;
        }
        int c = bits & (1 << size) - 1;
        bits >>>= size;
        count -= size;
        return c;
    }

    /** So many indices. */
    byte[] read(int pixels) {
        if (at >= data.length) throw BrokenImage.at("GIF", at, "the file ends before a frame");
        int least = data[at++] & 255;
        if (least < 1 || least > 11) throw BrokenImage.at("GIF", at, "words begin with %d bits", least);
        byte[] out = new byte[pixels];
        int clear = 1 << least, end = clear + 1, free = end + 1, size = least + 1, old = -1, first = 0, o = 0;
        for (int i = 0; i < clear && i < 256; i++) suffix[i] = (byte) i;
        while (o < pixels) {
            int code = code(size);
            if (code == end) throw BrokenImage.at("GIF", at, "a frame has %d of %d pixels", o, pixels);
            if (code == clear) {
                free = end + 1;
                size = least + 1;
                old = -1;
                continue;
            }
            if (code > free || old < 0 && code >= clear)
                throw BrokenImage.at("GIF", at, "word %d is not known yet", code);
            int depth = 0, c = code;
            if (code == free) {
                stack[depth++] = (byte) first;
                c = old;
            }
            while (c >= clear) {
                stack[depth++] = suffix[c];
                c = prefix[c];
            }
            first = c;
            stack[depth++] = (byte) c;
            while (depth > 0 && o < pixels) out[o++] = stack[--depth];
            if (old >= 0 && free < MOST) {
                prefix[free] = old;
                suffix[free++] = (byte) first;
                if (free == 1 << size && size < 12) size++;
            }
            old = code;
        }
        return out;
    }
}
