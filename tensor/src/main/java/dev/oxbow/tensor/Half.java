package dev.oxbow.tensor;

/** Conversions between f32 and the two 16-bit floating formats, rounding to nearest even. */
public final class Half {
    private Half() {}

    /** The f32 value of bf16 bits: the upper half of an f32. */
    public static float fromBf16(short bits) {
        return Float.intBitsToFloat(bits << 16);
    }

    /** The bf16 bits nearest to {@code x}; NaN stays NaN. */
    public static short toBf16(float x) {
        int bits = Float.floatToRawIntBits(x);
        int isNan = 0x7f800000 - (bits & 0x7fffffff) >> 31; // all ones or zeros: without a branch, loops become vectors
        int nearest = bits + 0x7fff + (bits >>> 16 & 1);
        return (short) ((nearest & ~isNan | (bits | 0x400000) & isNan) >>> 16);
    }

    public static float fromF16(short bits) {
        return Float.float16ToFloat(bits);
    }

    public static short toF16(float x) {
        return Float.floatToFloat16(x);
    }
}
