package dev.oxbow.cluster.worker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.graph.Cancellation;
import dev.oxbow.graph.Rendezvous;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.ErrorCode;
import dev.oxbow.tensor.MemoryPool;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Tables of steps in three tasks, whose messages come in any order, twice, late, or after all is over. */
final class StepTableTest {
    private static final int TASKS = 3;
    private static final int SEEDS = 2_000;

    /** Three tasks and the messages between them, which are delivered in an order that the seed says. */
    private static final class World {
        final Random random;
        final MemoryPool pool = new MemoryPool("test", Long.MAX_VALUE);
        final List<StepTable> tables = new ArrayList<>();
        final List<Runnable> messages = new ArrayList<>();
        final List<String> wrong = new ArrayList<>();
        long now;
        int waits, ends, values, errors;

        World(int seed) {
            random = new Random(seed);
            for (int t = 0; t < TASKS; t++) tables.add(new StepTable(new Wire(t), () -> now));
        }

        void post(Runnable message) {
            messages.add(message);
        }

        void deliverAll() {
            while (!messages.isEmpty()) {
                now += 1_000;
                messages.remove(random.nextInt(messages.size())).run();
            }
        }

        /** What task {@code from} sends task {@code to} in a step. */
        static String key(int from, int to) {
            return "t" + from + ";0;t" + to + ";x;0:0";
        }

        Tensor value(long step, int from) {
            Tensor t = pool.tensor(DType.I64, Shape.SCALAR, "test");
            t.setLong(0, 100 * step + from);
            return t;
        }

        /** RunGraph: the part sends to and receives from both others. */
        void run(int task, long step, Object session) {
            StepTable table = tables.get(task);
            Step s;
            try {
                s = table.step(step);
                s.begin(session);
            } catch (OxbowException e) {
                if (e.code() != ErrorCode.ABORTED) wrong.add("RunGraph: " + e);
                return;
            }
            for (int other = 0; other < TASKS; other++) {
                if (other == task) continue;
                if (random.nextInt(8) == 0) s.rendezvous.send(key(task, other), null);
                else s.rendezvous.send(key(task, other), value(step, task));
                int from = other;
                waits++;
                s.rendezvous.receive(key(from, task), (t, error) -> arrived(step, from, t, error));
            }
            s.done();
        }

        void arrived(long step, int from, Tensor t, Throwable error) {
            ends++;
            if (error != null) {
                errors++;
                ErrorCode code = ((OxbowException) error).code();
                if (code != ErrorCode.ABORTED && code != ErrorCode.CANCELLED) wrong.add("receive: " + error);
                return;
            }
            values++;
            if (t == null) return;
            if (t.getLong(0) != 100 * step + from) wrong.add("step " + step + " from " + from + " got " + t.getLong(0));
            t.release();
        }

        /** Requests for values of other tasks go by messages, and so do the answers; some are sent again. */
        private final class Wire implements StepRendezvous.Source {
            private final int task;

            Wire(int task) {
                this.task = task;
            }

            @Override
            public boolean isLocal(String key) {
                return key.startsWith("t" + task + ";");
            }

            @Override
            public void fetch(long step, String key, Cancellation cancellation, Rendezvous.Receiver then) {
                int to = key.charAt(1) - '0';
                long request = 1 + random.nextLong(Long.MAX_VALUE - 1);
                boolean[] answered = {false};
                Rendezvous.Receiver once = (t, error) -> post(() -> {
                    if (answered[0]) {
                        if (t != null) t.release();
                        return;
                    }
                    answered[0] = true;
                    then.accept(t, error);
                });
                Runnable ask = () -> {
                    try {
                        tables.get(to).seen(request);
                        new Taking(tables.get(to).step(step).rendezvous, key, cancellation, once).start();
                    } catch (OxbowException e) {
                        if (e.getMessage().contains("seen before")) return; // the first of them will be answered
                        once.accept(null, e);
                    }
                };
                post(ask);
                if (random.nextInt(4) == 0) post(ask);
            }
        }
    }

    @Test
    void messagesInAnyOrderGiveRightValuesOrNamedErrorsAndLeaveNothing() {
        int values = 0, errors = 0;
        for (int seed = 0; seed < SEEDS; seed++) {
            World w = new World(seed);
            for (long step = 1; step <= 3; step++) {
                long id = step;
                boolean cancelled = w.random.nextInt(4) == 0, early = w.random.nextInt(4) == 0;
                for (int t = 0; t < TASKS; t++) {
                    int task = t;
                    Object session = new Object();
                    w.post(() -> w.run(task, id, session));
                    if (w.random.nextInt(4) == 0) w.post(() -> w.run(task, id, session));
                    if (cancelled && w.random.nextBoolean())
                        w.post(() -> w.tables
                                .get(task)
                                .endAll(session, new OxbowException(ErrorCode.CANCELLED, "the session was closed")));
                    if (early) w.post(() -> end(w, task, id));
                }
            }
            w.deliverAll();
            for (long step = 1; step <= 3; step++) for (int t = 0; t < TASKS; t++) end(w, t, step);
            w.deliverAll();
            String when = "seed " + seed;
            assertEquals(List.of(), w.wrong, when);
            assertEquals(w.waits, w.ends, when + ": every wait ends once");
            for (StepTable t : w.tables) assertEquals(0, t.gauge().value(), when);
            assertEquals(0, w.pool.bytesInUse(), when + ": memory is given back");
            values += w.values;
            errors += w.errors;
        }
        assertTrue(values > SEEDS && errors > SEEDS / 4, values + " values, " + errors + " errors");
    }

    private static void end(World w, int task, long step) {
        w.tables.get(task).end(step, new OxbowException(ErrorCode.ABORTED, "step %d has ended".formatted(step)));
    }

    @Test
    void aStepThatNobodyRunsEndsWithTheLease() {
        World w = new World(0);
        StepTable table = w.tables.getFirst();
        List<Throwable> errors = new ArrayList<>();
        table.step(7).rendezvous.take(World.key(0, 1), (t, error) -> errors.add(error));
        w.now = Duration.ofSeconds(5).toNanos();
        table.expire(Duration.ofSeconds(10));
        assertTrue(errors.isEmpty());
        w.now = Duration.ofSeconds(11).toNanos();
        table.expire(Duration.ofSeconds(10));
        assertEquals(0, table.gauge().value());
        assertEquals(
                "step 7: nobody has run it or asked for its values for 10000 ms",
                errors.getFirst().getMessage());
        OxbowException late = assertThrows(OxbowException.class, () -> table.step(7));
        assertEquals(ErrorCode.ABORTED, late.code());
        assertEquals("step 7 has ended in this task", late.getMessage());
    }

    @Test
    void aStepThatRunsIsKept() {
        World w = new World(0);
        StepTable table = w.tables.getFirst();
        table.step(7).begin("session");
        w.now = Duration.ofDays(1).toNanos();
        table.expire(Duration.ofSeconds(10));
        assertEquals(1, table.gauge().value());
        assertFalse(table.step(7).cancellation.isCancelled());
    }
}
