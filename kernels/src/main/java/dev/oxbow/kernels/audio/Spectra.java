package dev.oxbow.kernels.audio;

import dev.oxbow.kernels.Parallel;
import dev.oxbow.kernels.numeric.Fourier;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.MemoryPool;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;

/** The spectra of windows of a sound, one after the other; windows are rounded up to a power of two by silence. */
public final class Spectra {
    /** Samples that are transformed at once. */
    private static final long AT_ONCE = 1 << 20;

    private Spectra() {}

    private static long length(long window) {
        long n = 1;
        while (n < window) n *= 2;
        return n;
    }

    /** How many frequencies a spectrum has. */
    public static long frequencies(long window) {
        return 1 + length(window) / 2;
    }

    /** How many windows fit into so many samples. */
    public static long windows(long samples, long window, long stride) {
        return samples < window ? 0 : 1 + (samples - window) / stride;
    }

    /**
     * {@code y[channel, window, frequency]} = the magnitudes of samples {@code x[moment, channel]}, which fade in and out in
     * each window as half a cosine does.
     */
    public static void run(
            Tensor x, int window, long stride, boolean squared, Tensor y, MemoryPool memory, Parallel parallel) {
        long channels = x.shape().dim(1), windows = y.shape().dim(1), frequencies = frequencies(window);
        double[] fade = new double[window];
        for (int i = 0; i < window; i++) fade[i] = 0.5 - 0.5 * Math.cos(2 * Math.PI * i / window);
        long step = Math.max(1, AT_ONCE / length(window));
        for (long c = 0; c < channels; c++)
            for (long w = 0; w < windows; w += step) {
                long n = Math.min(step, windows - w);
                Tensor in = memory.tensor(DType.F64, Shape.of(n, window), "spectra");
                Tensor out = memory.tensor(DType.C128, Shape.of(n, frequencies), "spectra");
                for (long k = 0; k < n; k++)
                    for (int i = 0; i < window; i++)
                        in.set(k * window + i, fade[i] * x.getDouble(((w + k) * stride + i) * channels + c));
                Fourier.fromReal(in, new long[] {length(window)}, out, parallel);
                long to = (c * windows + w) * frequencies;
                for (long k = 0; k < out.size(); k++) {
                    double re = Memory.getDouble(out.address() + 16 * k),
                            im = Memory.getDouble(out.address() + 16 * k + 8);
                    double v = re * re + im * im;
                    y.set(to + k, squared ? v : Math.sqrt(v));
                }
                in.release();
                out.release();
            }
    }
}
