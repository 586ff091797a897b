package dev.oxbow.testing.session;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Graph;
import dev.oxbow.ops.Ops;
import dev.oxbow.ops.Value;
import dev.oxbow.runtime.EngineOptions;
import dev.oxbow.runtime.Session;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What only a chain reads takes memory for one block of rows per thread. */
final class LanesTest {
    private static final long ROWS = 2048, COLUMNS = 256;
    private static final int LAYERS = 4;
    private static final Pattern PLAN = Pattern.compile(
            "block of ([\\d,]+) bytes, ([\\d,]+) outside of it\\R +chain: (\\d+) calls, in (\\d+) blocks of rows\\R");

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void valuesThatOnlyAChainReadsTakeOneBlockOfRowsPerThread(int threads) {
        Ops ops = Ops.in(new Graph());
        List<Edge> feeds = new ArrayList<>();
        Value h = ops.placeholder("x", DType.F32, Shape.of(ROWS, COLUMNS));
        feeds.add(h.edge());
        for (int i = 0; i < LAYERS; i++) {
            Value w = ops.placeholder("w" + i, DType.F32, Shape.of(COLUMNS, COLUMNS));
            feeds.add(w.edge());
            h = h.matMul(w).tanh();
        }
        // with a budget, a program is made for the shapes of its feeds
        EngineOptions options = EngineOptions.defaults().withThreads(threads).withMemoryBudget(1 << 30);
        String text;
        try (Session s = Session.open(h.graph(), options)) {
            text = s.explain(feeds, List.of(h.edge()), List.of(), false);
        }
        Matcher plan = PLAN.matcher(text);
        assertTrue(plan.find(), text);
        long block = number(plan, 1), outside = number(plan, 2), calls = number(plan, 3), blocks = number(plan, 4);
        assertEquals(2 * LAYERS, calls, text);
        assertEquals(ROWS * COLUMNS * Float.BYTES, outside, text); // what is fetched
        // a product and what it reads are there at the same time; tanh works in place
        long values = 2 * ROWS / blocks * COLUMNS * Float.BYTES;
        long padding = 1024;
        assertTrue(blocks >= 8, text);
        assertTrue(block >= threads * values && block <= threads * (values + padding) + padding, text);
    }

    private static long number(Matcher m, int group) {
        return Long.parseLong(m.group(group).replace(",", ""));
    }
}
