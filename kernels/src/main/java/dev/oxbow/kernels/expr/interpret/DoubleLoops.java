package dev.oxbow.kernels.expr.interpret;

/** Primitives on registers of f64. */
final class DoubleLoops {
    private DoubleLoops() {}

    static void run(Program.Instruction in, Tile t, int n) {
        double[] a = t.doubles[in.op() == Primitive.SELECT ? in.b() : in.a()];
        double[] b = in.b() < 0 ? a : t.doubles[in.op() == Primitive.SELECT ? in.c() : in.b()];
        switch (in.op()) {
            case LT -> less(t.ints[in.target()], a, b, n);
            case LE -> lessEqual(t.ints[in.target()], a, b, n);
            case EQ -> equal(t.ints[in.target()], a, b, n);
            default -> value(in, t, a, b, n);
        }
    }

    private static void value(Program.Instruction in, Tile t, double[] a, double[] b, int n) {
        double[] r = t.doubles[in.target()];
        switch (in.op()) {
            case SELECT -> select(r, t.ints[in.a()], a, b, n);
            case FMA -> fma(r, a, b, t.doubles[in.c()], n);
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
            default -> throw new AssertionError(in);
        }
    }

    /** By masks: a branch on random conditions costs more than both sides. */
    private static void select(double[] r, int[] c, double[] a, double[] b, int n) {
        for (int i = 0; i < n; i++) {
            long m = -(long) c[i], x = Double.doubleToRawLongBits(a[i]), y = Double.doubleToRawLongBits(b[i]);
            r[i] = Double.longBitsToDouble(x & m | y & ~m);
        }
    }

    private static void less(int[] r, double[] a, double[] b, int n) {
        for (int i = 0; i < n; i++) r[i] = a[i] < b[i] ? 1 : 0;
    }

    private static void lessEqual(int[] r, double[] a, double[] b, int n) {
        for (int i = 0; i < n; i++) r[i] = a[i] <= b[i] ? 1 : 0;
    }

    private static void equal(int[] r, double[] a, double[] b, int n) {
        for (int i = 0; i < n; i++) r[i] = a[i] == b[i] ? 1 : 0;
    }

    private static void fma(double[] r, double[] a, double[] b, double[] c, int n) {
        for (int i = 0; i < n; i++) r[i] = Math.fma(a[i], b[i], c[i]);
    }

    private static void add(double[] r, double[] a, double[] b, int n) {
        for (int i = 0; i < n; i++) r[i] = a[i] + b[i];
    }

    private static void subtract(double[] r, double[] a, double[] b, int n) {
        for (int i = 0; i < n; i++) r[i] = a[i] - b[i];
    }

    private static void multiply(double[] r, double[] a, double[] b, int n) {
        for (int i = 0; i < n; i++) r[i] = a[i] * b[i];
    }

    private static void divide(double[] r, double[] a, double[] b, int n) {
        for (int i = 0; i < n; i++) r[i] = a[i] / b[i];
    }

    private static void remainder(double[] r, double[] a, double[] b, int n) {
        for (int i = 0; i < n; i++) r[i] = a[i] % b[i];
    }

    private static void min(double[] r, double[] a, double[] b, int n) {
        for (int i = 0; i < n; i++) r[i] = Math.min(a[i], b[i]);
    }

    private static void max(double[] r, double[] a, double[] b, int n) {
        for (int i = 0; i < n; i++) r[i] = Math.max(a[i], b[i]);
    }

    private static void negate(double[] r, double[] a, int n) {
        for (int i = 0; i < n; i++) r[i] = -a[i];
    }

    private static void abs(double[] r, double[] a, int n) {
        for (int i = 0; i < n; i++) r[i] = Math.abs(a[i]);
    }

    private static void sqrt(double[] r, double[] a, int n) {
        for (int i = 0; i < n; i++) r[i] = Math.sqrt(a[i]);
    }
}
