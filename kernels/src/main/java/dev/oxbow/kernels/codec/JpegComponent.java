package dev.oxbow.kernels.codec;

/** One component of a frame: its sampling, its tables, and the part of its plane that is kept. */
final class JpegComponent {
    final int id;
    final int h;
    final int v;
    final int quantiser;

    /** Samples of a block along a side after scaling: 8, 4, 2 or 1. */
    int size = 8;

    /** Samples of the component as such, scaled, and blocks that have any of them. */
    int width;

    int height;
    int blocksWide;
    int blocksHigh;

    /** Blocks in whole units, some of which may lie outside. */
    int paddedWide;

    int paddedHigh;

    /** Blocks that are kept: {@code [left, right)} by {@code [top, bottom)}. */
    int left;

    int right;
    int top;
    int bottom;

    /** The columns between which it is interpolated. */
    int first;

    int last;

    byte[] plane = {};
    int stride;

    /** All coefficients of a progressive frame; null otherwise. */
    short[] coefficients;

    /** Its quantiser along the zigzag; null before its first scan. */
    int[] table;

    private boolean fast;
    JpegHuffman dc;
    JpegHuffman ac;
    int predicted;

    JpegComponent(int id, int h, int v, int quantiser) {
        this.id = id;
        this.h = h;
        this.v = v;
        this.quantiser = quantiser;
    }

    /** Chooses the fast transform, where blocks have their size. */
    void useFast(boolean wanted) {
        fast = wanted && size == 8;
    }

    boolean isFast() {
        return fast;
    }

    void quantise(int[] by) {
        table = fast ? JpegFastTransform.scaled(by) : by;
    }

    boolean keeps(int bx, int by) {
        return bx >= left && bx < right && by >= top && by < bottom;
    }

    /** Where the samples of a block begin in the plane. */
    int place(int bx, int by) {
        return (by - top) * size * stride + (bx - left) * size;
    }

    /** Keeps the samples of columns {@code [x0, x1)} and rows {@code [y0, y1)}, as far as there are any. */
    void keep(int x0, int x1, int y0, int y1) {
        left = Math.max(0, x0) / size;
        right = Math.min(blocksWide, (Math.min(x1, width) + size - 1) / size);
        top = Math.max(0, y0) / size;
        bottom = Math.min(blocksHigh, (Math.min(y1, height) + size - 1) / size);
        stride = (right - left) * size;
        long bytes = (long) stride * (bottom - top) * size;
        if (plane.length < bytes) plane = new byte[Math.toIntExact(bytes)];
    }
}
