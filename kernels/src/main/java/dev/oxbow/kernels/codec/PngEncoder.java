package dev.oxbow.kernels.codec;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32;
import java.util.zip.Deflater;
import java.util.zip.DeflaterOutputStream;

/** Writes PNG: each row with the filter whose bytes are smallest together, then deflated. */
public final class PngEncoder {
    private static final int[] COLOURS = {0, 4, 2, 6};

    private PngEncoder() {}

    /** A file of samples of 8 bits, or of 16 with the low byte first; {@code level} is zlib's, -1 for its own choice. */
    public static byte[] encode(Picture p, boolean wide, int level) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try {
            out.write(new byte[] {(byte) 137, 'P', 'N', 'G', 13, 10, 26, 10});
            ByteArrayOutputStream header = new ByteArrayOutputStream();
            DataOutputStream h = new DataOutputStream(header);
            h.writeInt(p.width());
            h.writeInt(p.height());
            h.write(new byte[] {(byte) (wide ? 16 : 8), (byte) COLOURS[p.channels() - 1], 0, 0, 0});
            chunk(out, "IHDR", header.toByteArray());
            chunk(out, "IDAT", rows(p, wide, level));
            chunk(out, "IEND", new byte[0]);
        } catch (IOException e) {
            throw new IllegalStateException(e); // nothing is written but memory
        }
        return out.toByteArray();
    }

    private static byte[] rows(Picture p, boolean wide, int level) throws IOException {
        int unit = p.channels() * (wide ? 2 : 1), length = p.width() * unit;
        ByteArrayOutputStream packed = new ByteArrayOutputStream();
        Deflater deflater = new Deflater(level);
        byte[] row = new byte[length], above = new byte[length], best = new byte[length], tried = new byte[length];
        try (DeflaterOutputStream out = new DeflaterOutputStream(packed, deflater)) {
            for (int y = 0; y < p.height(); y++) {
                System.arraycopy(p.samples(), y * length, row, 0, length);
                if (wide) swap(row);
                long least = Long.MAX_VALUE;
                int chosen = 0;
                for (int filter = 0; filter < 5; filter++) {
                    long sum = filter(filter, row, above, unit, tried);
                    if (sum >= least) continue;
                    least = sum;
                    chosen = filter;
                    byte[] t = best;
                    best = tried;
                    tried = t;
                }
                out.write(chosen);
                out.write(best);
                byte[] t = above;
                above = row;
                row = t;
            }
        } finally {
            deflater.end();
        }
        return packed.toByteArray();
    }

    private static void swap(byte[] row) {
        for (int i = 0; i + 1 < row.length; i += 2) {
            byte b = row[i];
            row[i] = row[i + 1];
            row[i + 1] = b;
        }
    }

    private static long filter(int filter, byte[] row, byte[] above, int unit, byte[] to) {
        long sum = 0;
        for (int i = 0; i < row.length; i++) {
            int left = i < unit ? 0 : row[i - unit] & 255, up = above[i] & 255;
            int corner = i < unit ? 0 : above[i - unit] & 255;
            int guess = switch (filter) {
                case 0 -> 0;
                case 1 -> left;
                case 2 -> up;
                case 3 -> left + up >> 1;
                default -> PngDecoder.paeth(left, up, corner);
            };
            to[i] = (byte) (row[i] - guess);
            sum += Math.abs(to[i]);
        }
        return sum;
    }

    private static void chunk(ByteArrayOutputStream to, String kind, byte[] content) throws IOException {
        DataOutputStream out = new DataOutputStream(to);
        byte[] name = kind.getBytes(StandardCharsets.US_ASCII);
        out.writeInt(content.length);
        out.write(name);
        out.write(content);
        CRC32 crc = new CRC32();
        crc.update(name);
        crc.update(content);
        out.writeInt((int) crc.getValue());
    }
}
