package dev.oxbow.kernels.image;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;

import dev.oxbow.tensor.OxbowException;

/** Kernels that scaled and moved images are sampled with, along one axis at a time. */
public enum Sampling {
    LANCZOS1(1),
    LANCZOS3(3),
    LANCZOS5(5),
    GAUSSIAN(1.5f),
    BOX(1),
    TRIANGLE(1),
    KEYSCUBIC(2),
    MITCHELLCUBIC(2);

    private final float radius;

    Sampling(float radius) {
        this.radius = radius;
    }

    /** The kernel with TensorFlow's name, such as {@code lanczos3}. */
    public static Sampling of(String name) {
        for (Sampling s : values()) if (s.name().equalsIgnoreCase(name)) return s;
        throw new OxbowException(INVALID_ARGUMENT, "Unrecognized kernel type: " + name);
    }

    private float weight(float signed) {
        float x = Math.abs(signed);
        return switch (this) {
            case LANCZOS1, LANCZOS3, LANCZOS5 -> lanczos(x);
            case GAUSSIAN -> x >= radius ? 0 : (float) Math.exp(-x * x / (2 * (radius / 3) * (radius / 3)));
            case BOX -> x < 0.5f ? 1 : x == 0.5f ? 0.5f : 0;
            case TRIANGLE -> x < 1 ? 1 - x : 0;
            case KEYSCUBIC ->
                x >= 2 ? 0 : x >= 1 ? ((-0.5f * x + 2.5f) * x - 4) * x + 2 : (1.5f * x - 2.5f) * x * x + 1;
            case MITCHELLCUBIC ->
                x >= 2
                        ? 0
                        : x >= 1 ? ((-7f / 18 * x + 2) * x - 10f / 3) * x + 16f / 9 : (7f / 6 * x - 2) * x * x + 8f / 9;
        };
    }

    private float lanczos(float x) {
        if (x > radius) return 0;
        if (x <= 1e-3f) return 1;
        double pi = Math.PI;
        return (float) (radius * Math.sin(pi * x) * Math.sin(pi * x / radius) / (pi * pi * x * x));
    }

    /** Samples of an axis that is scaled, then moved; with {@code antialias} the kernel grows when the axis shrinks. */
    public Resize.Taps taps(long in, long out, float scale, float translate, boolean antialias) {
        if (!(scale > 0))
            throw new OxbowException(
                    INVALID_ARGUMENT, "ScaleAndTranslate: scale must be greater than zero, got " + scale);
        float inverse = 1 / scale, shift = -inverse * translate, grow = antialias ? Math.max(inverse, 1) : 1;
        Resize.Taps taps = Resize.Taps.of(out, o -> {
            float at = (o + 0.5f) * inverse + shift;
            return at < 0 || at > in ? 0 : end(at, grow, in) - start(at, grow, in);
        });
        for (int o = 0; o < out; o++) {
            int first = taps.start()[o], count = taps.start()[o + 1] - first;
            float at = (o + 0.5f) * inverse + shift;
            int start = start(at, grow, in);
            for (int i = 0; i < count; i++) taps.set(first + i, start + i, weight((start + i + 0.5f - at) / grow));
            taps.normalise(o);
        }
        return taps;
    }

    private int start(float at, float grow, long in) {
        return clamp(Math.ceil(at - radius * grow - 0.5f), in);
    }

    private int end(float at, float grow, long in) {
        return clamp(Math.floor(at + radius * grow - 0.5f), in) + 1;
    }

    private static int clamp(double i, long size) {
        return (int) Math.max(0, Math.min(size - 1, i));
    }
}
