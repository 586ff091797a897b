package dev.oxbow.net;

import static dev.oxbow.tensor.ErrorCode.INTERNAL;
import static dev.oxbow.tensor.ErrorCode.UNAVAILABLE;

import dev.oxbow.tensor.OxbowException;

/**
 * A reliable, ordered pipe of bytes to and from one peer that never blocks. One thread at a time uses it. A method that
 * finds the pipe broken throws an {@code UNAVAILABLE} error that says how it broke; the caller then closes the link.
 */
public interface Link {
    /** Takes up to {@code length} bytes from {@code address} and returns how many it took: 0 when the pipe is full. */
    long write(long address, long length);

    /** Whether {@link #splice} is the better way to send this memory at present. */
    default boolean splices(long address, long length) {
        return false;
    }

    /** Writes as {@link #write} does, without copying: the memory must stay as it is until the peer has read it. */
    default long splice(long address, long length) {
        throw new OxbowException(INTERNAL, "the link to %s can not splice".formatted(peer()));
    }

    /** Makes memory that was spliced free to change, whatever of it the peer has still to read. */
    default void detach(long address, long length) {}

    /** Sends what earlier writes left in a buffer, as far as the pipe has room; whether nothing is left. */
    boolean flush();

    /** How many received bytes lie in one piece at {@link #address}: 0 when nothing has come. Fetches more if it had none. */
    long available();

    /** The same, but a link that can put more behind what it has fetches more already when it has less than {@code wanted}. */
    default long available(int wanted) {
        return available();
    }

    /** Where the bytes counted by {@link #available} begin; they stay there until {@link #skip} or {@link #read}. */
    long address();

    /** Gives back the first {@code length} of the available bytes. */
    void skip(long length);

    /** Moves up to {@code length} received bytes to {@code address}, past the pipe's own buffer where it can; how many. */
    long read(long address, long length);

    /** A number under which the peer can see this memory in place, or -1 where it can not. */
    default long share(long address, long length) {
        return -1;
    }

    /** Where memory that the peer shared lies on this side; fails when it is not wholly inside what the peer shares. */
    default long shared(long reference, long length) {
        throw new OxbowException(INTERNAL, "refers to memory, but this link shares none").of(peer());
    }

    /** Whether the peer has given up this link, so that memory it shared may have been used for something else. */
    default boolean isEnding() {
        return false;
    }

    /** Who is at the other end, for messages: {@code rank 3 at 10.0.0.7:4711}. */
    String peer();

    /** An error that is the peer's doing, such as {@code closed the connection}. */
    default OxbowException broken(String how) {
        return new OxbowException(UNAVAILABLE, how).of(peer());
    }

    /** Ends the pipe; what was written and flushed still arrives where that is possible. */
    void close();
}
