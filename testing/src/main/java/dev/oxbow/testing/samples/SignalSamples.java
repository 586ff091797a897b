package dev.oxbow.testing.samples;

import static dev.oxbow.tensor.DType.C128;
import static dev.oxbow.tensor.DType.C64;
import static dev.oxbow.tensor.DType.F32;
import static dev.oxbow.tensor.DType.F64;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.Op;
import dev.oxbow.kernels.audio.Wav;
import dev.oxbow.ops.signal.FFT;
import dev.oxbow.ops.signal.FFT2D;
import dev.oxbow.ops.signal.FFT3D;
import dev.oxbow.ops.signal.IFFT;
import dev.oxbow.ops.signal.IFFT2D;
import dev.oxbow.ops.signal.IFFT3D;
import dev.oxbow.ops.signal.IRFFT;
import dev.oxbow.ops.signal.IRFFT2D;
import dev.oxbow.ops.signal.IRFFT3D;
import dev.oxbow.ops.signal.RFFT;
import dev.oxbow.ops.signal.RFFT2D;
import dev.oxbow.ops.signal.RFFT3D;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.Arrays;
import java.util.List;

/** Samples of Fourier transforms and sound. */
public final class SignalSamples extends SampleFamily {

    @Override
    public String name() {
        return "signal";
    }

    @Override
    protected void define() {
        for (String op : List.of("BatchFFT", "BatchIFFT", "BatchFFT2D", "BatchIFFT2D", "BatchFFT3D", "BatchIFFT3D"))
            sampleUnanswered(named(op), random(DType.C64, -1, 1, 90, 2, 3, 4, 5));
        for (Op op : List.of(new FFT(), new IFFT(), new FFT2D(), new IFFT2D(), new FFT3D(), new IFFT3D())) {
            sample(op, random(C64, -2, 2, 1, 2, 2, 3, 4));
            sample(op, random(C128, -2, 2, 2, 3, 5, 2));
            sample(op, random(C64, -2, 2, 3, 1, 1, 1));
        }
        sample(new FFT(), random(C64, -2, 2, 4, 0));
        sample(new FFT(), random(C64, -2, 2, 5, 7));
        sample(new RFFT(C64), floats(6, 2, 8), ints(8));
        sample(new RFFT(C64), floats(7, 5), ints(5));
        sampleWithoutGradient(new RFFT(C64), floats(8, 7), ints(4));
        sampleWithoutGradient(new RFFT(C64), floats(9, 3), ints(4));
        sample(new RFFT(C128), doubles(10, 6), ints(6));
        sample(new RFFT2D(C64), floats(11, 3, 4), ints(3, 4));
        sample(new RFFT2D(C128), doubles(12, 2, 4, 3), ints(4, 3));
        sample(new RFFT3D(C64), floats(13, 2, 3, 4), ints(2, 3, 4));
        sample(new IRFFT(F32), random(C64, -2, 2, 14, 2, 4), ints(6));
        sample(new IRFFT(F32), random(C64, -2, 2, 15, 4), ints(7));
        sample(new IRFFT(F64), random(C128, -2, 2, 16, 5), ints(4));
        sample(new IRFFT2D(F32), random(C64, -2, 2, 17, 3, 3), ints(3, 4));
        sample(new IRFFT3D(F32), random(C64, -2, 2, 18, 2, 3, 3), ints(2, 3, 5));
        sound();
    }

    private void sound() {
        Tensor mono = random(F32, -1.1, 1.1, 20, 50, 1), stereo = random(F32, -1, 1, 21, 40, 2);
        for (Tensor x : List.of(mono, stereo, Tensor.of(Shape.of(3, 1), 0.5f / 32768, -0.5f / 32768, 1.5f / 32768)))
            sample(named("EncodeWav"), x, scalar(16_000));
        for (int rate : new int[] {0, -1}) sample(named("EncodeWav"), mono, scalar(rate));
        for (long channels : new long[] {-1, 1, 3})
            for (long samples : new long[] {-1, 10, 60})
                program("DecodeWav", p -> {
                    Edge file = p.add(named("EncodeWav"), p.constant(stereo), p.constant(scalar(8_000)))
                            .edge(0);
                    Node n = p.add(named("DecodeWav", "desired_channels", channels, "desired_samples", samples), file);
                    p.fetch(n.edge(0), n.edge(1));
                });
        byte[] file = Wav.write(3, 1, 8_000, (i, _) -> i / 4f);
        for (int cut : new int[] {3, 20, 40, 44, 47, 50}) sample(named("DecodeWav"), string(Arrays.copyOf(file, cut)));
        for (int at : new int[] {0, 8, 12, 16, 20, 22, 28, 32, 34, 36, 40}) {
            byte[] broken = file.clone();
            broken[at]++;
            sample(named("DecodeWav"), string(broken));
        }
        for (boolean squared : new boolean[] {false, true})
            for (long[] sizes : new long[][] {{16, 8}, {10, 3}, {50, 1}, {2, 7}, {64, 1}})
                sample(
                        named(
                                "AudioSpectrogram",
                                "window_size",
                                sizes[0],
                                "stride",
                                sizes[1],
                                "magnitude_squared",
                                squared),
                        squared ? mono : stereo);
        Tensor spectra = random(F32, 0, 10, 22, 2, 3, 129);
        sample(named("Mfcc"), spectra, scalar(16_000));
        sample(
                named(
                        "Mfcc",
                        "upper_frequency_limit",
                        3000f,
                        "lower_frequency_limit",
                        100f,
                        "filterbank_channel_count",
                        10L,
                        "dct_coefficient_count",
                        5L),
                spectra,
                scalar(8_000));
        sample(named("Mfcc"), random(F32, 0, 1, 23, 1, 0, 65), scalar(22_050));
        sample(named("Mfcc"), spectra, scalar(0));
    }

    private static Tensor string(byte[] bytes) {
        return Tensor.ofObjects(DType.STRING, Shape.SCALAR, bytes);
    }
}
