package dev.oxbow.kernels.codec;

import dev.oxbow.tensor.ErrorCode;
import dev.oxbow.tensor.OxbowException;

/** Decodes BMP of 8, 24 and 32 bits without compression; samples of 8 bits are grey, whatever the palette says. */
public final class BmpDecoder {
    private static final int HEADER = 32;

    private BmpDecoder() {}

    public static boolean isBmp(byte[] data) {
        return data.length > 1 && data[0] == 'B' && data[1] == 'M';
    }

    private static int i32(byte[] d, int at) {
        return d[at] & 255 | (d[at + 1] & 255) << 8 | (d[at + 2] & 255) << 16 | (d[at + 3] & 255) << 24;
    }

    /** The samples; {@code channels} must be what the file has, or 0, or 4 for RGB behind which an alpha of 255 stands. */
    public static Picture decode(byte[] data, int channels) {
        if (!isBmp(data)) throw BrokenImage.at("BMP", 0, "Unknown image file format: does not begin with BM");
        if (data.length < HEADER)
            throw BrokenImage.at(
                    "BMP",
                    0,
                    "Incomplete bmp content, requires at least %d bytes to find the header size, width, height, and bpp, got %d bytes",
                    HEADER,
                    data.length);
        int from = i32(data, 10), width = i32(data, 18), signed = i32(data, 22), bits = i32(data, 28) & 0xffff;
        if (channels != 0 && channels != bits / 8 && (channels != 4 || bits != 24))
            throw new OxbowException(
                    ErrorCode.INVALID_ARGUMENT,
                    "channels attribute %d does not match bits per pixel from file %d".formatted(channels, bits / 8));
        int n = bits / 8;
        if (n != 1 && n != 3 && n != 4) throw BrokenImage.at("BMP", 28, "%d bits a pixel are not supported", bits);
        if (width <= 0 || signed == 0 || signed == Integer.MIN_VALUE)
            throw BrokenImage.at("BMP", 18, "the image is %d x %d", width, signed);
        int height = Math.abs(signed);
        long row = ((long) n * width + 3) / 4 * 4, last = row * (height - 1) + (long) n * width;
        if (from < 0 || from > data.length || last > data.length - from)
            throw BrokenImage.at("BMP", data.length, "rows of %d bytes from %d on do not fit", row, from);
        int to = channels == 0 ? n : channels;
        byte[] out = new byte[Math.toIntExact((long) to * width * height)];
        for (int y = 0, o = 0; y < height; y++) {
            int at = from + (int) row * (signed > 0 ? height - 1 - y : y);
            for (int x = 0; x < width; x++, at += n, o += to) {
                out[o] = data[n > 2 ? at + 2 : at];
                if (n < 3) continue;
                out[o + 1] = data[at + 1];
                out[o + 2] = data[at];
                if (to == 4) out[o + 3] = n == 4 ? data[at + 3] : -1;
            }
        }
        return new Picture(width, height, to, out);
    }
}
