package dev.oxbow.kernels.codec;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** The bits of a scan, of which the stuffed zeros are left out; behind a marker or the end of the file there are zeros. */
final class JpegBits {

    /*
     * The buffer is left-aligned. Eight bytes without 0xFF are put behind it at once; bits of a byte that does not fit whole come
     * along and are written again, the same, by the next filling. Zeros that are no data are counted, so that whoever took more
     * than there was can be told.
     */

    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);
    private static final long ONES = 0x0101010101010101L, HIGHS = 0x8080808080808080L;

    final byte[] data;
    int at;
    long bits;
    int count;
    private long invented;

    JpegBits(byte[] data, int at) {
        this.data = data;
        this.at = at;
    }

    /** Makes at least 32 bits available. */
    void fill() {
        if (at + 8 <= data.length) {
            long x = (long) LONG.get(data, at);
            if (((~x - ONES) & x & HIGHS) == 0) {
                bits |= x >>> count;
                int bytes = (64 - count) >>> 3;
                at += bytes;
                count += bytes << 3;
                return;
            }
        }
        slowly();
    }

    private void slowly() {
        bits &= count == 0 ? 0 : -1L << (64 - count);
        while (count <= 56) {
            if (at >= data.length) {
                invent();
                continue;
            }
            int b = data[at] & 255;
            if (b == 255) {
                int next = at + 1 < data.length ? data[at + 1] & 255 : 1;
                if (next != 0) {
                    invent();
                    continue;
                }
                at++;
            }
            at++;
            bits |= (long) b << (56 - count);
            count += 8;
        }
    }

    private void invent() {
        count += 8;
        invented += 8;
    }

    /** Whether more was taken than there was. */
    boolean isOverrun() {
        return invented > count;
    }

    /** The next {@code n} bits, 1 to 16, as a number. */
    int take(int n) {
        if (count < 32) fill();
        int v = (int) (bits >>> (64 - n));
        bits <<= n;
        count -= n;
        return v;
    }

    /** The number that a category and its bits stand for. */
    static int extended(int v, int size) {
        return v < 1 << (size - 1) ? v - (1 << size) + 1 : v;
    }

    int symbol(JpegHuffman table) {
        if (count < 32) fill();
        int entry = table.symbols[(int) (bits >>> (64 - JpegHuffman.LOOK))];
        if (entry == 0) entry = table.longer(bits, at);
        bits <<= entry >>> 8;
        count -= entry >>> 8;
        return entry & 255;
    }

    /** Forgets what is left of the bits and goes behind the next marker; its number, or -1 at the end. */
    int nextMarker() {
        bits = 0;
        count = 0;
        invented = 0;
        while (at + 1 < data.length) {
            if (data[at++] != (byte) 255) continue;
            while (at < data.length && data[at] == (byte) 255) at++;
            if (at < data.length && data[at] != 0) return data[at++] & 255;
        }
        return -1;
    }
}
