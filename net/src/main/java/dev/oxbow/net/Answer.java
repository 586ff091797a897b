package dev.oxbow.net;

import dev.oxbow.tensor.OxbowException;

/** The one answer to an operation that ends later. */
@FunctionalInterface
public interface Answer {
    /** Called once by the thread that steps the mesh: {@code null} when all went well. It may start further operations. */
    void ended(OxbowException error);
}
