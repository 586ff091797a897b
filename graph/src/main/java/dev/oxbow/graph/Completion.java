package dev.oxbow.graph;

/** The one answer of a kernel that completes later. Calling it again is an error of the kernel. */
public interface Completion {
    /** Every output has been given. */
    void done();

    void fail(Throwable error);
}
