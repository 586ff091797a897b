package dev.oxbow.train;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.graph.Graph;
import dev.oxbow.ops.Ops;
import dev.oxbow.ops.Value;
import dev.oxbow.runtime.Session;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Results;
import dev.oxbow.tensor.Shape;
import dev.oxbow.train.layer.Initialiser;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

final class InitialisersTest {
    /** A kernel of 3 x 3 over 40 channels with 50 filters: 360 inputs, 450 outputs, 18,000 numbers. */
    private static final Shape KERNEL = Shape.of(3, 3, 40, 50);

    private static double[] draw(Initialiser i, Shape shape, long seed) {
        Value v = i.of(Ops.in(new Graph()), DType.F64, shape, seed);
        assertEquals(shape, v.shape());
        try (Session s = Session.open(v.graph());
                Results r = s.fetch(v.edge()).run()) {
            return r.get(0).doubles();
        }
    }

    private static void assertNormal(Initialiser i, double variance) {
        double[] x = draw(i, KERNEL, 7);
        double mean = Arrays.stream(x).average().orElseThrow();
        double second = Arrays.stream(x).map(v -> v * v).average().orElseThrow();
        assertEquals(0, mean / Math.sqrt(variance), 0.03);
        assertEquals(1, second / variance, 0.05);
    }

    private static void assertUniform(Initialiser i, double limit) {
        double[] x = draw(i, KERNEL, 7);
        assertNormal(i, limit * limit / 3);
        assertTrue(Arrays.stream(x).allMatch(v -> Math.abs(v) <= limit));
        assertTrue(Arrays.stream(x).anyMatch(v -> v > 0.98 * limit));
    }

    @Test
    void deviationsFollowTheNumbersOfInputsAndOutputs() {
        assertNormal(Initialiser.normal(0.3), 0.09);
        assertNormal(Initialiser.heNormal(), 2 / 360.0);
        assertNormal(Initialiser.lecunNormal(), 1 / 360.0);
        assertNormal(Initialiser.glorotNormal(), 2 / 810.0);
        assertNormal(Initialiser.scaled(5, _ -> 10), 0.5);
        assertUniform(Initialiser.glorotUniform(), Math.sqrt(6 / 810.0));
        assertUniform(Initialiser.glorotUniform(2, 4), 1);
        assertUniform(Initialiser.heUniform(), Math.sqrt(6 / 360.0));
        assertUniform(Initialiser.lecunUniform(), Math.sqrt(3 / 360.0));
    }

    @Test
    void theSeedDecides() {
        Initialiser i = Initialiser.glorotUniform();
        assertArrayEquals(draw(i, KERNEL, 1), draw(i, KERNEL, 1));
        assertFalse(Arrays.equals(draw(i, KERNEL, 1), draw(i, KERNEL, 2)));
    }

    @Test
    void anIdentityHasOnesOnItsDiagonal() {
        assertArrayEquals(new double[] {1, 0, 0, 0, 1, 0}, draw(Initialiser.identity(), Shape.of(2, 3), 0));
        OxbowException e = assertThrows(OxbowException.class, () -> draw(Initialiser.identity(), KERNEL, 0));
        assertTrue(e.getMessage().contains("an identity is a matrix"), e.getMessage());
    }

    @Test
    void theFewerOfRowsAndColumnsAreOrthogonal() {
        assertOrthogonal(draw(Initialiser.orthogonal(), Shape.of(5, 3), 1), 5, 3);
        assertOrthogonal(draw(Initialiser.orthogonal(), Shape.of(2, 2, 5), 1), 4, 5);
        assertOrthogonal(draw(Initialiser.orthogonal(), Shape.of(4, 4), 1), 4, 4);
    }

    private static void assertOrthogonal(double[] m, int rows, int columns) {
        int few = Math.min(rows, columns), many = Math.max(rows, columns);
        for (int a = 0; a < few; a++)
            for (int b = 0; b < few; b++) {
                double product = 0;
                for (int i = 0; i < many; i++)
                    product += rows >= columns
                            ? m[i * columns + a] * m[i * columns + b]
                            : m[a * columns + i] * m[b * columns + i];
                assertEquals(a == b ? 1 : 0, product, 1e-12);
            }
    }
}
