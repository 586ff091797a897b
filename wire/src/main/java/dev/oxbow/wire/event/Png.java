package dev.oxbow.wire.event;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32;
import java.util.zip.Deflater;

/** Pictures of 8 bits a channel as PNG files. */
final class Png {
    private static final byte[] SIGNATURE = {(byte) 0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};

    /** By number of channels: grey, grey with alpha, colour, colour with alpha. */
    private static final byte[] COLOURS = {-1, 0, 4, 2, 6};

    /** Each row is the difference from the one above it. */
    private static final byte UP = 2;

    private Png() {}

    static byte[] encode(byte[] pixels, int height, int width, int channels) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.writeBytes(SIGNATURE);
        ByteBuffer head = ByteBuffer.allocate(13).putInt(width).putInt(height);
        head.put((byte) 8).put(COLOURS[channels]);
        chunk(out, "IHDR", head.array(), 13);
        int row = width * channels;
        byte[] filtered = new byte[Math.multiplyExact(height, row + 1)];
        for (int y = 0; y < height; y++) {
            int to = y * (row + 1);
            filtered[to] = UP;
            for (int x = 0; x < row; x++) {
                int at = y * row + x;
                filtered[to + 1 + x] = (byte) (pixels[at] - (y == 0 ? 0 : pixels[at - row]));
            }
        }
        Deflater deflater = new Deflater();
        try {
            deflater.setInput(filtered);
            deflater.finish();
            ByteArrayOutputStream packed = new ByteArrayOutputStream();
            byte[] piece = new byte[1 << 14];
            while (!deflater.finished()) packed.write(piece, 0, deflater.deflate(piece));
            chunk(out, "IDAT", packed.toByteArray(), packed.size());
        } finally {
            deflater.end();
        }
        chunk(out, "IEND", new byte[0], 0);
        return out.toByteArray();
    }

    private static void chunk(ByteArrayOutputStream out, String type, byte[] content, int length) {
        byte[] name = type.getBytes(StandardCharsets.US_ASCII);
        CRC32 crc = new CRC32();
        crc.update(name);
        crc.update(content, 0, length);
        out.writeBytes(ByteBuffer.allocate(4).putInt(length).array());
        out.writeBytes(name);
        out.write(content, 0, length);
        out.writeBytes(ByteBuffer.allocate(4).putInt((int) crc.getValue()).array());
    }
}
