package dev.oxbow.kernels.expr.interpret;

import dev.oxbow.kernels.expr.special.Special;

/** Runs a program instruction by instruction over a tile, in plain loops that the JIT compiler vectorises. */
public final class Interpreter {
    private Interpreter() {}

    /** Runs the instructions on the first {@code n} values of the registers. */
    public static void run(Program program, Tile t, int n) {
        for (Program.Instruction in : program.code) step(in, t, n);
    }

    private static void step(Program.Instruction in, Tile t, int n) {
        switch (in.op()) {
            case CONVERT -> Conversions.convert(in, t, n);
            case BITCAST -> Conversions.bitcast(in, t, n);
            case CALL -> call(in, t, n);
            default -> {
                switch (in.kind()) {
                    case I32, BOOL -> IntLoops.run(in, t, n);
                    case I64 -> LongLoops.run(in, t, n);
                    case F32 -> FloatLoops.run(in, t, n);
                    case F64 -> DoubleLoops.run(in, t, n);
                }
            }
        }
    }

    private static void call(Program.Instruction in, Tile t, int n) {
        double[] none = t.doubles[in.a()], a = none, b = in.b() < 0 ? none : t.doubles[in.b()];
        double[] c = in.c() < 0 ? none : t.doubles[in.c()], r = t.doubles[in.target()];
        Special.Scalar f = in.function().scalar();
        for (int i = 0; i < n; i++) r[i] = f.apply(a[i], b[i], c[i]);
    }

    /** The bits that a program without inputs stores. */
    public static long evaluate(Program p) {
        Tile t = Tile.of(p, 1);
        run(p, t, 1);
        return t.bits(p.stores[0].kind(), p.stores[0].register(), 0);
    }
}
