package dev.oxbow.net;

import static dev.oxbow.tensor.Memory.getInt;
import static dev.oxbow.tensor.Memory.getLong;
import static dev.oxbow.tensor.Memory.putInt;
import static dev.oxbow.tensor.Memory.putLong;

/**
 * The header in front of everything that goes over a link, 64 bytes, so that payloads stay aligned in shared memory:
 * {@code magic i32, kind i32, length i64, tag i64, id i64, reference i64, channel i64}, the rest zero, little-endian.
 */
final class Frame {
    static final int BYTES = 64;

    /** A message; its bytes follow. If it has a number, {@link #TAKEN} answers when they have been read. */
    static final int DATA = 1;

    /** A message that lies in memory which both sides see; nothing follows, and {@link #TAKEN} answers. */
    static final int SHARED = 2;

    /** The memory of a SHARED or a numbered DATA message is no longer needed. */
    static final int TAKEN = 3;

    /** A SHARED message must not be read any more; {@link #TAKEN} answers, unless it has already. */
    static final int REVOKED = 4;

    /** Bytes for the note handler follow. */
    static final int NOTE = 5;

    static final int HEARTBEAT = 6;

    /** The sender leaves in good order; nothing comes after this. */
    static final int GOODBYE = 7;

    private static final int MAGIC = 'O' | 'X' << 8 | 'M' << 16 | 1 << 24;

    private Frame() {}

    static void write(long at, int kind, long length, long tag, long id, long reference, long channel) {
        putInt(at, MAGIC);
        putInt(at + 4, kind);
        putLong(at + 8, length);
        putLong(at + 16, tag);
        putLong(at + 24, id);
        putLong(at + 32, reference);
        putLong(at + 40, channel);
        for (int i = 48; i < BYTES; i += 8) putLong(at + i, 0);
    }

    static int kind(long at) {
        return getInt(at + 4);
    }

    static long length(long at) {
        return getLong(at + 8);
    }

    static long tag(long at) {
        return getLong(at + 16);
    }

    static long id(long at) {
        return getLong(at + 24);
    }

    static long reference(long at) {
        return getLong(at + 32);
    }

    static long channel(long at) {
        return getLong(at + 40);
    }

    /** What is wrong with a header that came, or {@code null}. */
    static String fault(long at, long maxMessage) {
        if (getInt(at) != MAGIC) return "a frame that begins with 0x%08x".formatted(getInt(at));
        long length = length(at);
        return switch (kind(at)) {
            case DATA, SHARED ->
                length < 0 || length > maxMessage
                        ? "a message of %d bytes, the limit is %d".formatted(length, maxMessage)
                        : null;
            case NOTE ->
                length < 0 || length > Mesh.MAX_NOTE
                        ? "a note of %d bytes, the limit is %d".formatted(length, Mesh.MAX_NOTE)
                        : null;
            case TAKEN, REVOKED, HEARTBEAT, GOODBYE ->
                length != 0 ? "a frame of kind %d with %d bytes".formatted(kind(at), length) : null;
            default -> "a frame of unknown kind %d".formatted(kind(at));
        };
    }
}
