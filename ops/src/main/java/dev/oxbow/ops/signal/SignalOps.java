package dev.oxbow.ops.signal;

import dev.oxbow.graph.OpProvider;
import java.util.List;

/** Fourier transforms and sound: the list of this package's ops. */
public final class SignalOps implements OpProvider {
    @Override
    public List<String> ops() {
        return List.of(
                "AudioSpectrogram",
                "BatchFFT",
                "BatchFFT2D",
                "BatchFFT3D",
                "BatchIFFT",
                "BatchIFFT2D",
                "BatchIFFT3D",
                "DecodeWav",
                "EncodeWav",
                "FFT",
                "FFT2D",
                "FFT3D",
                "IFFT",
                "IFFT2D",
                "IFFT3D",
                "IRFFT",
                "IRFFT2D",
                "IRFFT3D",
                "Mfcc",
                "RFFT",
                "RFFT2D",
                "RFFT3D");
    }
}
