package dev.oxbow.kernels.expr.interpret;

/** Narrow dtypes to and from their registers; without branches, so that the loops are vectorised. */
final class Narrow {
    private Narrow() {}

    static void fromF16(short[] x, float[] r, int at, int n) {
        for (int i = 0; i < n; i++) r[at + i] = Float.float16ToFloat(x[i]);
    }

    static void fromBf16(short[] x, float[] r, int at, int n) {
        for (int i = 0; i < n; i++) r[at + i] = Float.intBitsToFloat(x[i] << 16);
    }

    static void fromI16(short[] x, int[] r, int at, int n) {
        for (int i = 0; i < n; i++) r[at + i] = x[i];
    }

    static void fromU16(short[] x, int[] r, int at, int n) {
        for (int i = 0; i < n; i++) r[at + i] = x[i] & 0xffff;
    }

    static void fromI8(byte[] x, int[] r, int at, int n) {
        for (int i = 0; i < n; i++) r[at + i] = x[i];
    }

    static void fromU8(byte[] x, int[] r, int at, int n) {
        for (int i = 0; i < n; i++) r[at + i] = x[i] & 0xff;
    }

    /** Any byte but 0 is true. */
    static void fromBool(byte[] x, int[] r, int at, int n) {
        for (int i = 0; i < n; i++) r[at + i] = -(x[i] & 0xff) >>> 31;
    }

    static void toF16(float[] x, short[] r, int at, int n) {
        for (int i = 0; i < n; i++) r[i] = Float.floatToFloat16(x[at + i]);
    }

    static void toBf16(float[] x, short[] r, int at, int n) {
        for (int i = 0; i < n; i++) r[i] = (short) (nearestBf16(x[at + i]) >>> 16);
    }

    static void roundToF16(float[] x, float[] r, int n) {
        for (int i = 0; i < n; i++) r[i] = Float.float16ToFloat(Float.floatToFloat16(x[i]));
    }

    static void roundToBf16(float[] x, float[] r, int n) {
        for (int i = 0; i < n; i++) r[i] = Float.intBitsToFloat(nearestBf16(x[i]) & 0xffff0000);
    }

    /** The f32 whose upper half is the nearest bf16; of a NaN, one that stays a NaN. */
    private static int nearestBf16(float x) {
        int bits = Float.floatToRawIntBits(x);
        int isNan = 0x7f800000 - (bits & 0x7fffffff) >> 31;
        int nearest = bits + 0x7fff + (bits >>> 16 & 1);
        return nearest & ~isNan | (bits | 0x400000) & isNan;
    }

    static void toShorts(int[] x, short[] r, int at, int n) {
        for (int i = 0; i < n; i++) r[i] = (short) x[at + i];
    }

    static void toBytes(int[] x, byte[] r, int at, int n) {
        for (int i = 0; i < n; i++) r[i] = (byte) x[at + i];
    }
}
