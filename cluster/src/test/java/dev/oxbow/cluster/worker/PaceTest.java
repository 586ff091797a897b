package dev.oxbow.cluster.worker;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.wire.proto.FunctionDef;
import dev.oxbow.wire.proto.GraphDef;
import dev.oxbow.wire.proto.NodeDef;
import org.junit.jupiter.api.Test;

/** Which steps a thread that moves messages does itself. */
final class PaceTest {
    private static final int TRIES = 10_000;

    private int handed;

    private Pace pace(boolean learns) {
        return new Pace(Runnable::run, this::hand, learns);
    }

    private void hand(Runnable task) {
        handed++;
        task.run();
    }

    /** Whether a step goes to another thread. */
    private boolean leaves(Pace p, long bytes) {
        int before = handed;
        p.run(bytes, _ -> {});
        return handed > before;
    }

    /** Runs steps until one has stayed: the machine may have no time in the middle of one. */
    private boolean stays(Pace p, long bytes) {
        for (int i = 0; i < TRIES; i++) if (!leaves(p, bytes)) return true;
        return false;
    }

    @Test
    void aStepThatWasQuickStaysAndOneThatIsFedMuchMoreDoesNot() {
        Pace p = pace(true);
        assertTrue(leaves(p, 1_000), "nothing is known of it");
        assertTrue(stays(p, 1_000));
        assertTrue(stays(p, 2_000));
        assertTrue(leaves(p, 1_000_000));
        assertTrue(stays(p, 1_000_000), "it was as quick");
    }

    @Test
    void whatLoopsNeverStays() {
        Pace p = pace(false);
        for (int i = 0; i < 100; i++) assertTrue(leaves(p, 0));
    }

    private static GraphDef.Builder graph(String op) {
        return GraphDef.newBuilder().addNode(NodeDef.newBuilder().setName("n").setOp(op));
    }

    @Test
    void loopsAreFoundInGraphsAndTheirFunctions() {
        assertFalse(Registered.loops(graph("AddV2").build()));
        assertTrue(Registered.loops(graph("NextIteration").build()));
        assertTrue(Registered.loops(graph("StatelessWhile").build()));
        GraphDef.Builder calls = graph("PartitionedCall");
        calls.getLibraryBuilder()
                .addFunction(FunctionDef.newBuilder()
                        .addNodeDef(NodeDef.newBuilder().setName("l").setOp("While")));
        assertTrue(Registered.loops(calls.build()));
    }
}
