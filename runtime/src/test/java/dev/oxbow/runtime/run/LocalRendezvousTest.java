package dev.oxbow.runtime.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.ErrorCode;
import dev.oxbow.tensor.MemoryPool;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Sends and receives of one step meet once, in either order. */
@Timeout(300)
final class LocalRendezvousTest {
    private final LocalRendezvous rendezvous = new LocalRendezvous();
    private final MemoryPool memory = new MemoryPool("test", Long.MAX_VALUE);
    private final List<Object> got = new ArrayList<>();

    private Tensor tensor() {
        return memory.tensor(DType.F32, Shape.of(1000), "test");
    }

    private void receive(String key) {
        rendezvous.receive(key, (value, error) -> got.add(error != null ? error : value == null ? "dead" : value));
    }

    @Test
    void aValueMeetsItsReceiverWhicheverComesFirst() {
        Tensor a = tensor(), b = tensor();
        rendezvous.send("a", a);
        receive("a");
        receive("b");
        rendezvous.send("b", b);
        assertEquals(List.of(a, b), got);
    }

    @Test
    void theNewsThatAValueIsDeadIsHandedOver() {
        rendezvous.send("a", null);
        receive("a");
        receive("b");
        rendezvous.send("b", null);
        assertEquals(List.of("dead", "dead"), got);
    }

    @Test
    void oneKeyIsSentAndReceivedOnce() {
        rendezvous.send("a", Tensor.scalar(1f));
        OxbowException e = assertThrows(OxbowException.class, () -> rendezvous.send("a", Tensor.scalar(2f)));
        assertEquals(ErrorCode.INTERNAL, e.code());
        assertEquals("Rendezvous: key a was sent twice", e.getMessage());
        receive("b");
        e = assertThrows(OxbowException.class, () -> receive("b"));
        assertEquals("Rendezvous: key b is received twice", e.getMessage());
    }

    @Test
    void theEndOfAStepEndsWaitsAndFreesWhatNobodyTook() {
        rendezvous.send("a", tensor());
        receive("b");
        assertTrue(memory.bytesInUse() > 0);
        OxbowException why = new OxbowException(ErrorCode.CANCELLED, "enough");
        rendezvous.end(why);
        assertEquals(0, memory.bytesInUse());
        rendezvous.send("c", tensor());
        assertEquals(0, memory.bytesInUse(), "what comes late is freed too");
        receive("a");
        assertEquals(List.of(why, why), got);
        rendezvous.end(new OxbowException(ErrorCode.INTERNAL, "later"));
        receive("d");
        assertSame(why, got.getLast(), "the first reason stays");
    }

    @Test
    void aStepThatEndedWellSaysSo() {
        rendezvous.end(null);
        receive("a");
        OxbowException e = (OxbowException) got.getFirst();
        assertEquals(ErrorCode.ABORTED, e.code());
        assertEquals("the step has ended", e.getMessage());
    }

    @Test
    void aValueThatWillNotComeIsRefusedUnlessItIsThere() {
        OxbowException why = new OxbowException(ErrorCode.CANCELLED, "not fed");
        Tensor a = tensor();
        rendezvous.send("a", a);
        rendezvous.refuse("a", why);
        receive("a");
        receive("b");
        rendezvous.refuse("b", why);
        rendezvous.refuse("c", why);
        receive("c");
        assertEquals(List.of(a, why, why), got);
    }

    @Test
    void threadsThatSendAndReceiveAtOnceLoseNothing() throws Exception {
        int keys = 2000;
        CountDownLatch received = new CountDownLatch(keys);
        ConcurrentLinkedQueue<Throwable> errors = new ConcurrentLinkedQueue<>();
        try (ExecutorService threads = Executors.newFixedThreadPool(2)) {
            threads.execute(() -> {
                for (int i = 0; i < keys; i++) rendezvous.send("k" + i, Tensor.scalar((float) i));
            });
            threads.execute(() -> {
                for (int i = 0; i < keys; i++) {
                    int expected = i;
                    rendezvous.receive("k" + i, (value, error) -> {
                        if (error != null || value.floats()[0] != expected)
                            errors.add(new AssertionError(expected + ": " + value, error));
                        received.countDown();
                    });
                }
            });
        }
        assertTrue(received.await(30, TimeUnit.SECONDS));
        assertNull(errors.peek());
    }
}
