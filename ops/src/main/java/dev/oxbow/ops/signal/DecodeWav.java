package dev.oxbow.ops.signal;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.audio.Wav;
import dev.oxbow.ops.Stateful.Supplying;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.List;

/** The samples of a WAV file between -1 and 1, one row for each moment, and how many there are in a second. */
@Signature(
        "DecodeWav(contents: string) -> (audio: float, sample_rate: int32) {desired_channels: int = -1; desired_samples: int = -1}")
public record DecodeWav(long desiredChannels, long desiredSamples) implements Supplying {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        c.scalar(0);
        return List.of(
                new TensorType(
                        DType.F32,
                        Shape.of(desiredSamples < 0 ? -1 : desiredSamples, desiredChannels < 0 ? -1 : desiredChannels)),
                new TensorType(DType.I32, Shape.SCALAR));
    }

    @Override
    public Kernel cpu() {
        return c -> {
            byte[] file = (byte[]) c.input(0).objects()[0];
            Wav wav = Wav.read(file);
            long samples = desiredSamples < 0 ? wav.samples() : desiredSamples;
            long channels = desiredChannels < 0 ? wav.channels() : desiredChannels;
            Tensor y = c.allocate(0, Shape.of(samples, channels));
            for (int i = 0; i < samples; i++)
                for (int k = 0; k < channels; k++)
                    y.set(i * channels + k, i < wav.samples() ? wav.sample(i, Math.min(k, wav.channels() - 1)) : 0);
            c.allocate(1, Shape.SCALAR).setLong(0, wav.rate());
        };
    }
}
