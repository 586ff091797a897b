package dev.oxbow.runtime.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.graph.Cancellation;
import dev.oxbow.graph.Turns;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Which programs are kept, and how often each is made. */
@Timeout(300)
final class KeptProgramsTest {
    private final AtomicInteger makes = new AtomicInteger();

    private Program program() {
        return new Program(List.of(), makes.incrementAndGet(), new StepTurns(List.of()));
    }

    private static Set<Program> all(KeptPrograms<?> kept) {
        Set<Program> all = new HashSet<>();
        kept.forEach(all::add);
        return all;
    }

    @Test
    void theOneThatWasNotUsedForTheLongestTimeGoes() {
        KeptPrograms<String> kept = new KeptPrograms<>(2);
        Program a = kept.get("a", this::program), b = kept.get("b", this::program);
        assertSame(a, kept.get("a", this::program));
        Program c = kept.get("c", this::program);
        assertEquals(Set.of(a, c), all(kept));
        assertNotSame(b, kept.get("b", this::program));
        assertEquals(2, kept.size());
    }

    @Test
    void tenThreadsThatWantAProgramFirstMakeItOnce() throws Exception {
        KeptPrograms<String> kept = new KeptPrograms<>(4);
        CyclicBarrier start = new CyclicBarrier(10);
        List<Future<Program>> got = new ArrayList<>();
        try (ExecutorService threads = Executors.newFixedThreadPool(10)) {
            for (int i = 0; i < 10; i++)
                got.add(threads.submit(() -> {
                    start.await();
                    return kept.get("a", this::program);
                }));
        }
        for (Future<Program> f : got) assertSame(got.getFirst().get(), f.get());
        assertEquals(1, makes.get());
    }

    @Test
    void whatCouldNotBeMadeLeavesNothingAndThoseWhoWaitedForItMakeOneThatIsKept() throws Exception {
        for (int round = 0; round < 200; round++) {
            KeptPrograms<String> kept = new KeptPrograms<>(4);
            AtomicBoolean failed = new AtomicBoolean();
            CyclicBarrier start = new CyclicBarrier(4);
            Set<Program> got = new HashSet<>();
            List<Future<Program>> all = new ArrayList<>();
            try (ExecutorService threads = Executors.newFixedThreadPool(4)) {
                for (int i = 0; i < 4; i++)
                    all.add(threads.submit(() -> {
                        start.await();
                        try {
                            return kept.get("a", () -> {
                                if (failed.compareAndSet(false, true)) throw new IllegalStateException("the first");
                                return program();
                            });
                        } catch (IllegalStateException e) {
                            return null;
                        }
                    }));
            }
            for (Future<Program> f : all) if (f.get() != null) got.add(f.get());
            assertEquals(all(kept), got, "what is used is kept, so that closing finds it; round " + round);
        }
        KeptPrograms<String> none = new KeptPrograms<>(4);
        assertThrows(
                IllegalStateException.class,
                () -> none.get("a", () -> {
                    throw new IllegalStateException("never");
                }));
        assertEquals(0, none.size());
    }

    @Test
    void aProgramForWhatAServiceWasIsMadeAgain() {
        AtomicBoolean current = new AtomicBoolean(true);
        Turns.Turn turn = new Turns.Turn() {
            @Override
            public void take(long step, String key, Cancellation cancellation, Consumer<Throwable> then) {
                then.accept(null);
            }

            @Override
            public void leave(long step, Throwable error) {}

            @Override
            public boolean isCurrent() {
                return current.get();
            }
        };
        KeptPrograms<String> kept = new KeptPrograms<>(4);
        Program old = kept.get("a", () -> new Program(List.of(), 0, new StepTurns(List.of(turn))));
        assertSame(old, kept.get("a", this::program));
        current.set(false);
        Program made = kept.get("a", this::program);
        assertNotSame(old, made);
        assertTrue(all(kept).equals(Set.of(made)));
    }
}
