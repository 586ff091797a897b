package dev.oxbow.parallel;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.graph.Node;
import dev.oxbow.ops.Parameter;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.gradient.Minimiser;
import dev.oxbow.parallel.Shards.Slice;
import dev.oxbow.tensor.DType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Which server has which rows of which variables. */
final class ShardsTest {

    private static Shards of(Model m, int servers) {
        List<String> devices = new ArrayList<>();
        for (int k = 0; k < servers; k++) devices.add(Servers.device(k));
        Shards shards = new Shards(devices);
        shards.learn(m.graph);
        return shards;
    }

    /** A chain of products through layers of these widths, with Adam. */
    private static Model chain(long... widths) {
        Model m = new Model(1, DType.F32);
        Value h = m.input("x", DType.F32, 4, widths[0]);
        for (int i = 0; i + 1 < widths.length; i++) h = h.matMul(m.parameter("w" + i, widths[i], widths[i + 1]));
        m.loss = h.square().mean();
        Minimiser.Updates adam = Minimiser.adam(0.01).minimise(m.loss, m.parameters);
        m.state.addAll(adam.slots());
        m.updates.addAll(adam.nodes());
        return m;
    }

    private static void even(Shards shards, String what) {
        long[] bytes = shards.bytes();
        long most = Arrays.stream(bytes).max().orElseThrow(),
                least = Arrays.stream(bytes).min().orElseThrow();
        assertTrue(most <= 1.1 * least, what + ": " + Arrays.toString(bytes));
    }

    @Test
    void shardsAreWithinATenthOfEachOtherWhateverTheSizesOfVariables() {
        for (long seed = 0; seed < 50; seed++) {
            Random random = new Random(seed);
            long[] widths = new long[2 + random.nextInt(6)];
            for (int i = 0; i < widths.length; i++) widths[i] = 50 + random.nextInt(random.nextBoolean() ? 20 : 900);
            Model m = chain(widths);
            for (int servers = 1; servers <= 4; servers++)
                even(of(m, servers), "seed " + seed + ", " + servers + " servers, " + Arrays.toString(widths));
        }
    }

    @Test
    void slotsAreCutAsTheirParametersAre() {
        Model m = chain(1000, 30, 5);
        Shards two = of(m, 2);
        List<Slice> rows = two.slices(handle(m.parameters.getFirst()));
        assertEquals(
                List.of(0L, rows.getFirst().count()),
                rows.stream().map(Slice::from).toList());
        assertEquals(1000, rows.stream().mapToLong(Slice::count).sum());
        long cut =
                m.state.stream().filter(p -> rows.equals(two.slices(handle(p)))).count();
        assertEquals(2, cut);
    }

    @Test
    void whatIsEvenIsNotCut() {
        Model m = chain(100, 100, 100);
        for (Parameter p : m.parameters) assertNull(of(m, 2).slices(handle(p)));
        assertNull(of(m, 1).slices(handle(m.parameters.getFirst())));
    }

    @Test
    void everyWorkerDecidesAlike() {
        assertArrayEquals(
                of(chain(700, 60, 800), 3).bytes(), of(chain(700, 60, 800), 3).bytes());
    }

    private static Node handle(Parameter p) {
        return p.handle().edge().node();
    }
}
