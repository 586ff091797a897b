package dev.oxbow.net;

import dev.oxbow.tensor.OxbowException;

/**
 * The messages between the ranks of a job over any {@link Transport}. A message has a tag and is matched with the receive
 * of the same peer and tag, in order. One thread at a time calls it; it never blocks, and moves only inside {@link #step}.
 */
public final class Mesh implements AutoCloseable {

    /** Told once about each peer that is gone. */
    @FunctionalInterface
    public interface LossListener {
        void lost(int peer, OxbowException why);
    }

    /** Takes a note that a peer sent without being asked; the memory is valid during the call only. */
    @FunctionalInterface
    public interface NoteHandler {
        void note(int from, long address, int length);
    }

    /** The longest note. */
    public static final int MAX_NOTE = 64 << 10;

    public Mesh(Transport transport, MeshConfig config, LossListener listener, NoteHandler notes) {
        throw new UnsupportedOperationException();
    }

    public int rank() {
        throw new UnsupportedOperationException();
    }

    public int size() {
        throw new UnsupportedOperationException();
    }

    public Transport transport() {
        throw new UnsupportedOperationException();
    }

    /** Sends memory that stays untouched until the answer; {@code deadline} is a value of the transport's clock. */
    public void send(int to, long tag, long address, long length, long deadline, Answer answer) {
        throw new UnsupportedOperationException();
    }

    /** Receives a message of exactly {@code length} bytes into memory. */
    public void receive(int from, long tag, long address, long length, long deadline, Answer answer) {
        throw new UnsupportedOperationException();
    }

    /** Receives a message of exactly {@code length} bytes through a sink, in place where the transport allows. */
    public void receive(int from, long tag, long length, Sink sink, long deadline, Answer answer) {
        throw new UnsupportedOperationException();
    }

    /** Sends a note of at most {@link #MAX_NOTE} bytes, copied before the call returns; dropped when the peer is gone. */
    public void note(int to, long address, int length) {
        throw new UnsupportedOperationException();
    }

    /** Why a peer is gone, or {@code null} while it is there. */
    public OxbowException loss(int peer) {
        throw new UnsupportedOperationException();
    }

    /** Moves everything that can move; whether anything did. */
    public boolean step() {
        throw new UnsupportedOperationException();
    }

    /** Nanoseconds until {@link #step} has something to do by the clock alone: a heartbeat, a deadline. */
    public long idleNanos() {
        throw new UnsupportedOperationException();
    }

    /** Says goodbye to every peer, ends every pending operation with {@code CANCELLED}, and closes the transport. */
    @Override
    public void close() {
        throw new UnsupportedOperationException();
    }
}
