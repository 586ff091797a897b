package dev.oxbow.data.pipeline;

import static dev.oxbow.tensor.ErrorCode.INTERNAL;

import dev.oxbow.tensor.OxbowException;

/** What is thrown where an element is computed: whoever waits for that element must get it, whatever it is. */
final class Failure {
    private Failure() {}

    /** The exception itself, or one around an error of the machine or a checked exception, which Kotlin and Scala throw anywhere. */
    static RuntimeException of(Throwable thrown) {
        return thrown instanceof RuntimeException e ? e : new OxbowException(INTERNAL, "input: " + thrown, thrown);
    }
}
