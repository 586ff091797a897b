package dev.oxbow.net;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;

/** A small table that every rank of a job can reach before the ranks know each other. Thread-safe. */
public interface Store extends AutoCloseable {
    /** The longest key, in bytes of UTF-8. */
    int MAX_KEY = 256;

    /** The longest value. */
    int MAX_VALUE = 64 << 10;

    /** The most keys that a store holds. */
    int MAX_KEYS = 1 << 16;

    /** Sets a value; the last one stays. */
    void put(String key, byte[] value);

    /** The value as soon as somebody has put one; {@code DEADLINE_EXCEEDED} when nobody has within the timeout. */
    byte[] get(String key, Duration timeout);

    /** The value if there is one by now. */
    Optional<byte[]> find(String key);

    /** Adds to a counter that begins at 0, atomically, and returns the sum. Counters and values have separate names. */
    long add(String key, long delta);

    /** Takes back what only this rank offered; a served store then answers nobody any more. */
    @Override
    void close();

    /** Fails unless the key is within the bounds of every store. */
    static void check(String key) {
        int bytes = key.getBytes(StandardCharsets.UTF_8).length;
        require(
                bytes > 0 && bytes <= MAX_KEY,
                INVALID_ARGUMENT,
                "store: a key has 1 to %d bytes, got %d",
                MAX_KEY,
                bytes);
    }

    /** Fails unless key and value are within the bounds of every store. */
    static void check(String key, byte[] value) {
        check(key);
        require(
                value.length <= MAX_VALUE,
                INVALID_ARGUMENT,
                "store: the value of %s has %d bytes, at most %d are allowed",
                key,
                value.length,
                MAX_VALUE);
    }
}
