package dev.oxbow.benchmarks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class PairsTest {
    private static final Pairs EVEN = pairs(1, 0.99, 1.01);
    private static final Pairs WIDE = pairs(1, 0.97, 1.02);
    private static final Pairs SLOWER = pairs(0.95, 0.94, 0.96);

    private static Pairs pairs(double median, double lower, double upper) {
        return new Pairs("oxbow@331dead", 100, median, lower, upper, 9);
    }

    @Test
    void eachRoundIsComparedWithItsNeighbour() {
        // the machine is four times as fast in the second half; each pair has the same ratio all the same
        double[] other = {10, 11, 12, 40, 44}, own = {11, 12.1, 13.2, 44, 48.4};
        Pairs p = Pairs.of("x", own, other, false);
        assertEquals(1.1, p.median(), 1e-12);
        assertEquals(0, p.upper() - p.lower(), 1e-12);
        assertEquals(12, p.figure());
        assertEquals(5, p.rounds());
    }

    @Test
    void theMedianIsOfRatiosAndNotARatioOfMedians() {
        Pairs p = Pairs.of("x", new double[] {1, 4, 2}, new double[] {2, 2, 4}, false);
        assertEquals(0.5, p.median()); // of 0.5, 2, 0.5; the medians are 2 and 2
        assertEquals(0.5, p.lower());
        assertEquals(1.25, p.upper());
    }

    @Test
    void aRatioIsAboveOneWhereOursIsBetter() {
        double[] own = {2, 2, 2}, other = {3, 3, 3};
        assertEquals(1.5, Pairs.of("x", own, other, true).median());
        assertEquals(2 / 3.0, Pairs.of("x", own, other, false).median());
    }

    @Test
    void quantilesLieBetweenValues() {
        double[] values = {4, 1, 3, 2};
        assertEquals(1.75, Pairs.quantile(values, 0.25));
        assertEquals(2.5, Pairs.quantile(values, 0.5));
        assertEquals(3.25, Pairs.quantile(values, 0.75));
        assertEquals(7, Pairs.quantile(new double[] {7}, 0.75));
    }

    @Test
    void roundsWithoutANeighbourAreRefused() {
        assertThrows(IllegalArgumentException.class, () -> Pairs.of("x", new double[2], new double[3], false));
    }

    @ParameterizedTest
    @CsvSource({
        "0.95, 0.94, 0.96, true",
        "0.969, 0.9, 0.999, true",
        "0.97, 0.96, 0.98, false",
        "0.9, 0.8, 1, false",
        "1.1, 1, 1.2, false"
    })
    void aRowIsSlowerWhenMedianAndUpperQuartileSaySo(double median, double lower, double upper, boolean slower) {
        assertEquals(slower, pairs(median, lower, upper).isSlower());
    }

    @Test
    void nineRoundsAreFollowedByMoreWhileQuartilesAreApart() {
        assertEquals(9, rounds(null, true, EVEN));
        assertEquals(21, rounds(null, true, EVEN, WIDE));
        assertEquals(9, rounds(null, true));
        assertEquals(5, rounds(null, false));
        assertEquals(3, rounds(3, true, WIDE));
    }

    @Test
    void neighboursTakeTurnsInBeingFirst() {
        assertEquals(List.of("own", "other", "peer"), Rounds.inTurn(1, List.of("own", "other", "peer")));
        assertEquals(List.of("peer", "other", "own"), Rounds.inTurn(2, List.of("own", "other", "peer")));
    }

    private static int rounds(Integer wished, boolean isPaired, Pairs... pairs) {
        return Stream.iterate(0, n -> Rounds.goOn(n, wished, isPaired, List.of(pairs)), n -> n + 1)
                .mapToInt(_ -> 1)
                .sum();
    }

    @Test
    void theLastLineNamesWhatIsSlowerAndWhatIsMissing() {
        Map<String, Optional<Pairs>> rows = new LinkedHashMap<>();
        assertFalse(Rounds.passes(rows)); // nothing was compared
        rows.put("mlp", Optional.of(EVEN));
        rows.put("lstm", Optional.empty());
        assertTrue(Rounds.passes(rows));
        assertEquals(
                "oxbow beside oxbow@331dead: 0 of 2 rows slower; not compared: lstm",
                Rounds.summary("oxbow@331dead", rows));
        rows.put("cnn", Optional.of(SLOWER));
        assertFalse(Rounds.passes(rows));
        assertEquals(
                "oxbow beside oxbow@331dead: 1 of 3 rows slower: cnn; not compared: lstm",
                Rounds.summary("oxbow@331dead", rows));
    }

    @Test
    void programsGetTheSameFields() {
        assertEquals(
                "{\"name\": \"oxbow@331dead\", \"figure\": 100.000, \"ratio\": 0.950000, \"lower\": 0.940000,"
                        + " \"upper\": 0.960000, \"rounds\": 9, \"slower\": true}",
                SLOWER.json());
        assertEquals("0.950 slower", SLOWER.ratio());
        assertEquals("0.940..0.960", SLOWER.quartiles());
    }

    @Test
    void anotherBuildIsNoPeer() {
        Row row = new Row("mlp", "steps/s", false);
        row.add("oxbow", 10);
        row.add("oxbow@331dead", 20);
        row.add("djl", 5);
        assertEquals(2, row.ratio());
        assertEquals(0.5, row.pairs("oxbow@331dead").orElseThrow().median());
        row.fail("oxbow@331dead", "failed: x");
        assertEquals(Optional.empty(), row.pairs("oxbow@331dead"));
    }
}
