package dev.oxbow.net.launch;

/** Takes what ranks print, line by line; called by many threads. */
@FunctionalInterface
public interface LineSink {
    /** A whole line without its end; {@code error} tells standard error from standard output. */
    void line(int rank, boolean error, String text);
}
