package dev.oxbow.observe.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class SeriesTest {

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 1023, 1024, 1025, 2048, 5000, 100_000})
    void pointsAreThinnedToABoundAndNoPeakIsLost(int n) {
        Series s = new Series();
        Random random = new Random(n);
        double low = Double.POSITIVE_INFINITY, high = Double.NEGATIVE_INFINITY, sum = 0;
        for (int i = 0; i < n; i++) {
            double v = random.nextGaussian();
            low = Math.min(low, v);
            high = Math.max(high, v);
            sum += v;
            s.add(i, i / 10.0, v, 0, 100L * i);
        }
        List<Series.Point> all = s.range(0, Long.MAX_VALUE, 2_000);
        assertTrue(all.size() <= Series.MOST && all.size() >= Math.min(n, Series.MOST / 2), () -> "" + all.size());
        assertEquals(n, s.points());
        if (n == 0) return;
        assertEquals(low, all.stream().mapToDouble(Series.Point::least).min().orElseThrow());
        assertEquals(high, all.stream().mapToDouble(Series.Point::largest).max().orElseThrow());
        assertEquals(sum / n, s.recent(n), 1e-9);
        assertTrue(s.range(0, Long.MAX_VALUE, 10).size() <= 10);
    }

    @Test
    void numbersThatAreNotFiniteAreLeftOutOfMeansAndTold() {
        Series s = new Series();
        s.add(0, 0, Double.NaN, 0, 0);
        s.add(1, 1, 2, 0, 0);
        List<Series.Point> all = s.range(0, 10, 10);
        assertTrue(Double.isNaN(all.get(0).mean()));
        assertEquals(2, all.get(1).mean());
    }

    @Test
    void aRangeHasItsStepsOnly() {
        Series s = new Series();
        for (int i = 0; i < 100; i++) s.add(i, i, i, 0, 10L * i);
        List<Series.Point> some = s.range(40, 42, 100);
        assertEquals(
                List.of(40L, 41L, 42L), some.stream().map(Series.Point::step).toList());
        assertEquals(400, s.place(40)[1]);
    }

    @Test
    void whatIsWrittenIsReadAgain() throws IOException {
        Series s = new Series();
        for (int i = 0; i < 3_000; i++) s.add(i, i, Math.sin(i), i / 1000, i);
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        s.write(new DataOutputStream(bytes));
        Series again = Series.read(new DataInputStream(new ByteArrayInputStream(bytes.toByteArray())));
        for (Series each : List.of(s, again)) for (int i = 3_000; i < 3_500; i++) each.add(i, i, Math.sin(i), 3, i);
        assertEquals(s.range(0, 9_000, 999), again.range(0, 9_000, 999));
        assertEquals(s.last(), again.last());
    }
}
