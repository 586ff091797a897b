package dev.oxbow.ops.signal;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.audio.Wav;
import dev.oxbow.tensor.Counts;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.List;

/** Samples, one row for each moment, as a WAV file of 16 bits each. */
@Signature("EncodeWav(audio: float, sample_rate: int32) -> (contents: string)")
public record EncodeWav() implements Op {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        c.rank(0, 2);
        c.scalar(1);
        return List.of(new TensorType(DType.STRING, Shape.SCALAR));
    }

    @Override
    public Kernel cpu() {
        return c -> {
            Tensor x = c.input(0);
            long rate = c.input(1).getLong(0);
            int samples = Counts.toInt(x.shape().dim(0)),
                    channels = Counts.toInt(x.shape().dim(1));
            require(rate > 0, INVALID_ARGUMENT, "sample_rate must be positive, got %d", rate);
            require(
                    channels > 0 && channels <= 0xffff,
                    INVALID_ARGUMENT,
                    "channels must be in (0, 65536), got %d",
                    channels);
            require(samples > 0, INVALID_ARGUMENT, "there must be samples, got %s", x.shape());
            c.output(0).objects()[0] =
                    Wav.write(samples, channels, (int) rate, (i, k) -> (float) x.getDouble((long) i * channels + k));
        };
    }
}
