package dev.oxbow.data.pipeline;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

/**
 * What a feed may use.
 *
 * @param threads that compute; 0 for the one that takes elements
 * @param elements computed ahead at most
 * @param bytes of elements computed ahead at most, of which one may be larger
 */
record Limits(int threads, int elements, long bytes) {

    Limits {
        require(threads >= 0, INVALID_ARGUMENT, "input: needs 0 threads or more, got %d", threads);
        require(elements > 0, INVALID_ARGUMENT, "input: must be allowed to prefetch an element, got %d", elements);
        require(bytes > 0, INVALID_ARGUMENT, "input: must be allowed to hold a byte, got %d", bytes);
    }

    static Limits ofMachine() {
        int threads = Runtime.getRuntime().availableProcessors();
        return new Limits(threads, 8 + 2 * threads, 256L << 20);
    }
}
