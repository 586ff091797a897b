package dev.oxbow.ops.signal;

import dev.oxbow.graph.OpProvider;
import java.util.List;

/** Fourier transforms: the list of this package's ops. */
public final class SignalOps implements OpProvider {
    @Override
    public List<String> ops() {
        return List.of(
                "BatchFFT",
                "BatchFFT2D",
                "BatchFFT3D",
                "BatchIFFT",
                "BatchIFFT2D",
                "BatchIFFT3D",
                "FFT",
                "FFT2D",
                "FFT3D",
                "IFFT",
                "IFFT2D",
                "IFFT3D",
                "IRFFT",
                "IRFFT2D",
                "IRFFT3D",
                "RFFT",
                "RFFT2D",
                "RFFT3D");
    }
}
