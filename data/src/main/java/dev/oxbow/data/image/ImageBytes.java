package dev.oxbow.data.image;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;

import dev.oxbow.kernels.codec.BmpDecoder;
import dev.oxbow.kernels.codec.GifDecoder;
import dev.oxbow.kernels.codec.JpegDecoder;
import dev.oxbow.kernels.codec.Picture;
import dev.oxbow.kernels.codec.PngDecoder;
import dev.oxbow.kernels.codec.TurboJpeg;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Tensor;
import java.util.Optional;

/** An image as it lies in a file, decoded as RGB, as much of it as is needed. */
final class ImageBytes {
    private final byte[] file;

    /** All of it, of a format that is decoded whole; null for a JPEG. */
    private final Picture whole;

    final int width;
    final int height;

    ImageBytes(byte[] file) {
        this.file = file;
        whole = JpegDecoder.isJpeg(file) ? null : whole(file);
        if (whole == null) {
            JpegDecoder.Header h = JpegDecoder.header(file);
            width = h.width();
            height = h.height();
        } else {
            width = whole.width();
            height = whole.height();
        }
    }

    private static Picture whole(byte[] file) {
        if (PngDecoder.isPng(file)) return PngDecoder.decode(file, 3, false);
        if (GifDecoder.isGif(file)) return GifDecoder.decode(file, 1).picture();
        if (BmpDecoder.isBmp(file)) return coloured(BmpDecoder.decode(file, 0));
        throw new OxbowException(INVALID_ARGUMENT, "this is no image: known are JPEG, PNG, GIF and BMP");
    }

    private static Picture coloured(Picture p) {
        if (p.channels() == 3) return p;
        byte[] rgb = new byte[3 * p.width() * p.height()];
        for (int i = 0; i < rgb.length; i++)
            rgb[i] = p.samples()[p.channels() * (i / 3) + (p.channels() == 4 ? i % 3 : 0)];
        return new Picture(p.width(), p.height(), 3, rgb);
    }

    /** By how much a JPEG may be smaller when it is decoded so that a part of it still fills a size. */
    static int ratio(Crop.Window w, int wantedWidth, int wantedHeight) {
        int ratio = 8;
        while (ratio > 1 && (w.width() / ratio < wantedWidth || w.height() / ratio < wantedHeight)) ratio /= 2;
        return ratio;
    }

    /** A part of the image; what it has of a smaller JPEG where {@code ratio} is not 1. */
    Pixels decode(Crop.Window w, int ratio) {
        if (whole != null) return Pixels.copy(whole, w);
        Crop.Window part = new Crop.Window(w.x() / ratio, w.y() / ratio, w.width() / ratio, w.height() / ratio);
        Optional<Tensor> fast = TurboJpeg.rows(file, part.y() + part.height(), ratio);
        if (fast.isPresent()) return Pixels.of(fast.get(), part);
        Picture own = JpegDecoder.decode(
                file,
                new JpegDecoder.Window(part.x(), part.y(), part.width(), part.height()),
                new JpegDecoder.Options(3, ratio, true, false, false, false));
        return Pixels.copy(own, new Crop.Window(0, 0, part.width(), part.height()));
    }
}
