package dev.oxbow.kernels.codec;

import dev.oxbow.tensor.ErrorCode;
import dev.oxbow.tensor.OxbowException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Decodes the frames of GIF as RGB, each over the one before. */
public final class GifDecoder {
    private static final long MOST_BYTES = 1L << 29;
    private static final int IMAGE = 0x2c, EXTENSION = 0x21, END = 0x3b, CONTROL = 0xf9;

    private final byte[] data;
    private final List<byte[]> frames = new ArrayList<>();
    private int at;
    private int width;
    private int height;
    private int transparent = -1;

    private GifDecoder(byte[] data) {
        this.data = data;
    }

    public static boolean isGif(byte[] data) {
        return data.length > 3 && data[0] == 'G' && data[1] == 'I' && data[2] == 'F' && data[3] == '8';
    }

    /** The frames, up to {@code most}, below each other in one picture; its height is that of all of them. */
    public record Frames(int count, Picture picture) {}

    public static Frames decode(byte[] data, int most) {
        GifDecoder d = new GifDecoder(data);
        d.run(most);
        byte[] all = new byte[d.frames.size() * d.width * d.height * 3];
        for (int i = 0; i < d.frames.size(); i++)
            System.arraycopy(d.frames.get(i), 0, all, i * d.width * d.height * 3, d.width * d.height * 3);
        return new Frames(d.frames.size(), new Picture(d.width, d.height * d.frames.size(), 3, all));
    }

    private int u8() {
        if (at >= data.length) throw BrokenImage.at("GIF", at, "the file ends before its last frame");
        return data[at++] & 255;
    }

    private int u16() {
        return u8() | u8() << 8;
    }

    private byte[] colours(int flags) {
        int n = 3 << (flags & 7) + 1;
        if (n > data.length - at) throw BrokenImage.at("GIF", at, "the file ends inside of its colours");
        at += n;
        return Arrays.copyOfRange(data, at - n, at);
    }

    private void run(int most) {
        if (!isGif(data)) throw BrokenImage.at("GIF", 0, "does not begin with its signature");
        at = 6;
        width = u16();
        height = u16();
        int flags = u8();
        u16();
        byte[] global = (flags & 128) != 0 ? colours(flags) : null;
        if (width == 0 || height == 0) throw BrokenImage.at("GIF", 6, "the image is %d x %d", width, height);
        while (frames.size() < most) {
            int kind = u8();
            if (kind == END) break;
            if (kind == EXTENSION) extension();
            else if (kind == IMAGE) image(global);
            else throw BrokenImage.at("GIF", at, "a block of kind %02x is not known", kind);
        }
        if (frames.isEmpty()) throw BrokenImage.at("GIF", at, "gif file does not contain any image");
    }

    private void extension() {
        int label = u8();
        for (int n = u8(); n != 0; n = u8()) {
            if (label == CONTROL && n >= 4 && at + 4 <= data.length)
                transparent = (data[at] & 1) != 0 ? data[at + 3] & 255 : -1;
            at += n;
        }
    }

    private void image(byte[] global) {
        int left = u16(), top = u16(), w = u16(), h = u16(), flags = u8();
        byte[] colours = (flags & 128) != 0 ? colours(flags) : global;
        if (colours == null) throw BrokenImage.at("GIF", at, "missing color map for frame %d", frames.size());
        if ((long) (frames.size() + 1) * width * height * 3 >= MOST_BYTES
                || (long) width * height > 4096L * data.length + 65536
                || (long) w * h > 4096L * data.length + 65536)
            throw new OxbowException(
                    ErrorCode.INVALID_ARGUMENT,
                    "GIF: %d frames of %d x %d are too large".formatted(frames.size() + 1, width, height));
        byte[] indices = new GifPixels(data, at).read(w * h);
        at = GifPixels.behind(data, at);
        byte[] frame = frames.isEmpty()
                ? new byte[width * height * 3]
                : frames.getLast().clone();
        for (int i = 0; i < w * h; i++) {
            int y = top + ((flags & 64) != 0 ? interlaced(i / w, h) : i / w),
                    x = left + i % w,
                    index = indices[i] & 255;
            if (x >= width || y >= height || index == transparent) continue;
            if (3 * index >= colours.length)
                throw BrokenImage.at("GIF", at, "found color index %d outside of color map", index);
            System.arraycopy(colours, 3 * index, frame, (y * width + x) * 3, 3);
        }
        frames.add(frame);
        transparent = -1;
    }

    /** Where row {@code i} of the file lies in an image whose rows come in four passes. */
    private static int interlaced(int i, int h) {
        int[] start = {0, 4, 2, 1}, step = {8, 8, 4, 2};
        int left = i;
        for (int p = 0; p < 4; p++) {
            int rows = Math.max(0, (h - start[p] + step[p] - 1) / step[p]);
            if (left < rows) return start[p] + left * step[p];
            left -= rows;
        }
        return h;
    }
}
