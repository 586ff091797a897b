package dev.oxbow.collective;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import dev.oxbow.net.HostPort;
import dev.oxbow.net.Token;
import dev.oxbow.net.launch.ElasticJob;
import dev.oxbow.net.tcp.TcpConfig;
import dev.oxbow.net.tcp.TcpStore;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A process of a job whose processes come and go, and what the place where they meet tells it. */
@Timeout(300)
final class ElasticTest {
    private static final String TOKEN = "c0ffee".repeat(8), ME = "1:7:localhost";

    private final TcpStore place = TcpStore.serve(
            new HostPort("127.0.0.1", 0), 3, TcpConfig.LOOPBACK.withJob("test").withToken(Token.of(TOKEN)));
    private final LinkedBlockingQueue<String> told = new LinkedBlockingQueue<>();

    @AfterEach
    void close() {
        place.close();
    }

    private Elastic join() {
        return Elastic.join(Map.of(
                ElasticJob.WORKER,
                ME,
                ElasticJob.SIZE,
                "2",
                "OXBOW_RENDEZVOUS",
                place.address().toString(),
                "OXBOW_JOB",
                "test",
                "OXBOW_TOKEN",
                TOKEN));
    }

    private void put(String key, String value) {
        place.put(key, value.getBytes(StandardCharsets.UTF_8));
    }

    private String told() throws InterruptedException {
        String said = told.poll(120, TimeUnit.SECONDS);
        assertNotNull(said, "nothing is told");
        return said;
    }

    @Test
    void whoAsksLateIsToldOfThoseWhoHaveGone() throws Exception {
        put("gone", "0:3");
        try (Elastic job = join()) {
            job.whenGone((slot, life) -> told.add("first " + slot + ":" + life));
            assertEquals("first 0:3", told());
            job.whenGone((slot, life) -> told.add("second " + slot + ":" + life));
            assertEquals("second 0:3", told());
            put("gone", "0:9");
            assertEquals("second 0:9", told());
        }
    }

    @Test
    void whoAsksLateIsToldThatItsGenerationIsBroken() throws Exception {
        put("generation/1", "0 " + ME);
        try (Elastic job = join()) {
            assertEquals(1, job.meet(-1).orElseThrow().number());
            put("broken/1", "worker 0 is gone");
            job.whenBroken(why -> told.add("first: " + why));
            assertEquals("first: worker 0 is gone", told());
            job.whenBroken(why -> told.add("second: " + why));
            assertEquals("second: worker 0 is gone", told());
        }
    }
}
