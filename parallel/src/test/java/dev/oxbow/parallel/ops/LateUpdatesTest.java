package dev.oxbow.parallel.ops;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.tensor.ErrorCode;
import dev.oxbow.tensor.OxbowException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** Updates that steps leave behind. */
final class LateUpdatesTest {
    private final LateUpdates late = new LateUpdates();
    private final List<Consumer<Throwable>> running = new ArrayList<>();
    private final List<Throwable> told = new ArrayList<>();

    private void begin(String part) {
        late.run(part, running::add, null);
    }

    private Runnable await(String part) {
        return late.await(part, told::add);
    }

    @Test
    void updatesOfAPartRunOneAfterTheOtherAndPartsBesideEachOther() {
        begin("a");
        begin("a");
        begin("b");
        assertEquals(2, running.size(), "the first of a, and that of b");
        await("a");
        running.get(1).accept(null);
        await("b");
        assertEquals(1, told.size(), "b is done");
        running.get(0).accept(null);
        assertEquals(3, running.size());
        assertEquals(1, told.size(), "a has another one");
        running.get(2).accept(null);
        assertEquals(2, told.size());
        assertTrue(late.isEmpty());
        late.settle();
    }

    @Test
    void aFailureIsToldOnceWhenNothingIsUnderWay() {
        begin("a");
        begin("b");
        Runnable gone = await("a");
        gone.run();
        await("c");
        assertEquals(1, told.size(), "nothing is under way for c");
        await("b");
        running.get(0).accept(new OxbowException(ErrorCode.UNAVAILABLE, "rank 1 is gone"));
        assertEquals(1, told.size(), "b is under way");
        running.get(1).accept(null);
        OxbowException why = (OxbowException) told.get(1);
        assertEquals(ErrorCode.ABORTED, why.code());
        assertTrue(why.getMessage().contains("rank 1 is gone"), why.getMessage());
        await("a");
        assertNull(told.get(2));
        assertEquals(3, told.size());
    }

    @Test
    void whoWaitsForItsOwnUpdateIsToldAlone() {
        List<Throwable> own = new ArrayList<>();
        late.run("a", running::add, own::add);
        assertFalse(late.isEmpty());
        Throwable why = new OxbowException(ErrorCode.INTERNAL, "no");
        running.getFirst().accept(why);
        assertSame(why, own.getFirst());
        await("a");
        assertNull(told.getFirst());
    }
}
