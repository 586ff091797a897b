package dev.oxbow.runtime.compile;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Rewrite;
import dev.oxbow.graph.Services;
import dev.oxbow.graph.Subgraph;
import dev.oxbow.graph.pass.JoinedNodes;
import dev.oxbow.runtime.Device;
import dev.oxbow.runtime.DeviceSpec;
import dev.oxbow.runtime.HandMade;
import dev.oxbow.runtime.SessionOptions;
import dev.oxbow.tensor.ErrorCode;
import dev.oxbow.tensor.MemoryPool;
import dev.oxbow.tensor.OxbowException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Which stages run in which half, for which device, and in which order. */
final class CompilersTest {
    private static final long SIZE = 1 << 12;

    private final HandMade made = new HandMade();
    private final Edge x = made.input("x", SIZE);
    private SessionOptions options = SessionOptions.defaults();

    /** The names of stages, each part's after a line with its device's number. */
    private final List<String> seen = new ArrayList<>();

    private final Stages.Watcher watcher = new Stages.Watcher() {
        @Override
        public void stage(Rewrite stage, Subgraph graph) {
            seen.add(stage.name());
        }

        @Override
        public void part(Part part) {
            seen.add(part.device().name().replaceAll(".*:", ""));
        }
    };

    private List<DeviceProgram> compile(List<Device> devices, Edge... fetches) {
        return new Compiler(devices, options, (graph, _) -> new JoinedNodes(graph)).compile(made.cut(fetches), watcher);
    }

    private record Named(String name, String purpose) implements Rewrite {
        @Override
        public Subgraph run(Subgraph s, Services services) {
            return s;
        }
    }

    @Test
    void withOneDeviceItsOwnHalfDoesAllThatDependsOnNoPlacement() {
        options = options.withRewrite(new Named("spread", "as a plan would"));
        compile(List.of(HandMade.device(0)), made.negate("y", x));
        assertEquals(
                List.of(
                        "inline",
                        "spread",
                        "0",
                        "late reads",
                        "loosen",
                        "prune",
                        "expand",
                        "fold",
                        "group",
                        "fold",
                        "deduplicate",
                        "prune",
                        "absorb"),
                seen);
    }

    @Test
    void withTwoDevicesTheGlobalHalfMakesSmallWhatIsToBeCut() {
        Edge y = made.negate("y", x), z;
        try (var _ = made.graph.device("cpu:1")) {
            z = made.negate("z", y);
        }
        List<DeviceProgram> programs = compile(List.of(HandMade.device(0), HandMade.device(1)), z);
        List<String> local = List.of(
                "late reads", "loosen", "prune", "expand", "fold", "group", "fold", "deduplicate", "prune", "absorb");
        List<String> expected = new ArrayList<>(List.of("inline", "loosen", "fold", "deduplicate", "prune", "0"));
        expected.addAll(local);
        expected.add("1");
        expected.addAll(local);
        assertEquals(expected, seen);
        assertEquals(2, programs.size());
    }

    @Test
    void withoutPassesBothHalvesKeepTheGraph() {
        options = options.withOptimise(false);
        DeviceProgram p =
                compile(List.of(HandMade.device(0)), made.negate("y", x)).getFirst();
        assertEquals(List.of("inline", "0", "late reads"), seen);
        assertNull(p.memory());
    }

    @Test
    void eachDeviceFitsItsOwnBudget() {
        Edge y = x, z;
        for (int i = 0; i < 3; i++) y = made.negate("y" + i, y);
        try (var _ = made.graph.device("cpu:1")) {
            z = made.negate("z", y);
        }
        List<DeviceProgram> programs = compile(List.of(HandMade.device(0), HandMade.device(1, 1 << 20)), z);
        assertNull(programs.getFirst().memory());
        DeviceProgram.Fitted fitted = programs.getLast().memory();
        long left = 1 << 20;
        assertEquals(left - left / LocalCompiler.MARGIN, fitted.report().budget());
        assertTrue(fitted.report().fits());
        List<String> first = seen.subList(seen.indexOf("0"), seen.indexOf("1"));
        List<String> second = seen.subList(seen.indexOf("1"), seen.size());
        assertFalse(first.contains("memory"));
        assertEquals("memory", second.getLast());
        assertFalse(second.contains("expand"), "what lies in memory of others is not in the estimates of a budget");
    }

    @Test
    void variablesAndWhatIsInUseCountAgainstABudget() {
        Edge handle = made.node("v", new HandMade.Variable("v", SIZE)).edge(0);
        Edge same = made.node("same", new HandMade.Variable("v", SIZE)).edge(0);
        Edge y = made.node("read", new HandMade.Read(), handle).edge(0);
        Edge z = made.node("again", new HandMade.Read(), same).edge(0);
        assertEquals(
                MemoryPool.blockSize(SIZE * Float.BYTES),
                LocalCompiler.stateBytes(made.graph),
                "one variable, two handles");
        DeviceProgram p = compile(List.of(HandMade.device(0, 1 << 20)), made.add("sum", y, z))
                .getFirst();
        assertEquals(MemoryPool.blockSize(SIZE * Float.BYTES), p.memory().used());
    }

    @Test
    void theGlobalHalfKnowsDevicesByNameOnly() {
        Edge y = made.negate("y", x), z;
        try (var _ = made.graph.device("/job:worker/task:1")) {
            z = made.negate("z", y);
        }
        var here = new DeviceSpec("/job:worker/replica:0/task:0/device:CPU:0", "CPU", 5, 1L << 30);
        var there = new DeviceSpec("/job:worker/replica:0/task:1/device:CPU:0", "CPU", 6, 1L << 30);
        List<Part> parts = new GlobalCompiler(List.of(here, there), (d, op) -> true, options)
                .compile(made.cut(z), new Stages(options::service, null));
        assertEquals(List.of(here, there), parts.stream().map(Part::device).toList());
    }

    @Test
    void aStageThatBreaksIsNamedAndAnErrorOfTheUserPasses() {
        Edge y = made.negate("y", x);
        options = options.withRewrite(broken(new IllegalStateException("lost")));
        OxbowException e = assertThrows(OxbowException.class, () -> compile(List.of(HandMade.device(0)), y));
        assertEquals(ErrorCode.INTERNAL, e.code());
        assertEquals("compiling failed after stage 'inline': java.lang.IllegalStateException: lost", e.getMessage());
        OxbowException own = new OxbowException(ErrorCode.INVALID_ARGUMENT, "broken: wants less");
        options = SessionOptions.defaults().withRewrite(broken(own));
        assertEquals(own, assertThrows(OxbowException.class, () -> compile(List.of(HandMade.device(0)), y)));
    }

    private static Rewrite broken(RuntimeException error) {
        return new Rewrite() {
            @Override
            public String name() {
                return "broken";
            }

            @Override
            public String purpose() {
                return "to fail";
            }

            @Override
            public Subgraph run(Subgraph s, Services services) {
                throw error;
            }
        };
    }
}
