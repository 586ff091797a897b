package dev.oxbow.collective.algorithm;

/**
 * One rank's part in one collective: a state machine without threads. {@link #start} posts its first receives, then its
 * first sends; from then on the ends of messages drive it, until it calls {@link Exchange#finish}.
 */
public interface Algorithm {
    void start(Exchange exchange);
}
