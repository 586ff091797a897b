package dev.oxbow.ops.image;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.codec.BmpDecoder;
import dev.oxbow.kernels.codec.GifDecoder;
import dev.oxbow.kernels.codec.JpegDecoder;
import dev.oxbow.kernels.codec.Picture;
import dev.oxbow.kernels.codec.PngDecoder;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.List;

/** What the ops that decode images share: the format is what the bytes say, whatever the op is called. */
final class ImageFiles {
    private ImageFiles() {}

    /** An op that decodes an image whose size only its bytes know. */
    interface Decoding extends NotDifferentiable {

        /** Channels of the image, 0 for what the file has. */
        default int channels() {
            return 0;
        }

        default DType dtype() {
            return DType.U8;
        }

        /** Whether an image is one frame of a batch. */
        default boolean framed() {
            return false;
        }

        /** Whether an animation may be one. */
        default boolean animated() {
            return false;
        }

        /** The formats that the op takes, by their first letters. */
        default String formats() {
            return "JPG";
        }

        default JpegDecoder.Options jpeg() {
            return new JpegDecoder.Options(channels(), 1, true, true, false, true);
        }

        @Override
        default List<TensorType> infer(InferenceContext c) {
            c.scalar(0);
            int channels = channels();
            require(
                    channels == 0 || channels == 1 || channels == 3 || channels == 4,
                    INVALID_ARGUMENT,
                    "channels must be 0, 1, 3 or 4, got %d",
                    channels);
            Shape image = Shape.of(-1, -1, channels == 0 ? -1 : channels);
            return List.of(new TensorType(
                    dtype(),
                    animated() ? Shape.UNKNOWN : framed() ? Shape.of(-1).concat(image) : image));
        }

        @Override
        default Kernel cpu() {
            return c -> decode(c, (byte[]) c.input(0).objects()[0], this, null);
        }
    }

    /** A decoder's options by the attributes of TensorFlow. */
    static JpegDecoder.Options options(int channels, int ratio, boolean fancy, boolean recover, String method) {
        require(
                ratio == 1 || ratio == 2 || ratio == 4 || ratio == 8,
                INVALID_ARGUMENT,
                "ratio must be 1, 2, 4, or 8, got %d",
                ratio);
        require(
                List.of("", "INTEGER_FAST", "INTEGER_ACCURATE").contains(method),
                INVALID_ARGUMENT,
                "dct_method must be one of {'', 'INTEGER_FAST', 'INTEGER_ACCURATE'}, got '%s'",
                method);
        return new JpegDecoder.Options(channels, ratio, fancy, !method.equals("INTEGER_ACCURATE"), recover, true);
    }

    static void decode(KernelContext c, byte[] file, Decoding op, JpegDecoder.Window window) {
        if (JpegDecoder.isJpeg(file)) {
            check(op, "J", "JPEG", op.channels() != 4, "0, 1, or 3");
            give(c, op, JpegDecoder.decode(file, window, op.jpeg()), 0, false);
        } else if (PngDecoder.isPng(file)) {
            check(op, "P", "PNG", true, "");
            boolean wide = op.dtype() != DType.U8;
            give(c, op, PngDecoder.decode(file, op.channels(), wide), 0, wide);
        } else if (GifDecoder.isGif(file)) {
            check(op, "G", "GIF", op.channels() == 0 || op.channels() == 3, "0 or 3");
            boolean many = op.framed() || op.animated();
            GifDecoder.Frames frames =
                    GifDecoder.decode(file, many || op.formats().length() < 4 ? Integer.MAX_VALUE : 1);
            require(
                    many || op.formats().length() == 4 || frames.count() == 1,
                    INVALID_ARGUMENT,
                    "Got %d frames, but animated gifs can only be decoded by tf.io.decode_gif or tf.io.decode_image",
                    frames.count());
            give(c, op, frames.picture(), many ? frames.count() : 0, false);
        } else if (BmpDecoder.isBmp(file)) {
            check(op, "B", "BMP", true, "");
            give(c, op, BmpDecoder.decode(file, op.channels()), 0, false);
        } else {
            throw new OxbowException(
                    INVALID_ARGUMENT, "Unknown image file format. One of JPEG, PNG, GIF, BMP required.");
        }
    }

    private static void check(Decoding op, String letter, String format, boolean channels, String wanted) {
        require(op.formats().contains(letter), INVALID_ARGUMENT, "Trying to decode %s format using a wrong op", format);
        require(channels, INVALID_ARGUMENT, "channels must be %s for %s, got %d", wanted, format, op.channels());
    }

    /** Gives output 0 a picture, or so many frames; samples of 16 bits where it is wide. */
    private static void give(KernelContext c, Decoding op, Picture p, int frames, boolean wide) {
        int height = frames == 0 ? p.height() : p.height() / frames;
        Shape image = Shape.of(height, p.width(), p.channels());
        Tensor out = c.allocate(
                0, frames > 0 || op.framed() ? Shape.of(Math.max(1, frames)).concat(image) : image);
        byte[] s = p.samples();
        if (op.dtype() == DType.U8 || wide && op.dtype() == DType.U16) {
            Memory.put(out.address(), s);
            return;
        }
        for (int i = 0; i < out.size(); i++) {
            int v = wide ? s[2 * i] & 255 | (s[2 * i + 1] & 255) << 8 : s[i] & 255;
            if (op.dtype() == DType.U16) out.setLong(i, v << 8);
            else out.set(i, v / (wide ? 65535f : 255f));
        }
    }
}
