package dev.oxbow.net;

import static dev.oxbow.tensor.ErrorCode.DEADLINE_EXCEEDED;
import static dev.oxbow.tensor.ErrorCode.RESOURCE_EXHAUSTED;
import static dev.oxbow.tensor.ErrorCode.UNAVAILABLE;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.tensor.OxbowException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** A store inside one process, for ranks that are threads. */
public final class MemoryStore implements Store {
    private final Map<String, byte[]> values = new HashMap<>();
    private final Map<String, Long> counters = new HashMap<>();
    private boolean closed;

    @Override
    public synchronized void put(String key, byte[] value) {
        Store.check(key, value);
        checkOpen();
        checkRoom(values, key);
        values.put(key, value.clone());
        notifyAll();
    }

    @Override
    public synchronized byte[] get(String key, Duration timeout) {
        Store.check(key);
        long end = System.nanoTime() + timeout.toNanos();
        while (true) {
            checkOpen();
            byte[] value = values.get(key);
            if (value != null) return value.clone();
            long left = end - System.nanoTime();
            require(left > 0, DEADLINE_EXCEEDED, "store: nobody has put %s within %s", key, timeout);
            try {
                TimeUnit.NANOSECONDS.timedWait(this, left);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new OxbowException(DEADLINE_EXCEEDED, "store: the wait for " + key + " was interrupted", e);
            }
        }
    }

    @Override
    public synchronized Optional<byte[]> find(String key) {
        Store.check(key);
        checkOpen();
        return Optional.ofNullable(values.get(key)).map(byte[]::clone);
    }

    @Override
    public synchronized long add(String key, long delta) {
        Store.check(key);
        checkOpen();
        checkRoom(counters, key);
        return counters.merge(key, delta, Long::sum);
    }

    @Override
    public synchronized void close() {
        closed = true;
        notifyAll();
    }

    private void checkOpen() {
        require(!closed, UNAVAILABLE, "store: it was closed");
    }

    private static void checkRoom(Map<String, ?> map, String key) {
        require(
                map.size() < MAX_KEYS || map.containsKey(key),
                RESOURCE_EXHAUSTED,
                "store: no room for %s: it holds %d keys, at most %d are allowed",
                key,
                map.size(),
                MAX_KEYS);
    }
}
