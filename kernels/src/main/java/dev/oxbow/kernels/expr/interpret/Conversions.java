package dev.oxbow.kernels.expr.interpret;

/** Changes of kind: numeric conversions with Java's meaning, and the same bits as another kind. */
final class Conversions {
    private Conversions() {}

    static void convert(Program.Instruction in, Tile t, int n) {
        int a = in.a(), r = in.target();
        switch (in.kind()) {
            case I32 -> {
                switch (in.to()) {
                    case I64 -> convert(t.longs[r], t.ints[a], n);
                    case F32 -> convert(t.floats[r], t.ints[a], n);
                    case F64 -> convert(t.doubles[r], t.ints[a], n);
                    default -> throw new AssertionError(in);
                }
            }
            case I64 -> {
                switch (in.to()) {
                    case I32 -> convert(t.ints[r], t.longs[a], n);
                    case F32 -> convert(t.floats[r], t.longs[a], n);
                    case F64 -> convert(t.doubles[r], t.longs[a], n);
                    default -> throw new AssertionError(in);
                }
            }
            case F32 -> {
                switch (in.to()) {
                    case I32 -> convert(t.ints[r], t.floats[a], n);
                    case I64 -> convert(t.longs[r], t.floats[a], n);
                    case F64 -> convert(t.doubles[r], t.floats[a], n);
                    default -> throw new AssertionError(in);
                }
            }
            case F64 -> {
                switch (in.to()) {
                    case I32 -> convert(t.ints[r], t.doubles[a], n);
                    case I64 -> convert(t.longs[r], t.doubles[a], n);
                    case F32 -> convert(t.floats[r], t.doubles[a], n);
                    default -> throw new AssertionError(in);
                }
            }
            case BOOL -> throw new AssertionError(in);
        }
    }

    static void bitcast(Program.Instruction in, Tile t, int n) {
        int a = in.a(), r = in.target();
        switch (in.kind()) {
            case I32 -> bits(t.floats[r], t.ints[a], n);
            case I64 -> bits(t.doubles[r], t.longs[a], n);
            case F32 -> bits(t.ints[r], t.floats[a], n);
            case F64 -> bits(t.longs[r], t.doubles[a], n);
            case BOOL -> throw new AssertionError(in);
        }
    }

    private static void convert(long[] r, int[] a, int n) {
        for (int i = 0; i < n; i++) r[i] = a[i];
    }

    private static void convert(float[] r, int[] a, int n) {
        for (int i = 0; i < n; i++) r[i] = (float) a[i];
    }

    private static void convert(double[] r, int[] a, int n) {
        for (int i = 0; i < n; i++) r[i] = a[i];
    }

    private static void convert(int[] r, long[] a, int n) {
        for (int i = 0; i < n; i++) r[i] = (int) a[i];
    }

    private static void convert(float[] r, long[] a, int n) {
        for (int i = 0; i < n; i++) r[i] = (float) a[i];
    }

    private static void convert(double[] r, long[] a, int n) {
        for (int i = 0; i < n; i++) r[i] = (double) a[i];
    }

    private static void convert(int[] r, float[] a, int n) {
        for (int i = 0; i < n; i++) r[i] = (int) a[i];
    }

    private static void convert(long[] r, float[] a, int n) {
        for (int i = 0; i < n; i++) r[i] = (long) a[i];
    }

    private static void convert(double[] r, float[] a, int n) {
        for (int i = 0; i < n; i++) r[i] = a[i];
    }

    private static void convert(int[] r, double[] a, int n) {
        for (int i = 0; i < n; i++) r[i] = (int) a[i];
    }

    private static void convert(long[] r, double[] a, int n) {
        for (int i = 0; i < n; i++) r[i] = (long) a[i];
    }

    private static void convert(float[] r, double[] a, int n) {
        for (int i = 0; i < n; i++) r[i] = (float) a[i];
    }

    private static void bits(float[] r, int[] a, int n) {
        for (int i = 0; i < n; i++) r[i] = Float.intBitsToFloat(a[i]);
    }

    private static void bits(double[] r, long[] a, int n) {
        for (int i = 0; i < n; i++) r[i] = Double.longBitsToDouble(a[i]);
    }

    private static void bits(int[] r, float[] a, int n) {
        for (int i = 0; i < n; i++) r[i] = Float.floatToRawIntBits(a[i]);
    }

    private static void bits(long[] r, double[] a, int n) {
        for (int i = 0; i < n; i++) r[i] = Double.doubleToRawLongBits(a[i]);
    }
}
