package dev.oxbow.runtime;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.graph.Cancellation;
import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.tensor.ErrorCode;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Results;
import dev.oxbow.tensor.Tensor;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What is done about losses, with sessions that fail when a test says so. */
@Timeout(300)
final class SupervisedSessionTest {
    private static final Duration LONG = Duration.ofMinutes(5), SHORT = Duration.ofMillis(300);
    private final AtomicInteger opened = new AtomicInteger(), started = new AtomicInteger();
    private final Deque<ErrorCode> openings = new ArrayDeque<>();
    private final CountDownLatch hangs = new CountDownLatch(1);
    private volatile boolean openingHangs;

    private static OxbowException error(ErrorCode code) {
        return new OxbowException(code, "the test says so");
    }

    /** A session whose first runs fail. */
    private static final class Fake implements Session {
        private final Deque<ErrorCode> runs = new ArrayDeque<>();
        private final Graph graph = new Graph();
        private volatile boolean closed;

        Fake(ErrorCode... fails) {
            runs.addAll(List.of(fails));
        }

        @Override
        public Graph graph() {
            return graph;
        }

        @Override
        public synchronized Results run(
                List<Edge> feeds, List<Tensor> values, List<Edge> fetches, List<Node> targets, RunOptions options) {
            if (closed) throw new OxbowException(ErrorCode.FAILED_PRECONDITION, "Session: it is closed");
            if (!runs.isEmpty()) throw error(runs.poll());
            return new Results(List.of());
        }

        @Override
        public PartialRun partialRun(List<String> feeds, List<String> fetches, List<String> targets) {
            throw error(ErrorCode.UNIMPLEMENTED);
        }

        @Override
        public String explain(List<Edge> feeds, List<Edge> fetches, List<Node> targets, boolean verbose) {
            return "a fake";
        }

        @Override
        public void close() {
            closed = true;
        }
    }

    private final Fake first = new Fake();

    private Session open() {
        if (opened.getAndIncrement() == 0) return first;
        if (openingHangs) {
            hangs.countDown();
            try {
                new CountDownLatch(1).await(); // as a master that waits for a task
            } catch (InterruptedException e) {
                throw new OxbowException(ErrorCode.CANCELLED, "Session: the calling thread was interrupted", e);
            }
        }
        if (!openings.isEmpty()) throw error(openings.poll());
        return new Fake();
    }

    private SupervisedSession supervised(Duration patience) {
        return new SupervisedSession(this::open, _ -> started.incrementAndGet(), patience);
    }

    private static void run(SupervisedSession s, RunOptions o) {
        s.run(List.of(), List.of(), List.of(), List.of(), o).close();
    }

    private static OxbowException failure(SupervisedSession s, RunOptions o) {
        return assertThrows(OxbowException.class, () -> run(s, o));
    }

    @Test
    void aRunIsTakenAgainInANewSessionWhoeverWasMissingWhenItWasOpened() {
        try (SupervisedSession s = supervised(LONG)) {
            run(s, RunOptions.none());
            first.runs.add(ErrorCode.UNAVAILABLE);
            openings.addAll(List.of(ErrorCode.UNAVAILABLE, ErrorCode.DEADLINE_EXCEEDED, ErrorCode.ABORTED));
            run(s, RunOptions.none());
            assertEquals(1, s.recoveries());
            assertEquals(2, started.get());
            assertTrue(first.closed);
        }
    }

    @Test
    void anErrorThatIsNoLossIsTheUsersAndSoIsOneOfOpening() {
        try (SupervisedSession s = supervised(LONG)) {
            first.runs.add(ErrorCode.INVALID_ARGUMENT);
            assertEquals(
                    ErrorCode.INVALID_ARGUMENT, failure(s, RunOptions.none()).code());
            first.runs.add(ErrorCode.ABORTED);
            openings.add(ErrorCode.UNAUTHENTICATED);
            assertEquals(
                    ErrorCode.UNAUTHENTICATED, failure(s, RunOptions.none()).code());
            run(s, RunOptions.none()); // what failed is tried again by the next run
            assertEquals(1, s.recoveries());
        }
    }

    @Test
    void anOpeningThatHangsEndsWithThePatienceAndTheNextRunTriesAgain() {
        openingHangs = true;
        try (SupervisedSession s = supervised(SHORT)) {
            first.runs.add(ErrorCode.UNAVAILABLE);
            OxbowException e = failure(s, RunOptions.none());
            assertEquals(ErrorCode.UNAVAILABLE, e.code(), e.getMessage());
            assertEquals(
                    "Session: it could not be opened again within PT0.3S: the test says so", e.text(), e.getMessage());
            openingHangs = false;
            for (int i = 0; s.recoveries() == 0; i++) // a machine may have no time for it within the patience
            try {
                    run(s, RunOptions.none());
                } catch (OxbowException again) {
                    if (i == 20 || again.code() != ErrorCode.UNAVAILABLE) throw again;
                }
            assertEquals(1, s.recoveries());
        }
    }

    @Test
    void whoWaitsForASessionGivesUpByDeadlineTokenInterruptAndClose() throws Exception {
        openingHangs = true;
        SupervisedSession s = supervised(LONG);
        first.runs.add(ErrorCode.UNAVAILABLE);
        OxbowException late = failure(s, RunOptions.timeout(Duration.ofMillis(100)));
        assertEquals(ErrorCode.DEADLINE_EXCEEDED, late.code());
        assertEquals("Session: it was not open again within the 100 ms of the run", late.text());
        Cancellation token = new Cancellation();
        Thread.ofVirtual().start(() -> token.cancel(ErrorCode.CANCELLED, "enough"));
        assertEquals("enough", failure(s, new RunOptions(null, token)).text());
        Thread.currentThread().interrupt();
        assertEquals(ErrorCode.CANCELLED, failure(s, RunOptions.none()).code());
        assertTrue(Thread.interrupted());
        hangs.await();
        CompletableFuture<OxbowException> end = new CompletableFuture<>();
        CountDownLatch runs = new CountDownLatch(1);
        Thread.ofVirtual().start(() -> {
            runs.countDown();
            end.complete(failure(s, RunOptions.none()));
        });
        runs.await();
        s.close();
        assertTrue(List.of(ErrorCode.CANCELLED, ErrorCode.FAILED_PRECONDITION) // where it had not begun to wait
                .contains(end.get(30, TimeUnit.SECONDS).code()));
        assertEquals(
                ErrorCode.FAILED_PRECONDITION, failure(s, RunOptions.none()).code());
        assertEquals(2, opened.get(), "one attempt for all who waited");
    }
}
