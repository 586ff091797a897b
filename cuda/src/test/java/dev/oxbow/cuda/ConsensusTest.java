package dev.oxbow.cuda;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Of ways to compute the same, those that most agree with are taken. */
final class ConsensusTest {
    private static final double[] RIGHT = {3.047, -1, 2}, NEARLY = {3.0470001, -1, 2}, HALF = {1.599, -1, 2};
    private static final double[] UNWRITTEN = {3.047, -1, Double.NaN};

    private static List<String> agreeing(double[]... results) {
        List<String> names = List.of("a", "b", "c", "d").subList(0, results.length);
        return Consensus.agreeing(names, Arrays.asList(results), 1e-4);
    }

    @Test
    void oneThatLacksHalfOfASumIsLeftOut() {
        assertEquals(List.of("a", "c"), agreeing(RIGHT, HALF, NEARLY));
    }

    @Test
    void oneThatDoesNotWriteEverythingOrFailsIsLeftOut() {
        assertEquals(List.of("b", "d"), agreeing(UNWRITTEN, RIGHT, null, NEARLY));
    }

    @Test
    void whereAllAgreeOrNobodyDoesAllStay() {
        assertEquals(List.of("a", "b", "c"), agreeing(RIGHT, NEARLY, RIGHT));
        assertEquals(List.of("a", "b", "c"), agreeing(RIGHT, HALF, new double[] {0, 0, 0}));
    }
}
