package dev.oxbow.kernels.expr;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.kernels.Parallel;
import dev.oxbow.kernels.expr.compile.ElementwiseKernel;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.ErrorCode;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.math.BigInteger;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.BinaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

final class ArithmeticTest {

    @ParameterizedTest
    @EnumSource(
            value = DType.class,
            names = {"I8", "U8", "I16", "U16", "I32", "U32", "I64", "U64"})
    void integersWrapAndDivideAsWholeNumbersDo(DType dtype) {
        Map<String, BinaryOperator<Expr>> expressions = Map.of(
                "+",
                Expr::plus,
                "-",
                Expr::minus,
                "*",
                Expr::times,
                "/",
                Expr::dividedBy,
                "%",
                Expr::truncateMod,
                "floor/",
                Expr::floorDiv,
                "floor%",
                Expr::floorMod,
                "max",
                Expr::max,
                "min",
                Expr::min,
                "&",
                Expr::and);
        Random random = new Random(1);
        int n = 400;
        Tensor a = Tensor.allocate(dtype, Shape.of(n)), b = Tensor.allocate(dtype, Shape.of(n));
        for (int i = 0; i < n; i++) {
            a.setLong(i, i % 3 == 0 ? random.nextInt(40) - 20 : random.nextLong());
            b.setLong(i, i % 2 == 0 ? random.nextInt(40) - 20 : random.nextLong());
            if (b.getLong(i) == 0) b.setLong(i, 7);
        }
        expressions.forEach((name, f) -> {
            Tensor y = Evaluation.run(f.apply(Expr.input(0, dtype), Expr.input(1, dtype)), a, b);
            for (int i = 0; i < n; i++) {
                BigInteger p = big(dtype, a.getLong(i)), q = big(dtype, b.getLong(i));
                Tensor wanted = Tensor.zeros(dtype, Shape.SCALAR);
                wanted.setLong(0, reference(name, p, q).longValue());
                assertEquals(wanted.getLong(0), y.getLong(i), p + " " + name + " " + q + " " + dtype);
            }
        });
        Tensor less = Evaluation.run(Expr.input(0, dtype).less(Expr.input(1, dtype)), a, b);
        Tensor asFloat = Evaluation.run(Expr.input(0, dtype).cast(DType.F32), a);
        for (int i = 0; i < n; i++) {
            BigInteger p = big(dtype, a.getLong(i));
            assertEquals(p.compareTo(big(dtype, b.getLong(i))) < 0, less.booleans()[i]);
            assertEquals(p.floatValue(), asFloat.floats()[i]);
        }
    }

    private static BigInteger big(DType dtype, long v) {
        BigInteger b = BigInteger.valueOf(v);
        return dtype == DType.U64 && v < 0 ? b.add(BigInteger.ONE.shiftLeft(64)) : b;
    }

    private static BigInteger reference(String name, BigInteger p, BigInteger q) {
        BigInteger[] d = p.divideAndRemainder(q);
        boolean down = d[1].signum() != 0 && d[1].signum() != q.signum();
        return switch (name) {
            case "+" -> p.add(q);
            case "-" -> p.subtract(q);
            case "*" -> p.multiply(q);
            case "/" -> d[0];
            case "%" -> d[1];
            case "floor/" -> down ? d[0].subtract(BigInteger.ONE) : d[0];
            case "floor%" -> down ? d[1].add(q) : d[1];
            case "max" -> p.max(q);
            case "min" -> p.min(q);
            default -> p.and(q);
        };
    }

    /** As TensorFlow 2.21 gave them on x86. */
    @ParameterizedTest
    @CsvSource({
        "F32, I8, 300.7, 44",
        "F32, I8, -129, 127",
        "F32, U8, -1.5, 255",
        "F64, I16, 70000.9, 4464",
        "F32, I32, NaN, -2147483648",
        "F32, I32, 3e9, -2147483648",
        "F64, I32, -3e9, -2147483648",
        "F32, U32, 3e9, 3000000000",
        "F32, U32, -1.5, 4294967295",
        "F32, I64, Infinity, -9223372036854775808",
        "F64, I64, -3e9, -3000000000",
        "F64, I8, 3e9, 0",
        "F32, BOOL, NaN, 1",
        "I32, I8, 300, 44",
        "I32, U16, -1, 65535",
        "I32, U64, -1, -1",
        "U8, I8, 200, -56",
        "BOOL, I64, 1, 1",
        "I64, BOOL, 4294967296, 1",
        "BF16, U8, 300, 44",
        "F64, U64, 1.2e19, -6446744073709551616"
    })
    void castsToIntegersAreTensorFlows(DType from, DType to, double value, long wanted) {
        Tensor x = Evaluation.tensor(from, value);
        assertEquals(wanted, Evaluation.run(Expr.input(0, from).cast(to), x).getLong(0));
    }

    @Test
    void everyDtypeCastsToEveryOther() {
        for (DType from : DType.values()) {
            for (DType to : DType.values()) {
                if (from.isObject() || to.isObject()) continue;
                Tensor x = Tensor.allocate(from, Shape.of(1));
                x.set(0, 1);
                Tensor back = Evaluation.run(Expr.input(0, from).cast(to).cast(DType.F64), x);
                assertEquals(1, back.getDouble(0), from + " to " + to);
            }
        }
    }

    @Test
    void divisionOfIntegersByZeroIsAnError() {
        Expr x = Expr.input(0, DType.I32), y = Expr.input(1, DType.I32);
        for (Expr e : List.of(x.dividedBy(y), x.floorDiv(y), x.floorMod(y), x.truncateMod(y))) {
            var error = assertThrows(OxbowException.class, () -> Evaluation.run(e, Tensor.scalar(1), Tensor.scalar(0)));
            assertEquals(ErrorCode.INVALID_ARGUMENT, error.code());
            assertEquals("Integer division by zero", error.getMessage());
        }
        var error =
                assertThrows(OxbowException.class, () -> Evaluation.run(x.pow(y), Tensor.scalar(2), Tensor.scalar(-1)));
        assertEquals("Integers to negative integer powers are not allowed", error.getMessage());
        assertEquals(
                -13,
                Evaluation.run(
                                Expr.input(0, DType.I8).pow(Expr.input(1, DType.I8)),
                                Evaluation.tensor(DType.I8, 3),
                                Evaluation.tensor(DType.I8, 5))
                        .getLong(0));
    }

    @Test
    void shiftsLimitTheirCounts() {
        Expr x = Expr.input(0, DType.I32), y = Expr.input(1, DType.I32);
        Tensor counts = Tensor.of(Shape.of(4), 31, 32, 40, -1);
        assertEquals(
                List.of(Integer.MIN_VALUE, Integer.MIN_VALUE, Integer.MIN_VALUE, 1),
                Arrays.stream(Evaluation.run(x.shiftLeft(y), Tensor.scalar(1), counts)
                                .ints())
                        .boxed()
                        .toList());
        assertEquals(
                -1,
                Evaluation.run(x.shiftRight(y), Tensor.scalar(-8), Tensor.scalar(32))
                        .ints()[0]);
        assertEquals(
                8,
                Evaluation.run(Expr.input(0, DType.I8).populationCount(), Evaluation.tensor(DType.I8, -1))
                        .getLong(0));
        assertEquals(
                254,
                Evaluation.run(Expr.input(0, DType.U8).not(), Evaluation.tensor(DType.U8, 1))
                        .getLong(0));
    }

    @Test
    void zerosWinOverNanWhereTheNameSaysSo() {
        Expr x = Expr.input(0, DType.F32), y = Expr.input(1, DType.F32);
        Tensor nan = Tensor.scalar(Float.NaN), zero = Tensor.scalar(0f), one = Tensor.scalar(1f);
        assertEquals(0, Evaluation.run(x.xlogy(y), zero, nan).getDouble(0));
        assertEquals(
                Double.NEGATIVE_INFINITY, Evaluation.run(x.xlogy(y), one, zero).getDouble(0));
        assertEquals(0, Evaluation.run(x.xdivy(y), zero, nan).getDouble(0));
        assertEquals(0, Evaluation.run(x.mulNoNan(y), nan, zero).getDouble(0));
        assertEquals(0, Evaluation.run(x.divNoNan(y), nan, zero).getDouble(0));
        assertEquals(Double.NaN, Evaluation.run(x.relu(), nan).getDouble(0));
        assertEquals(Double.NaN, Evaluation.run(x.sign(), nan).getDouble(0));
        assertEquals(Double.NaN, Evaluation.run(x.floorMod(y), one, zero).getDouble(0));
        assertEquals(
                3,
                Evaluation.run(x.floorMod(y), Tensor.scalar(-1e-20f), Tensor.scalar(3f))
                        .getDouble(0));
    }

    @Test
    void equalFormulasAreOneObjectAndSharingKeepsThemSmall() {
        Expr x = Expr.input(0, DType.F32), y = x;
        for (int i = 0; i < 200; i++) y = y.plus(y);
        Expr again = x;
        for (int i = 0; i < 200; i++) again = again.plus(again);
        assertSame(y, again);
        assertEquals(201, y.size());
        assertSame(Expr.input(1, DType.F32).exp(), x.exp().substitute(List.of(Expr.input(1, DType.F32))));
        assertSame(Expr.constant(DType.I32, 5), Expr.constant(DType.I32, 2).plus(Expr.constant(DType.I32, 3)));
    }

    @Test
    void deepChainsNeedNoStack() {
        Expr y = Expr.input(0, DType.F32);
        for (int i = 0; i < 20_000; i++) y = y.plus(Expr.input(1, DType.F32));
        assertEquals(
                20_001, Evaluation.run(y, Tensor.scalar(1f), Tensor.scalar(1f)).getDouble(0));
        assertTrue(y.toString().contains("ADD"));
    }

    @Test
    void wrongInputsAreNamed() {
        ElementwiseKernel kernel = ElementwiseKernel.of(Expr.input(0, DType.F32).exp());
        Tensor y = Tensor.allocate(DType.F32, Shape.of(3));
        var dtype = assertThrows(
                OxbowException.class,
                () -> kernel.run(Parallel.SERIAL, y.shape(), new Tensor[] {Tensor.scalar(1)}, new Tensor[] {y}));
        assertEquals("ElementwiseKernel: input 0 must be f32, got i32[]", dtype.getMessage());
        var shape = assertThrows(
                OxbowException.class,
                () -> kernel.run(
                        Parallel.SERIAL, y.shape(), new Tensor[] {Tensor.of(Shape.of(2), 1f, 2f)}, new Tensor[] {y}));
        assertEquals("ElementwiseKernel: [2] does not broadcast to [3]", shape.getMessage());
        var mixed = assertThrows(
                OxbowException.class, () -> Expr.input(0, DType.F32).plus(Expr.input(1, DType.F64)));
        assertEquals("Expr: operands differ: f32 and f64", mixed.getMessage());
    }
}
