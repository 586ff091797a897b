package dev.oxbow.cluster.rpc;

import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/** What a server was asked and has answered so far, by method. */
public final class Traffic {

    /** Requests and answers of one method, and the bytes of the answers that are no errors. */
    public record Count(long requests, long answers, long answeredBytes) {
        Count minus(Count before) {
            return new Count(
                    requests - before.requests, answers - before.answers, answeredBytes - before.answeredBytes);
        }
    }

    private static final Count NONE = new Count(0, 0, 0);

    /** Counts one method. */
    public static final class Meter {
        private final LongAdder requests = new LongAdder();
        private final LongAdder answers = new LongAdder();
        private final LongAdder answeredBytes = new LongAdder();

        public void asked() {
            requests.increment();
        }

        public void answered(long bytes) {
            answers.increment();
            answeredBytes.add(bytes);
        }

        private Count count() {
            return new Count(requests.sum(), answers.sum(), answeredBytes.sum());
        }
    }

    private final Map<String, Meter> meters = new ConcurrentHashMap<>();

    public Meter meter(String method) {
        return meters.computeIfAbsent(method, _ -> new Meter());
    }

    /** What was counted so far, by method. */
    public Map<String, Count> counts() {
        Map<String, Count> all = new TreeMap<>();
        meters.forEach((name, m) -> all.put(name, m.count()));
        return all;
    }

    /** What was counted since. */
    public Map<String, Count> since(Map<String, Count> before) {
        Map<String, Count> all = new TreeMap<>();
        counts().forEach((name, c) -> all.put(name, c.minus(before.getOrDefault(name, NONE))));
        return all;
    }
}
