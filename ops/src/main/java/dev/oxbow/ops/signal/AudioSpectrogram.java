package dev.oxbow.ops.signal;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.audio.Spectra;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.List;

/** The magnitudes of the frequencies in windows of a sound, for each channel. */
@Signature(
        "AudioSpectrogram(input: float) -> (spectrogram: float) {window_size: int; stride: int; magnitude_squared: bool = false}")
public record AudioSpectrogram(long windowSize, long stride, boolean magnitudeSquared) implements Op {
    private static final long MOST = 1 << 24;

    @Override
    public List<TensorType> infer(InferenceContext c) {
        c.rank(0, 2);
        require(
                windowSize >= 2 && windowSize <= MOST,
                INVALID_ARGUMENT,
                "window size must be at least 2, and at most %d, got %d",
                MOST,
                windowSize);
        require(stride >= 1, INVALID_ARGUMENT, "stride must be strictly positive, got %d", stride);
        long samples = c.shape(0).dim(0), channels = c.shape(0).dim(1);
        return List.of(new TensorType(
                DType.F32,
                Shape.of(
                        channels,
                        samples < 0 ? -1 : Spectra.windows(samples, windowSize, stride),
                        Spectra.frequencies(windowSize))));
    }

    @Override
    public Kernel cpu() {
        return c -> {
            Tensor x = c.input(0), y = c.output(0);
            if (y.size() > 0) Spectra.run(x, (int) windowSize, stride, magnitudeSquared, y, c.memory(), c.parallel());
        };
    }
}
