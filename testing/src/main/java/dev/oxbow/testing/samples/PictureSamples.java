package dev.oxbow.testing.samples;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Op;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/** Samples of images as files: those of {@code pictures.py}, and what is encoded is decoded again. */
final class PictureSamples {
    private static final List<String> JPEGS = List.of(
            "420.jpg",
            "422.jpg",
            "444.jpg",
            "progressive.jpg",
            "restarts.jpg",
            "optimised.jpg",
            "rgb.jpg",
            "grey.jpg",
            "cmyk.jpg");
    private static final List<String> PNGS = Stream.of(
                    "rgb rgba grey greyalpha rgb16 rgba16 grey16 grey1 grey2 grey4 palette1 palette2 palette4 palette8"
                            .split(" "),
                    "transparent8 transparentgrey transparentrgb interlaced interlaced2".split(" "))
            .flatMap(Stream::of)
            .map(name -> name + ".png")
            .toList();
    private static final List<String> GIFS = List.of("one.gif", "interlaced.gif", "several.gif", "transparent.gif");
    private static final List<String> BMPS = List.of("rgb.bmp", "grey.bmp", "rgba.bmp", "down.bmp");

    private final ImageSamples to;

    PictureSamples(ImageSamples to) {
        this.to = to;
    }

    void define() {
        jpegs();
        pngs();
        gifs();
        bmps();
        images();
        encoded();
    }

    private static byte[] picture(String name) {
        try (InputStream in = PictureSamples.class.getResourceAsStream("pictures/" + name)) {
            return in.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Tensor text(byte[] bytes) {
        return Tensor.ofObjects(DType.STRING, Shape.SCALAR, bytes);
    }

    private void decode(Op op, String name) {
        to.one(op, text(picture(name)));
    }

    private static Op op(String name, Object... attributes) {
        return SampleFamily.named(name, attributes);
    }

    private void jpegs() {
        for (String j : JPEGS) {
            decode(op("DecodeJpeg"), j);
            decode(op("DecodeJpeg", "dct_method", "INTEGER_ACCURATE"), j);
            for (long ratio : new long[] {2, 4, 8}) decode(op("DecodeJpeg", "ratio", ratio), j);
            decode(op("ExtractJpegShape"), j);
            for (int[] w : new int[][] {{0, 0, 13, 21}, {3, 5, 7, 9}, {12, 20, 1, 1}})
                to.one(
                        op("DecodeAndCropJpeg", "dct_method", "INTEGER_ACCURATE"),
                        text(picture(j)),
                        Tensor.of(Shape.of(4), w));
        }
        for (String j : List.of("420.jpg", "422.jpg")) {
            decode(op("DecodeJpeg", "fancy_upscaling", false), j);
            decode(op("DecodeJpeg", "channels", 1L), j);
        }
        decode(op("DecodeJpeg", "channels", 3L), "grey.jpg");
        decode(op("DecodeJpeg", "channels", 1L), "rgb.jpg");
        decode(op("DecodeJpeg", "channels", 1L), "cmyk.jpg");
        decode(op("DecodeJpeg", "channels", 4L), "420.jpg");
        decode(op("DecodeJpeg"), "rgb.png");
        decode(op("DecodeJpeg"), "one.gif");
        decode(op("DecodeJpeg"), "several.gif");
        decode(op("DecodeJpeg"), "rgb.bmp");
        decode(op("ExtractJpegShape", "output_type", DType.I64), "420.jpg");
        to.one(op("DecodeAndCropJpeg"), text(picture("420.jpg")), Tensor.of(Shape.of(4), 5, 5, 9, 9));
        byte[] whole = picture("444.jpg"), cut = Arrays.copyOf(whole, whole.length - 60);
        to.one(op("DecodeJpeg"), text(cut));
        // what TensorFlow makes of bits that are missing is noise; here only the end marker is
        to.one(op("DecodeJpeg", "try_recover_truncated", true), text(Arrays.copyOf(whole, whole.length - 2)));
        to.one(op("DecodeJpeg"), text("no image".getBytes(StandardCharsets.UTF_8)));
    }

    private void pngs() {
        for (String p : PNGS)
            for (long channels : new long[] {0, 1, 3, 4})
                for (DType dtype : List.of(DType.U8, DType.U16))
                    decode(op("DecodePng", "channels", channels, "dtype", dtype), p);
        byte[] broken = picture("rgb.png");
        broken[60] ^= 1;
        to.one(op("DecodePng"), text(broken));
        decode(op("DecodePng"), "420.jpg");
    }

    private void gifs() {
        for (String g : GIFS) decode(op("DecodeGif"), g);
        decode(op("DecodeGif"), "rgb.png");
        decode(op("DecodeGif"), "420.jpg");
    }

    private void bmps() {
        for (String b : BMPS) decode(op("DecodeBmp"), b);
        decode(op("DecodeBmp", "channels", 3L), "rgb.bmp");
        decode(op("DecodeBmp", "channels", 4L), "rgb.bmp");
        decode(op("DecodeBmp"), "rgb.png");
    }

    private void images() {
        for (String name : List.of("420.jpg", "rgba16.png", "rgb.png", "several.gif", "rgb.bmp"))
            for (DType dtype : List.of(DType.U8, DType.U16, DType.F32)) decode(op("DecodeImage", "dtype", dtype), name);
        decode(op("DecodeImage", "expand_animations", false), "several.gif");
        decode(op("DecodeImage", "channels", 1L), "420.jpg");
    }

    private void encoded() {
        for (long channels : new long[] {1, 3})
            for (long[] size : new long[][] {{13, 21}, {16, 16}, {1, 1}, {9, 40}}) {
                Tensor image = SampleFamily.random(DType.U8, 0, 256, channels + size[1], size[0], size[1], channels);
                for (Op o : List.of(
                        op("EncodeJpeg"),
                        op("EncodeJpeg", "quality", 30L, "chroma_downsampling", false),
                        op("EncodeJpeg", "optimize_size", true, "quality", 80L, "density_unit", "cm", "x_density", 7L),
                        op("EncodeJpeg", "format", channels == 1 ? "grayscale" : "rgb", "xmp_metadata", "<x/>")))
                    again("EncodeJpeg", o, "DecodeJpeg", image);
                again(
                        "EncodeJpegVariableQuality",
                        op("EncodeJpegVariableQuality"),
                        "DecodeJpeg",
                        image,
                        Tensor.scalar(55));
            }
        to.one(op("EncodeJpeg", "format", "rgb"), Tensor.zeros(DType.U8, Shape.of(2, 2, 1)));
        for (long channels = 1; channels <= 4; channels++)
            for (DType dtype : List.of(DType.U8, DType.U16))
                for (long level : new long[] {-1, 0, 9})
                    again(
                            "EncodePng",
                            op("EncodePng", "compression", level),
                            dtype == DType.U8 ? "DecodePng" : "wide",
                            SampleFamily.random(dtype, 0, 256, channels, 7, 5, channels));
    }

    /** What an op encodes, decoded: files may differ where images do not. */
    private void again(String cover, Op encode, String decode, Tensor... inputs) {
        to.add(cover, p -> {
            Edge[] in = new Edge[inputs.length];
            for (int i = 0; i < in.length; i++) in[i] = p.constant(inputs[i]);
            Op back = decode.equals("wide") ? op("DecodePng", "dtype", DType.U16) : op(decode);
            p.fetch(p.add(back, p.add(encode, in).edge(0)).edge(0));
        });
    }
}
