package dev.oxbow.kernels.expr.compile;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.oxbow.kernels.expr.Expr;
import dev.oxbow.kernels.expr.compile.ElementwiseKernel.Mode;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Memory;
import java.lang.foreign.Arena;
import java.util.List;
import java.util.Random;
import java.util.function.BinaryOperator;
import org.junit.jupiter.api.Test;

final class PairLoopTest {
    private static final int BYTES = 1 << 14;
    private static final List<BinaryOperator<Expr>> NUMBERS = List.of(Expr::plus, Expr::times, Expr::min, Expr::max);

    private final Random random = new Random(5);

    @Test
    void generatedCodeGivesTheBitsOfTheInterpreterForAnyCountAndAlignment() {
        try (Arena arena = Arena.ofConfined()) {
            for (DType dtype : List.of(DType.F32, DType.F64, DType.I32, DType.I64)) {
                for (BinaryOperator<Expr> operator : NUMBERS) check(arena, dtype, operator);
            }
            for (BinaryOperator<Expr> operator : List.<BinaryOperator<Expr>>of(Expr::and, Expr::or, Expr::xor))
                check(arena, DType.I64, operator);
        }
    }

    private void check(Arena arena, DType dtype, BinaryOperator<Expr> operator) {
        PairLoop loop = new PairLoop(dtype, operator);
        long a = Memory.address(arena.allocate(BYTES, 64)),
                b = Memory.address(arena.allocate(BYTES, 64)),
                c = Memory.address(arena.allocate(BYTES, 64));
        for (int n : new int[] {0, 1, 7, 8, 16, 31, 32, 33, 64, 100, 1000, 1500}) {
            for (int i = 0; i < BYTES; i += 4)
                Memory.putFloat(a + i, i % 96 == 0 ? Float.NaN : i % 64 == 0 ? -0f : (float) random.nextGaussian());
            for (int i = 0; i < BYTES; i += 4)
                Memory.putFloat(b + i, i % 80 == 0 ? Float.NaN : i % 64 == 0 ? 0f : (float) random.nextGaussian());
            Memory.copy(a, c, BYTES);
            long shift = 4L * random.nextInt(20);
            loop.run(Mode.COMPILED, a + shift, b + 4, n);
            loop.run(Mode.INTERPRETED, c + shift, b + 4, n);
            for (int i = 0; i < BYTES; i += 8)
                assertEquals(Memory.getLong(c + i), Memory.getLong(a + i), dtype + " " + n + " at " + i);
        }
    }

    @Test
    void narrowIntegersWrapAround() {
        try (Arena arena = Arena.ofConfined()) {
            long a = Memory.address(arena.allocate(64, 64)), b = a + 32;
            Memory.putByte(a, (byte) 127);
            Memory.putByte(b, (byte) 1);
            new PairLoop(DType.I8, Expr::plus).run(a, b, 1);
            assertEquals(-128, Memory.getByte(a));
        }
    }
}
