package dev.oxbow.kernels.expr.interpret;

/** Primitives on registers of i64. */
final class LongLoops {
    private LongLoops() {}

    static void run(Program.Instruction in, Tile t, int n) {
        long[] a = t.longs[in.op() == Primitive.SELECT ? in.b() : in.a()];
        long[] b = in.b() < 0 ? a : t.longs[in.op() == Primitive.SELECT ? in.c() : in.b()];
        switch (in.op()) {
            case LT -> less(t.ints[in.target()], a, b, n);
            case LE -> lessEqual(t.ints[in.target()], a, b, n);
            case EQ -> equal(t.ints[in.target()], a, b, n);
            default -> value(in, t, a, b, n);
        }
    }

    private static void value(Program.Instruction in, Tile t, long[] a, long[] b, int n) {
        long[] r = t.longs[in.target()];
        switch (in.op()) {
            case SELECT -> select(r, t.ints[in.a()], a, b, n);
            case ADD -> add(r, a, b, n);
            case SUB -> subtract(r, a, b, n);
            case MUL -> multiply(r, a, b, n);
            case DIV -> divide(r, a, b, n);
            case REM -> remainder(r, a, b, n);
            case UDIV -> divideUnsigned(r, a, b, n);
            case UREM -> remainderUnsigned(r, a, b, n);
            case MIN -> min(r, a, b, n);
            case MAX -> max(r, a, b, n);
            case AND -> and(r, a, b, n);
            case OR -> or(r, a, b, n);
            case XOR -> xor(r, a, b, n);
            case SHL -> shiftLeft(r, a, b, n);
            case SHR -> shiftRight(r, a, b, n);
            case USHR -> shiftRightUnsigned(r, a, b, n);
            case IPOW -> power(r, a, b, n);
            case NEG -> negate(r, a, n);
            case ABS -> abs(r, a, n);
            case POPCOUNT -> populationCount(r, a, n);
            default -> throw new AssertionError(in);
        }
    }

    /** By masks: a branch on random conditions costs more than both sides. */
    private static void select(long[] r, int[] c, long[] a, long[] b, int n) {
        for (int i = 0; i < n; i++) r[i] = a[i] & -(long) c[i] | b[i] & (long) c[i] - 1;
    }

    private static void less(int[] r, long[] a, long[] b, int n) {
        for (int i = 0; i < n; i++) r[i] = a[i] < b[i] ? 1 : 0;
    }

    private static void lessEqual(int[] r, long[] a, long[] b, int n) {
        for (int i = 0; i < n; i++) r[i] = a[i] <= b[i] ? 1 : 0;
    }

    private static void equal(int[] r, long[] a, long[] b, int n) {
        for (int i = 0; i < n; i++) r[i] = a[i] == b[i] ? 1 : 0;
    }

    private static void add(long[] r, long[] a, long[] b, int n) {
        for (int i = 0; i < n; i++) r[i] = a[i] + b[i];
    }

    private static void subtract(long[] r, long[] a, long[] b, int n) {
        for (int i = 0; i < n; i++) r[i] = a[i] - b[i];
    }

    private static void multiply(long[] r, long[] a, long[] b, int n) {
        for (int i = 0; i < n; i++) r[i] = a[i] * b[i];
    }

    private static void divide(long[] r, long[] a, long[] b, int n) {
        for (int i = 0; i < n; i++) r[i] = a[i] / IntegerDivision.divisor(b[i]);
    }

    private static void remainder(long[] r, long[] a, long[] b, int n) {
        for (int i = 0; i < n; i++) r[i] = a[i] % IntegerDivision.divisor(b[i]);
    }

    private static void divideUnsigned(long[] r, long[] a, long[] b, int n) {
        for (int i = 0; i < n; i++) r[i] = Long.divideUnsigned(a[i], IntegerDivision.divisor(b[i]));
    }

    private static void remainderUnsigned(long[] r, long[] a, long[] b, int n) {
        for (int i = 0; i < n; i++) r[i] = Long.remainderUnsigned(a[i], IntegerDivision.divisor(b[i]));
    }

    private static void min(long[] r, long[] a, long[] b, int n) {
        for (int i = 0; i < n; i++) r[i] = Math.min(a[i], b[i]);
    }

    private static void max(long[] r, long[] a, long[] b, int n) {
        for (int i = 0; i < n; i++) r[i] = Math.max(a[i], b[i]);
    }

    private static void and(long[] r, long[] a, long[] b, int n) {
        for (int i = 0; i < n; i++) r[i] = a[i] & b[i];
    }

    private static void or(long[] r, long[] a, long[] b, int n) {
        for (int i = 0; i < n; i++) r[i] = a[i] | b[i];
    }

    private static void xor(long[] r, long[] a, long[] b, int n) {
        for (int i = 0; i < n; i++) r[i] = a[i] ^ b[i];
    }

    private static void shiftLeft(long[] r, long[] a, long[] b, int n) {
        for (int i = 0; i < n; i++) r[i] = a[i] << b[i];
    }

    private static void shiftRight(long[] r, long[] a, long[] b, int n) {
        for (int i = 0; i < n; i++) r[i] = a[i] >> b[i];
    }

    private static void shiftRightUnsigned(long[] r, long[] a, long[] b, int n) {
        for (int i = 0; i < n; i++) r[i] = a[i] >>> b[i];
    }

    private static void power(long[] r, long[] a, long[] b, int n) {
        for (int i = 0; i < n; i++) r[i] = IntegerDivision.power(a[i], b[i]);
    }

    private static void negate(long[] r, long[] a, int n) {
        for (int i = 0; i < n; i++) r[i] = -a[i];
    }

    private static void abs(long[] r, long[] a, int n) {
        for (int i = 0; i < n; i++) r[i] = Math.abs(a[i]);
    }

    private static void populationCount(long[] r, long[] a, int n) {
        for (int i = 0; i < n; i++) r[i] = Long.bitCount(a[i]);
    }
}
