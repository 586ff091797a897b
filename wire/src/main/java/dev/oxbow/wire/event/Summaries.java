package dev.oxbow.wire.event;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import com.google.protobuf.ByteString;
import dev.oxbow.kernels.codec.Picture;
import dev.oxbow.kernels.codec.PngEncoder;
import dev.oxbow.tensor.Counts;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import dev.oxbow.wire.TensorCodec;
import dev.oxbow.wire.proto.Summary;
import dev.oxbow.wire.proto.SummaryMetadata;
import dev.oxbow.wire.proto.TensorProto;
import java.util.Arrays;

/** Values of summaries, as TensorFlow's summary ops make them of tensors. */
public final class Summaries {
    /** Below it a picture is taken for black. */
    private static final float BLACK = 1e-6f;

    private Summaries() {}

    public static Summary.Value scalar(String tag, double value) {
        return Summary.Value.newBuilder()
                .setTag(tag)
                .setSimpleValue((float) value)
                .build();
    }

    /** How the elements of a tensor are spread; all must be finite. */
    public static Summary.Value histogram(String tag, Tensor values) {
        Histogram h = new Histogram();
        for (long i = 0; i < values.size(); i++) {
            double v = values.getDouble(i);
            require(!Double.isNaN(v), INVALID_ARGUMENT, "Nan in summary histogram for: %s", tag);
            require(!Double.isInfinite(v), INVALID_ARGUMENT, "Infinity in summary histogram for: %s", tag);
            h.add(v);
        }
        return Summary.Value.newBuilder().setTag(tag).setHisto(h.message()).build();
    }

    /** A tensor as it is, under a tag, with what is said of it. */
    public static Summary.Value tensor(String tag, Tensor value, SummaryMetadata metadata) {
        return Summary.Value.newBuilder()
                .setTag(tag)
                .setTensor(message(value))
                .setMetadata(metadata)
                .build();
    }

    /** A tensor as summaries have it: numbers as their bytes, however few. */
    public static TensorProto message(Tensor value) {
        return value.dtype().isObject() ? TensorCodec.encode(value) : TensorCodec.encodeContent(value);
    }

    /** A text, in Markdown. */
    public static Summary.Value text(String tag, String text) {
        return tensor(tag, Tensor.of(Shape.of(1), text), plugin("text", ByteString.EMPTY));
    }

    /** What tells TensorBoard which of its plugins shows a value. */
    public static SummaryMetadata plugin(String name, ByteString content) {
        return SummaryMetadata.newBuilder()
                .setPluginData(SummaryMetadata.PluginData.newBuilder()
                        .setPluginName(name)
                        .setContent(content))
                .build();
    }

    /**
     * The first pictures of a batch [pictures, height, width, channels]: of bytes as they are, of numbers scaled so that all
     * colours are used. A pixel that is not finite gets the bad colour.
     */
    public static Summary images(String tag, Tensor batch, long most, Tensor badColour) {
        Shape s = batch.shape();
        require(
                s.rank() == 4 && (s.dim(3) == 1 || s.dim(3) == 3 || s.dim(3) == 4),
                INVALID_ARGUMENT,
                "Tensor must be 4-D with last dim 1, 3, or 4, not %s",
                s);
        int height = Counts.toInt(s.dim(1)), width = Counts.toInt(s.dim(2)), channels = Counts.toInt(s.dim(3));
        require(
                height > 0 && width > 0 && s.dim(1) * s.dim(2) <= Integer.MAX_VALUE / 8,
                INVALID_ARGUMENT,
                "Tensor must have pixels, and no more than 2^28 of them, got %s",
                s);
        int pixels = height * width * channels;
        byte[] bad = bytes(badColour, 0, Counts.toInt(badColour.size()));
        boolean isBytes = batch.dtype() == DType.U8;
        require(
                isBytes || bad.length >= channels,
                INVALID_ARGUMENT,
                "expected depth of image (%d) to match the %d channels of bad_color",
                channels,
                bad.length);
        Summary.Builder all = Summary.newBuilder();
        for (int i = 0; i < Math.min(most, s.dim(0)); i++) {
            byte[] image = isBytes
                    ? bytes(batch, (long) i * pixels, pixels)
                    : scaled(batch, (long) i * pixels, pixels, channels, bad);
            all.addValueBuilder()
                    .setTag(numbered(tag + "/image", i, most))
                    .setImage(Summary.Image.newBuilder()
                            .setHeight(height)
                            .setWidth(width)
                            .setColorspace(channels)
                            .setEncodedImageString(ByteString.copyFrom(
                                    PngEncoder.encode(new Picture(width, height, channels, image), false, -1))));
        }
        return all.build();
    }

    /** The number depends on how many were asked for, not on how many there are. */
    private static String numbered(String tag, int i, long most) {
        return most > 1 ? tag + "/" + i : tag;
    }

    private static byte[] bytes(Tensor of, long from, int count) {
        byte[] all = new byte[count];
        for (int i = 0; i < count; i++) all[i] = (byte) of.getLong(from + i);
        return all;
    }

    /** Numbers that are never negative fill 0 to 255, others are symmetric around 128. */
    private static byte[] scaled(Tensor of, long from, int count, int channels, byte[] bad) {
        float min = Float.POSITIVE_INFINITY, max = Float.NEGATIVE_INFINITY;
        boolean[] broken = new boolean[count / channels];
        for (int p = 0; p < broken.length; p++) {
            for (int c = 0; c < channels; c++)
                broken[p] |= !Float.isFinite((float) of.getDouble(from + (long) p * channels + c));
            for (int c = 0; c < channels && !broken[p]; c++) {
                float v = (float) of.getDouble(from + (long) p * channels + c);
                min = Math.min(min, v);
                max = Math.max(max, v);
            }
        }
        float most = min < 0 ? Math.max(Math.abs(min), Math.abs(max)) : max;
        float scale = most < BLACK ? 0 : (min < 0 ? 127 : 255) / most, offset = min < 0 ? 128 : 0;
        byte[] image = new byte[count];
        double by = rounded(of.dtype(), scale);
        for (int i = 0; i < count; i++) {
            double v = rounded(of.dtype(), rounded(of.dtype(), of.getDouble(from + i) * by) + offset);
            image[i] = broken[i / channels] ? bad[i % channels] : (byte) (int) v;
        }
        return image;
    }

    /** A result in the precision that a picture is computed in, which is its own. */
    private static double rounded(DType dtype, double v) {
        return switch (dtype) {
            case F16 -> Float.float16ToFloat(Float.floatToFloat16((float) v));
            case F32 -> (float) v;
            default -> v;
        };
    }

    /** The first sounds of a batch [sounds, frames] or [sounds, frames, channels] of samples between -1 and 1. */
    public static Summary audio(String tag, Tensor batch, float rate, long most) {
        Shape s = batch.shape();
        require(s.rank() == 2 || s.rank() == 3, INVALID_ARGUMENT, "Tensor must be 3-D or 2-D, got: %s", s);
        require(rate > 0, INVALID_ARGUMENT, "sample_rate must be positive, got %s", rate);
        int frames = Counts.toInt(s.dim(1)), channels = s.rank() == 2 ? 1 : Counts.toInt(s.dim(2));
        float[] samples = batch.floats();
        Summary.Builder all = Summary.newBuilder();
        for (int i = 0; i < Math.min(most, s.dim(0)); i++) {
            float[] own = Arrays.copyOfRange(samples, i * frames * channels, (i + 1) * frames * channels);
            all.addValueBuilder()
                    .setTag(numbered(tag + "/audio", i, most))
                    .setAudio(Summary.Audio.newBuilder()
                            .setSampleRate(rate)
                            .setNumChannels(channels)
                            .setLengthFrames(frames)
                            .setEncodedAudioString(
                                    ByteString.copyFrom(Wav.encode(own, (int) Math.floor(rate + 0.5), channels)))
                            .setContentType("audio/wav"));
        }
        return all.build();
    }
}
