package dev.oxbow.kernels.expr.interpret;

/** Primitives on registers of i32 and bool. */
final class IntLoops {
    private IntLoops() {}

    static void run(Program.Instruction in, Tile t, int n) {
        int[] a = t.ints[in.op() == Primitive.SELECT ? in.b() : in.a()];
        int[] b = in.b() < 0 ? a : t.ints[in.op() == Primitive.SELECT ? in.c() : in.b()];
        switch (in.op()) {
            case LT -> less(t.ints[in.target()], a, b, n);
            case LE -> lessEqual(t.ints[in.target()], a, b, n);
            case EQ -> equal(t.ints[in.target()], a, b, n);
            default -> value(in, t, a, b, n);
        }
    }

    private static void value(Program.Instruction in, Tile t, int[] a, int[] b, int n) {
        int[] r = t.ints[in.target()];
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
    private static void select(int[] r, int[] c, int[] a, int[] b, int n) {
        for (int i = 0; i < n; i++) r[i] = a[i] & -c[i] | b[i] & c[i] - 1;
    }

    private static void less(int[] r, int[] a, int[] b, int n) {
        for (int i = 0; i < n; i++) r[i] = a[i] < b[i] ? 1 : 0;
    }

    private static void lessEqual(int[] r, int[] a, int[] b, int n) {
        for (int i = 0; i < n; i++) r[i] = a[i] <= b[i] ? 1 : 0;
    }

    private static void equal(int[] r, int[] a, int[] b, int n) {
        for (int i = 0; i < n; i++) r[i] = a[i] == b[i] ? 1 : 0;
    }

    private static void add(int[] r, int[] a, int[] b, int n) {
        for (int i = 0; i < n; i++) r[i] = a[i] + b[i];
    }

    private static void subtract(int[] r, int[] a, int[] b, int n) {
        for (int i = 0; i < n; i++) r[i] = a[i] - b[i];
    }

    private static void multiply(int[] r, int[] a, int[] b, int n) {
        for (int i = 0; i < n; i++) r[i] = a[i] * b[i];
    }

    private static void divide(int[] r, int[] a, int[] b, int n) {
        for (int i = 0; i < n; i++) r[i] = a[i] / IntegerDivision.divisor(b[i]);
    }

    private static void remainder(int[] r, int[] a, int[] b, int n) {
        for (int i = 0; i < n; i++) r[i] = a[i] % IntegerDivision.divisor(b[i]);
    }

    private static void divideUnsigned(int[] r, int[] a, int[] b, int n) {
        for (int i = 0; i < n; i++) r[i] = Integer.divideUnsigned(a[i], IntegerDivision.divisor(b[i]));
    }

    private static void remainderUnsigned(int[] r, int[] a, int[] b, int n) {
        for (int i = 0; i < n; i++) r[i] = Integer.remainderUnsigned(a[i], IntegerDivision.divisor(b[i]));
    }

    private static void min(int[] r, int[] a, int[] b, int n) {
        for (int i = 0; i < n; i++) r[i] = Math.min(a[i], b[i]);
    }

    private static void max(int[] r, int[] a, int[] b, int n) {
        for (int i = 0; i < n; i++) r[i] = Math.max(a[i], b[i]);
    }

    private static void and(int[] r, int[] a, int[] b, int n) {
        for (int i = 0; i < n; i++) r[i] = a[i] & b[i];
    }

    private static void or(int[] r, int[] a, int[] b, int n) {
        for (int i = 0; i < n; i++) r[i] = a[i] | b[i];
    }

    private static void xor(int[] r, int[] a, int[] b, int n) {
        for (int i = 0; i < n; i++) r[i] = a[i] ^ b[i];
    }

    private static void shiftLeft(int[] r, int[] a, int[] b, int n) {
        for (int i = 0; i < n; i++) r[i] = a[i] << b[i];
    }

    private static void shiftRight(int[] r, int[] a, int[] b, int n) {
        for (int i = 0; i < n; i++) r[i] = a[i] >> b[i];
    }

    private static void shiftRightUnsigned(int[] r, int[] a, int[] b, int n) {
        for (int i = 0; i < n; i++) r[i] = a[i] >>> b[i];
    }

    private static void power(int[] r, int[] a, int[] b, int n) {
        for (int i = 0; i < n; i++) r[i] = (int) IntegerDivision.power(a[i], b[i]);
    }

    private static void negate(int[] r, int[] a, int n) {
        for (int i = 0; i < n; i++) r[i] = -a[i];
    }

    private static void abs(int[] r, int[] a, int n) {
        for (int i = 0; i < n; i++) r[i] = Math.abs(a[i]);
    }

    private static void populationCount(int[] r, int[] a, int n) {
        for (int i = 0; i < n; i++) r[i] = Integer.bitCount(a[i]);
    }
}
