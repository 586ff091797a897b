package dev.oxbow.cluster.rpc;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What the timer of a server does, as its health checks, goes on whatever happens in it. */
@Timeout(300)
final class LoopsTest {
    @Test
    void whatFailedOnceIsDoneAgain() throws InterruptedException {
        CountDownLatch done = new CountDownLatch(3);
        try (Loops loops = new Loops("test", 1)) {
            loops.every(Duration.ofMillis(1), () -> {
                done.countDown();
                throw new IllegalStateException("this time it does not work");
            });
            assertTrue(done.await(50, TimeUnit.SECONDS), () -> done.getCount() + " more to come");
        }
    }
}
