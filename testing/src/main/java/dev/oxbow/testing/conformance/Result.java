package dev.oxbow.testing.conformance;

import java.time.Duration;
import java.util.Set;

/** How a case went. */
public sealed interface Result {
    /** The case's folder in the archive. */
    String name();

    /** Every run gave what TensorFlow gave. */
    record Passed(String name, Duration time) implements Result {}

    /** The engine has the ops, and answered something else. */
    record Failed(String name, Duration time, String reason) implements Result {}

    /** The case was not run: the engine lacks these ops. */
    record Blocked(String name, Set<String> missing) implements Result {}
}
