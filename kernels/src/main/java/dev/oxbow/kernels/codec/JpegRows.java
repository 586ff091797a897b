package dev.oxbow.kernels.codec;

/**
 * Rows of components in the size of the image. A component with fewer samples is spread by a triangle filter, or by repeating
 * samples; the weights of the filter are 3/4 and 1/4 along an axis, rounded as libjpeg does. Beyond a border its samples repeat.
 */
final class JpegRows {
    private final JpegFrame frame;
    private final boolean fancy;
    private final int smallest;
    private int[] sums = {};

    /** @param smallest samples of a block of the largest component along a side */
    JpegRows(JpegFrame frame, boolean fancy, int smallest) {
        this.frame = frame;
        this.fancy = fancy && smallest > 1;
        this.smallest = smallest;
    }

    /** How many columns of the image a sample stands for. */
    int across(JpegComponent c) {
        return frame.maxH * smallest / (c.h * c.size);
    }

    int down(JpegComponent c) {
        return frame.maxV * smallest / (c.v * c.size);
    }

    /** Checks that samples stand for whole pixels. */
    void check(JpegComponent c) {
        if (frame.maxH * smallest % (c.h * c.size) != 0 || frame.maxV * smallest % (c.v * c.size) != 0)
            throw BrokenImage.at(
                    "JPEG", 0, "sampling of %d x %d among %d x %d is not supported", c.h, c.v, frame.maxH, frame.maxV);
    }

    /** Keeps what a window of the image needs of a component; with {@code edged} nothing beside its units. */
    void keep(JpegComponent c, JpegDecoder.Window w, boolean edged) {
        int a = across(c), d = down(c), unit = frame.maxH * smallest;
        c.first = edged ? w.x() / unit * unit / a : 0;
        c.last = edged ? (w.x() + w.width() + a - 1) / a - 1 : c.width - 1;
        c.keep(w.x() / a - 1, (w.x() + w.width() - 1) / a + 2, w.y() / d - 1, (w.y() + w.height() - 1) / d + 2);
    }

    /** Samples {@code [x, x + n)} of row {@code y} of the image. */
    void row(JpegComponent c, int y, int x, int n, byte[] out) {
        int a = across(c), d = down(c);
        boolean smooth = fancy && (a == 2 && d <= 2 && c.width > 2 || a == 1 && d == 2);
        int near = smooth && d == 2 ? y >> 1 : y / d;
        int start = start(c, near);
        if (a == 1 && d == 1) {
            System.arraycopy(c.plane, start + x, out, 0, n);
        } else if (!smooth) {
            for (int i = 0; i < n; i++) out[i] = c.plane[start + (x + i) / a];
        } else if (a == 1) {
            int other = start(c, Math.clamp((y & 1) == 0 ? near - 1 : near + 1, 0, c.height - 1));
            int bias = (y & 1) == 0 ? 1 : 2;
            byte[] p = c.plane;
            for (int i = x; i < x + n; i++)
                out[i - x] = (byte) ((p[start + i] & 255) * 3 + (p[other + i] & 255) + bias >> 2);
        } else if (d == 1) {
            across(c, start, x, n, out);
        } else {
            int other = start(c, Math.clamp((y & 1) == 0 ? near - 1 : near + 1, 0, c.height - 1));
            both(c, start, other, x, n, out);
        }
    }

    /** Where column 0 of a row would lie in the plane. */
    private static int start(JpegComponent c, int row) {
        return (row - c.top * c.size) * c.stride - c.left * c.size;
    }

    private static void across(JpegComponent c, int start, int x, int n, byte[] out) {
        byte[] p = c.plane;
        for (int i = x; i < x + n; i++) {
            int at = i >> 1, side = (i & 1) == 0 ? Math.max(c.first, at - 1) : Math.min(c.last, at + 1);
            out[i - x] = (byte) ((p[start + at] & 255) * 3 + (p[start + side] & 255) + 1 + (i & 1) >> 2);
        }
    }

    private void both(JpegComponent c, int start, int other, int x, int n, byte[] out) {
        int from = (x >> 1) - 1, count = (x + n - 1 >> 1) + 2 - from;
        if (sums.length < count + 2) sums = new int[count + 64];
        int[] s = sums;
        byte[] p = c.plane;
        int inside = Math.max(c.first, from), end = Math.min(c.last, from + count - 1);
        for (int i = inside; i <= end; i++) s[i - from] = (p[start + i] & 255) * 3 + (p[other + i] & 255);
        if (from < inside) s[0] = s[1];
        if (end < from + count - 1) s[end + 1 - from] = s[end - from];
        int i = 0, at = (x >> 1) - from;
        if ((x & 1) == 1) {
            out[i++] = (byte) (s[at] * 3 + s[at + 1] + 7 >> 4);
            at++;
        }
        for (; i + 1 < n; i += 2, at++) {
            out[i] = (byte) (s[at] * 3 + s[at - 1] + 8 >> 4);
            out[i + 1] = (byte) (s[at] * 3 + s[at + 1] + 7 >> 4);
        }
        if (i < n) out[i] = (byte) (s[at] * 3 + s[at - 1] + 8 >> 4);
    }
}
