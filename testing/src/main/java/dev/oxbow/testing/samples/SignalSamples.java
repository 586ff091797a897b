package dev.oxbow.testing.samples;

import static dev.oxbow.tensor.DType.C128;
import static dev.oxbow.tensor.DType.C64;
import static dev.oxbow.tensor.DType.F32;
import static dev.oxbow.tensor.DType.F64;

import dev.oxbow.graph.Op;
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
import java.util.List;

/** Samples of Fourier transforms. */
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
    }
}
