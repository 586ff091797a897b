package dev.oxbow.net;

/** Takes the bytes of a message piece by piece, in order, where they arrived. */
@FunctionalInterface
public interface Sink {
    /** Pieces begin at a multiple of 64 bytes of the message; the memory is the transport's and is valid during the call only. */
    void accept(long address, long offset, long length);
}
