package dev.oxbow.testing.cuda;

import dev.oxbow.kernels.expr.cuda.CudaText;
import dev.oxbow.kernels.expr.interpret.Interpreter;
import dev.oxbow.kernels.expr.interpret.Kind;
import dev.oxbow.kernels.expr.interpret.Primitive;
import dev.oxbow.kernels.expr.interpret.Program;
import dev.oxbow.kernels.expr.interpret.Tile;
import java.util.EnumSet;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.Stream;

/** Compares the CUDA C of programs with what the interpreter does, bit for bit, NaN payloads aside. */
public final class CudaMeaning {
    private static final int CASES = 256;
    private static final Set<Primitive> DIVISIONS =
            EnumSet.of(Primitive.DIV, Primitive.REM, Primitive.UDIV, Primitive.UREM);

    private CudaMeaning() {}

    /** Fails where a program's text means something else for one of many values, special ones and random ones. */
    public static void check(Program p, long seed) {
        CudaLines lines = new CudaLines(CudaText.prelude(), CudaText.function("value", p));
        if (lines.size() != p.code.length + p.stores.length)
            throw new AssertionError("%d lines for %d instructions and %d stores"
                    .formatted(lines.size(), p.code.length, p.stores.length));
        long[][] inputs = inputs(p, new Random(seed));
        Tile t = Tile.of(p, CASES);
        for (int k = 0; k < inputs.length; k++)
            for (int i = 0; i < CASES; i++) t.fill(p.loads[k].kind(), p.loads[k].register(), i, i + 1, inputs[k][i]);
        Interpreter.run(p, t, CASES);
        for (int i = 0; i < CASES; i++) {
            CudaLines.Value[] arguments = new CudaLines.Value[inputs.length];
            for (int k = 0; k < inputs.length; k++) arguments[k] = CudaValues.value(p.loads[k].kind(), inputs[k][i]);
            Map<String, CudaLines.Value> got = lines.run(arguments);
            for (int s = 0; s < p.stores.length; s++) {
                Kind kind = p.stores[s].kind();
                long wanted = t.bits(kind, p.stores[s].register(), i);
                long have = got.get("s" + s).bits();
                if (wanted == have || CudaValues.areBothNan(kind, wanted, have)) continue;
                StringBuilder given = new StringBuilder();
                for (CudaLines.Value v : arguments) given.append(' ').append(v);
                throw new AssertionError("store %d of%s is %x, wanted %x, seed %d%n%s"
                        .formatted(s, given, have, wanted, seed, CudaText.function("value", p)));
            }
        }
    }

    private static long[][] inputs(Program p, Random random) {
        long[][] inputs = new long[p.loads.length][CASES];
        boolean divides = Stream.of(p.code).anyMatch(c -> c.kind().isInteger() && DIVISIONS.contains(c.op()));
        for (int k = 0; k < inputs.length; k++)
            for (int i = 0; i < CASES; i++) {
                inputs[k][i] = CudaValues.of(p.loads[k], random, k, i);
                if (divides && k == 1 && inputs[k][i] == 0) inputs[k][i] = 3;
            }
        return inputs;
    }
}
