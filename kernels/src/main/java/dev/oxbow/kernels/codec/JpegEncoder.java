package dev.oxbow.kernels.codec;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/** Writes baseline JPEG of grey or RGB samples; coefficients are those of libjpeg. */
public final class JpegEncoder {

    /**
     * How to encode.
     *
     * @param quality from 1 to 100
     * @param downsampled whether chroma has half of the rows and columns
     * @param optimised whether Huffman codes are made for the image
     * @param inches whether densities count pixels of an inch, or of a centimetre
     * @param xmp text to put beside the image; empty for none
     */
    public record Options(
            int quality, boolean downsampled, boolean optimised, boolean inches, int x, int y, String xmp) {
        public static final Options DEFAULT = new Options(95, true, false, true, 300, 300, "");
    }

    private final Picture image;
    private final Options options;
    private final int[][] quantisers = new int[2][];
    private final int units;
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private long bits;
    private int count;

    private JpegEncoder(Picture image, Options options) {
        this.image = image;
        this.options = options;
        units = image.channels() == 3 && options.downsampled ? 2 : 1;
        for (int i = 0; i < 2; i++) quantisers[i] = JpegForward.quantiser(i > 0, Math.clamp(options.quality, 1, 100));
    }

    public static byte[] encode(Picture image, Options options) {
        return new JpegEncoder(image, options).run();
    }

    private byte[] run() {
        int n = image.channels(), side = 8 * units;
        int wide = (image.width() + side - 1) / side, high = (image.height() + side - 1) / side;
        int each = n == 1 ? 1 : units * units + 2;
        short[] all = new short[Math.multiplyExact(Math.multiplyExact(wide, high), each * 64)];
        byte[][] planes = planes();
        for (int c = 0; c < n; c++) coefficients(c, planes[c], wide, high, each, all);
        JpegWords[] words = new JpegWords[4];
        for (int t = 0; t < 4; t++) words[t] = JpegWords.standard(t > 1, t % 2 > 0);
        if (options.optimised) {
            long[][] counts = new long[4][256];
            walk(all, each, (table, symbol, _, _) -> counts[table][symbol]++);
            for (int t = 0; t < 4; t++) words[t] = JpegWords.best(counts[t]);
        }
        header(n, words);
        walk(all, each, (table, symbol, value, size) -> {
            put(words[table].words[symbol], words[table].sizes[symbol]);
            put(value, size);
        });
        if (count > 0) put((1 << 8 - count) - 1, 8 - count);
        return marker(0xd9).toByteArray();
    }

    /** Grey, or luma and chroma in the size of the image. */
    private byte[][] planes() {
        int n = image.channels(), pixels = image.width() * image.height();
        if (n == 1) return new byte[][] {image.samples()};
        byte[][] p = new byte[3][pixels];
        byte[] s = image.samples();
        int offset = (128 << 16) + (1 << 15) - 1;
        for (int i = 0; i < pixels; i++) {
            int r = s[3 * i] & 255, g = s[3 * i + 1] & 255, b = s[3 * i + 2] & 255;
            p[0][i] = (byte) (19595 * r + 38470 * g + 7471 * b + (1 << 15) >> 16);
            p[1][i] = (byte) (-11059 * r - 21709 * g + 32768 * b + offset >> 16);
            p[2][i] = (byte) (32768 * r - 27439 * g - 5329 * b + offset >> 16);
        }
        return p;
    }

    private void coefficients(int c, byte[] plane, int wide, int high, int each, short[] all) {
        boolean half = c > 0 && units == 2;
        int per = c == 0 ? units : 1, w = image.width(), h = image.height();
        int realWide = ((half ? (w + 1) / 2 : w) + 7) / 8, realHigh = ((half ? (h + 1) / 2 : h) + 7) / 8;
        int first = c == 0 ? 0 : units * units + c - 1;
        int[] block = new int[64];
        for (int uy = 0; uy < high; uy++)
            for (int ux = 0; ux < wide; ux++)
                for (int k = 0; k < per * per; k++) {
                    int bx = ux * per + k % per, by = uy * per + k / per;
                    int at = ((uy * wide + ux) * each + first + k) * 64;
                    if (bx >= realWide || by >= realHigh) {
                        all[at] = all[at - 64]; // nobody sees it; this costs the fewest bits
                        continue;
                    }
                    for (int i = 0; i < 64; i++) block[i] = sample(plane, bx * 8 + i % 8, by * 8 + i / 8, half) - 128;
                    JpegForward.transform(block, quantisers[c == 0 ? 0 : 1], all, at);
                }
    }

    /** A sample of a plane, or the mean of four; beyond the borders those of the borders. */
    private int sample(byte[] plane, int x, int y, boolean half) {
        int w = image.width(), h = image.height();
        if (!half) return plane[Math.min(y, h - 1) * w + Math.min(x, w - 1)] & 255;
        int row = Math.min(y, (h + 1) / 2 - 1), top = 2 * row * w, bottom = Math.min(2 * row + 1, h - 1) * w;
        int a = Math.min(2 * x, w - 1), b = Math.min(2 * x + 1, w - 1);
        int sum =
                (plane[top + a] & 255) + (plane[top + b] & 255) + (plane[bottom + a] & 255) + (plane[bottom + b] & 255);
        return sum + 1 + (x & 1) >> 2;
    }

    private interface Symbols {
        void put(int table, int symbol, int value, int size);
    }

    /** Goes through the symbols of all blocks. */
    private void walk(short[] all, int each, Symbols to) {
        int[] before = new int[3];
        for (int at = 0, i = 0; at < all.length; at += 64, i++) {
            int k = i % each,
                    c = image.channels() == 1 ? 0 : Math.max(0, k - units * units + 1),
                    table = c == 0 ? 0 : 2;
            int difference = all[at] - before[c], size = size(difference);
            before[c] = all[at];
            to.put(table, size, bits(difference, size), size);
            int zeros = 0;
            for (int j = 1; j < 64; j++) {
                int v = all[at + JpegFrame.ZIGZAG[j]];
                if (v == 0) {
                    zeros++;
                    continue;
                }
                for (; zeros > 15; zeros -= 16) to.put(table + 1, 0xf0, 0, 0);
                int n = size(v);
                to.put(table + 1, zeros << 4 | n, bits(v, n), n);
                zeros = 0;
            }
            if (zeros > 0) to.put(table + 1, 0, 0, 0);
        }
    }

    private static int size(int v) {
        return 32 - Integer.numberOfLeadingZeros(Math.abs(v));
    }

    private static int bits(int v, int size) {
        return v < 0 ? v + (1 << size) - 1 : v;
    }

    private void put(int value, int size) {
        bits = bits << size | value;
        count += size;
        while (count >= 8) {
            int b = (int) (bits >> count - 8) & 255;
            out.write(b);
            if (b == 255) out.write(0);
            count -= 8;
        }
        bits &= (1L << count) - 1;
    }

    private ByteArrayOutputStream marker(int kind, int... content) {
        out.write(255);
        out.write(kind);
        if (content.length > 0) u16(content.length + 2);
        for (int b : content) out.write(b);
        return out;
    }

    private void u16(int v) {
        out.write(v >> 8);
        out.write(v);
    }

    private void header(int n, JpegWords[] words) {
        marker(0xd8);
        int x = options.x, y = options.y;
        marker(0xe0, 'J', 'F', 'I', 'F', 0, 1, 1, options.inches ? 1 : 2, x >> 8, x, y >> 8, y, 0, 0);
        if (!options.xmp.isEmpty()) xmp();
        for (int t = 0; t < (n == 1 ? 1 : 2); t++) {
            int[] q = new int[65];
            q[0] = t;
            for (int k = 0; k < 64; k++) q[k + 1] = quantisers[t][JpegFrame.ZIGZAG[k]];
            marker(0xdb, q);
        }
        int w = image.width(), h = image.height(), sampling = units << 4 | units;
        if (n == 1) marker(0xc0, 8, h >> 8, h, w >> 8, w, 1, 1, 0x11, 0);
        else marker(0xc0, 8, h >> 8, h, w >> 8, w, 3, 1, sampling, 0, 2, 0x11, 1, 3, 0x11, 1);
        for (int t = 0; t < (n == 1 ? 2 : 4); t++) {
            int[] table = new int[17 + words[t].symbols.length];
            table[0] = (t % 2) << 4 | t / 2;
            for (int i = 0; i < 16; i++) table[i + 1] = words[t].lengths[i];
            for (int i = 0; i < words[t].symbols.length; i++) table[17 + i] = words[t].symbols[i];
            marker(0xc4, table);
        }
        if (n == 1) marker(0xda, 1, 1, 0, 0, 63, 0);
        else marker(0xda, 3, 1, 0, 2, 0x11, 3, 0x11, 0, 63, 0);
    }

    private void xmp() {
        byte[] name = "http://ns.adobe.com/xap/1.0/\0".getBytes(StandardCharsets.ISO_8859_1);
        byte[] text = options.xmp.getBytes(StandardCharsets.UTF_8);
        int[] all = new int[name.length + text.length];
        for (int i = 0; i < all.length; i++) all[i] = i < name.length ? name[i] : text[i - name.length];
        marker(0xe1, all);
    }
}
