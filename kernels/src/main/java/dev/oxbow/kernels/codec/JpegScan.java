package dev.oxbow.kernels.codec;

import java.util.List;

/** The entropy-coded data of one scan: blocks are decoded in order, and those that are kept become samples or coefficients. */
final class JpegScan {
    private final JpegFrame frame;
    private final JpegBits in;
    private final boolean lenient;
    private final int[] block = new int[64];
    private int endRun;

    JpegScan(JpegFrame frame, int at, boolean lenient) {
        this.frame = frame;
        this.in = new JpegBits(frame.data, at);
        this.lenient = lenient;
    }

    /** Decodes the scan; the rows of units from {@code rows} on are not looked at. Where the next marker is. */
    int run(int unitsWide, int unitsHigh, int rows) {
        List<JpegComponent> all = frame.scan;
        for (JpegComponent c : all) {
            if (frame.from == 0 && frame.high == 0 && c.dc == null || needsAc() && c.ac == null)
                throw BrokenImage.at("JPEG", in.at, "a scan has no Huffman table");
            c.predicted = 0;
        }
        boolean single = all.size() == 1;
        int wide = single ? all.getFirst().blocksWide : unitsWide,
                high = single ? all.getFirst().blocksHigh : unitsHigh;
        int last = single ? Math.min(high, rows * all.getFirst().v) : Math.min(high, rows), left = frame.restarts;
        for (int y = 0; y < last; y++) {
            for (int x = 0; x < wide; x++) {
                if (frame.restarts > 0 && left-- == 0) {
                    restart();
                    left = frame.restarts - 1;
                }
                if (single) one(all.getFirst(), x, y);
                else
                    for (JpegComponent c : all)
                        for (int v = 0; v < c.v; v++) for (int h = 0; h < c.h; h++) one(c, x * c.h + h, y * c.v + v);
                if (!in.isOverrun()) continue;
                if (!lenient) throw BrokenImage.at("JPEG", in.at, "Premature end of JPEG data");
                return in.at; // the rest is grey
            }
        }
        return in.at;
    }

    private boolean needsAc() {
        return !frame.progressive || frame.from > 0;
    }

    private void restart() {
        for (JpegComponent c : frame.scan) c.predicted = 0;
        endRun = 0;
        int found = in.nextMarker();
        if ((found < 0xd0 || found > 0xd7) && !lenient)
            throw BrokenImage.at("JPEG", in.at, "wanted a restart marker, got %02x", found);
    }

    private void one(JpegComponent c, int bx, int by) {
        if (frame.progressive) {
            progressive(c, (by * c.paddedWide + bx) * 64);
        } else if (c.keeps(bx, by)) {
            JpegTransform.inverse(block, whole(c), c, c.place(bx, by));
        } else {
            skip(c);
        }
    }

    private int difference(JpegComponent c) {
        int size = in.symbol(c.dc);
        if (size == 0) return 0;
        if (size > 15) throw BrokenImage.at("JPEG", in.at, "a difference has %d bits", size);
        return JpegBits.extended(in.take(size), size);
    }

    /** A block of a sequential frame, dequantised; its last coefficient that is not zero. */
    private int whole(JpegComponent c) {
        int[] b = block, q = c.table, zigzag = JpegFrame.ZIGZAG, table = c.ac.coefficients;
        c.predicted += difference(c);
        b[0] = c.predicted * q[0];
        long bits = in.bits;
        int count = in.count, last = 0;
        for (int k = 1; k < 64; k++) {
            if (count < 32) {
                in.bits = bits;
                in.count = count;
                in.fill();
                bits = in.bits;
                count = in.count;
            }
            int entry = table[(int) (bits >>> (64 - JpegHuffman.LOOK))];
            if (entry != 0) {
                k += entry >> 8 & 255;
                int used = entry & 255;
                bits <<= used;
                count -= used;
                if (k > 63) break;
                b[zigzag[k]] = (entry >> 16) * q[k];
                last = k;
                continue;
            }
            int symbol = c.ac.symbols[(int) (bits >>> (64 - JpegHuffman.LOOK))];
            if (symbol == 0) symbol = c.ac.longer(bits, in.at);
            bits <<= symbol >>> 8;
            count -= symbol >>> 8;
            int size = symbol & 15, run = symbol >> 4 & 15;
            if (size == 0) {
                if (run != 15) break;
                k += 15;
                continue;
            }
            k += run;
            int v = (int) (bits >>> (64 - size));
            bits <<= size;
            count -= size;
            if (k > 63) break;
            b[zigzag[k]] = JpegBits.extended(v, size) * q[k];
            last = k;
        }
        in.bits = bits;
        in.count = count;
        return last;
    }

    /** Goes past a block that nobody wants. */
    private void skip(JpegComponent c) {
        int[] table = c.ac.coefficients;
        c.predicted += difference(c);
        long bits = in.bits;
        int count = in.count;
        for (int k = 1; k < 64; k++) {
            if (count < 32) {
                in.bits = bits;
                in.count = count;
                in.fill();
                bits = in.bits;
                count = in.count;
            }
            int entry = table[(int) (bits >>> (64 - JpegHuffman.LOOK))], used;
            if (entry != 0) {
                k += entry >> 8 & 255;
                used = entry & 255;
            } else {
                int symbol = c.ac.symbols[(int) (bits >>> (64 - JpegHuffman.LOOK))];
                if (symbol == 0) symbol = c.ac.longer(bits, in.at);
                int size = symbol & 15;
                used = (symbol >>> 8) + size;
                k += symbol >> 4 & 15;
                if (size == 0 && (symbol >> 4 & 15) != 15) k = 64;
            }
            bits <<= used;
            count -= used;
        }
        in.bits = bits;
        in.count = count;
    }

    private void progressive(JpegComponent c, int at) {
        short[] b = c.coefficients;
        if (frame.from == 0) {
            if (frame.high > 0) {
                if (in.take(1) != 0) b[at] |= (short) (1 << frame.low);
            } else {
                c.predicted += difference(c);
                b[at] = (short) (c.predicted << frame.low);
            }
        } else if (frame.high == 0) {
            first(c, b, at);
        } else {
            refine(c, b, at);
        }
    }

    private void first(JpegComponent c, short[] b, int at) {
        if (endRun > 0) {
            endRun--;
            return;
        }
        for (int k = frame.from; k <= frame.to; k++) {
            int symbol = in.symbol(c.ac), run = symbol >> 4, size = symbol & 15;
            if (size == 0) {
                if (run < 15) {
                    endRun = (1 << run) - 1 + (run > 0 ? in.take(run) : 0);
                    return;
                }
                k += 15;
                continue;
            }
            k += run;
            b[at + JpegFrame.ZIGZAG[k]] = (short) (JpegBits.extended(in.take(size), size) << frame.low);
        }
    }

    private void refine(JpegComponent c, short[] b, int at) {
        int one = 1 << frame.low, k = frame.from;
        if (endRun == 0) {
            for (; k <= frame.to; k++) {
                int symbol = in.symbol(c.ac), run = symbol >> 4, size = symbol & 15, fresh = 0;
                if (size > 0) fresh = in.take(1) != 0 ? one : -one;
                else if (run < 15) {
                    endRun = (1 << run) + (run > 0 ? in.take(run) : 0);
                    break;
                }
                for (; k <= frame.to; k++) {
                    int i = at + JpegFrame.ZIGZAG[k];
                    if (b[i] != 0) correct(b, i, one);
                    else if (run-- == 0) {
                        b[i] = (short) fresh;
                        break;
                    }
                }
            }
        }
        if (endRun == 0) return;
        for (; k <= frame.to; k++) {
            int i = at + JpegFrame.ZIGZAG[k];
            if (b[i] != 0) correct(b, i, one);
        }
        endRun--;
    }

    private void correct(short[] b, int i, int one) {
        if (in.take(1) != 0 && (b[i] & one) == 0) b[i] += (short) (b[i] >= 0 ? one : -one);
    }
}
