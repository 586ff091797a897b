package dev.oxbow.kernels.expr.interpret;

/** Primitives on registers of f32. */
final class FloatLoops {
    private FloatLoops() {}

    static void run(Program.Instruction in, Tile t, int n) {
        float[] a = t.floats[in.op() == Primitive.SELECT ? in.b() : in.a()];
        float[] b = in.b() < 0 ? a : t.floats[in.op() == Primitive.SELECT ? in.c() : in.b()];
        switch (in.op()) {
            case LT -> less(t.ints[in.target()], a, b, n);
            case LE -> lessEqual(t.ints[in.target()], a, b, n);
            case EQ -> equal(t.ints[in.target()], a, b, n);
            default -> value(in, t, a, b, n);
        }
    }

    private static void value(Program.Instruction in, Tile t, float[] a, float[] b, int n) {
        float[] r = t.floats[in.target()];
        switch (in.op()) {
            case SELECT -> select(r, t.ints[in.a()], a, b, n);
            case FMA -> fma(r, a, b, t.floats[in.c()], n);
            case ADD -> add(r, a, b, n);
            case SUB -> subtract(r, a, b, n);
            case MUL -> multiply(r, a, b, n);
            case DIV -> divide(r, a, b, n);
            case REM -> remainder(r, a, b, n);
            case MIN -> min(r, a, b, n);
            case MAX -> max(r, a, b, n);
            case NEG -> negate(r, a, n);
            case ABS -> abs(r, a, n);
            case SQRT -> sqrt(r, a, n);
            case ROUND_F16 -> Narrow.roundToF16(a, r, n);
            case ROUND_BF16 -> Narrow.roundToBf16(a, r, n);
            default -> throw new AssertionError(in);
        }
    }

    /** By masks: a branch on random conditions costs more than both sides. */
    private static void select(float[] r, int[] c, float[] a, float[] b, int n) {
        for (int i = 0; i < n; i++) {
            int x = Float.floatToRawIntBits(a[i]), y = Float.floatToRawIntBits(b[i]);
            r[i] = Float.intBitsToFloat(x & -c[i] | y & c[i] - 1);
        }
    }

    private static void less(int[] r, float[] a, float[] b, int n) {
        for (int i = 0; i < n; i++) r[i] = a[i] < b[i] ? 1 : 0;
    }

    private static void lessEqual(int[] r, float[] a, float[] b, int n) {
        for (int i = 0; i < n; i++) r[i] = a[i] <= b[i] ? 1 : 0;
    }

    private static void equal(int[] r, float[] a, float[] b, int n) {
        for (int i = 0; i < n; i++) r[i] = a[i] == b[i] ? 1 : 0;
    }

    private static void fma(float[] r, float[] a, float[] b, float[] c, int n) {
        for (int i = 0; i < n; i++) r[i] = Math.fma(a[i], b[i], c[i]);
    }

    private static void add(float[] r, float[] a, float[] b, int n) {
        for (int i = 0; i < n; i++) r[i] = a[i] + b[i];
    }

    private static void subtract(float[] r, float[] a, float[] b, int n) {
        for (int i = 0; i < n; i++) r[i] = a[i] - b[i];
    }

    private static void multiply(float[] r, float[] a, float[] b, int n) {
        for (int i = 0; i < n; i++) r[i] = a[i] * b[i];
    }

    private static void divide(float[] r, float[] a, float[] b, int n) {
        for (int i = 0; i < n; i++) r[i] = a[i] / b[i];
    }

    private static void remainder(float[] r, float[] a, float[] b, int n) {
        for (int i = 0; i < n; i++) r[i] = a[i] % b[i];
    }

    private static void min(float[] r, float[] a, float[] b, int n) {
        for (int i = 0; i < n; i++) r[i] = Math.min(a[i], b[i]);
    }

    private static void max(float[] r, float[] a, float[] b, int n) {
        for (int i = 0; i < n; i++) r[i] = Math.max(a[i], b[i]);
    }

    private static void negate(float[] r, float[] a, int n) {
        for (int i = 0; i < n; i++) r[i] = -a[i];
    }

    private static void abs(float[] r, float[] a, int n) {
        for (int i = 0; i < n; i++) r[i] = Math.abs(a[i]);
    }

    private static void sqrt(float[] r, float[] a, int n) {
        for (int i = 0; i < n; i++) r[i] = (float) Math.sqrt(a[i]);
    }
}
