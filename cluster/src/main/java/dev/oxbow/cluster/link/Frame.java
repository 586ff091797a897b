package dev.oxbow.cluster.link;

import static dev.oxbow.tensor.Memory.getInt;
import static dev.oxbow.tensor.Memory.getLong;
import static dev.oxbow.tensor.Memory.putInt;
import static dev.oxbow.tensor.Memory.putLong;

/** The 32 bytes in front of everything that goes by a link: {@code magic i32, kind i32, id i64, number i64, length i64}. */
final class Frame {
    static final int BYTES = 32;

    /** Who dials, and which life of it: a name, and the incarnation as number. */
    static final int HELLO = 1;

    /** The name of a ring, for who is dialled to write to. */
    static final int LANE = 2;

    /** Whether the ring was found: 1 or 0. */
    static final int LANE_FOUND = 3;

    /** The key of a value of the step that the number is. */
    static final int WANT = 4;

    /** The value is not wanted any more. */
    static final int CANCEL = 5;

    /** A TensorProto. The number is 0 where that is all, the bytes that follow as DATA, or -1 where the value is dead. */
    static final int HAS = 6;

    /** The value will not come: an ErrorPlace, with the code as number. */
    static final int ERROR = 7;

    /** Bytes of a value from the number on. */
    static final int DATA = 8;

    static final int HEARTBEAT = 9;

    /** There is something in the ring, or room. */
    static final int BELL = 10;

    /** The sender leaves in good order. */
    static final int GOODBYE = 11;

    /** The longest piece of DATA: what may come between a small value and its reader. */
    static final int PIECE = 1 << 20;

    /** Longer contents come as DATA. */
    static final int INLINE = 1 << 14;

    private static final int MAGIC = 'O' | 'X' << 8 | 'L' << 16 | 1 << 24;
    private static final long LONGEST_NAME = 64 << 10;

    private Frame() {}

    static void write(long at, int kind, long id, long number, long length) {
        putInt(at, MAGIC);
        putInt(at + 4, kind);
        putLong(at + 8, id);
        putLong(at + 16, number);
        putLong(at + 24, length);
    }

    static int kind(long at) {
        return getInt(at + 4);
    }

    static long id(long at) {
        return getLong(at + 8);
    }

    static long number(long at) {
        return getLong(at + 16);
    }

    static long length(long at) {
        return getLong(at + 24);
    }

    /** What is wrong with a header that came, or null. */
    static String fault(long at) {
        if (getInt(at) != MAGIC) return "a frame that begins with 0x%08x".formatted(getInt(at));
        long length = length(at), most = most(kind(at));
        if (most < 0) return "a frame of unknown kind %d".formatted(kind(at));
        if (length < 0 || length > most)
            return "a frame of kind %d with %d bytes, the limit is %d".formatted(kind(at), length, most);
        return null;
    }

    private static long most(int kind) {
        return switch (kind) {
            case HELLO, LANE, WANT, ERROR -> LONGEST_NAME;
            case HAS -> Integer.MAX_VALUE - BYTES; // text, which has no content to send apart
            case DATA -> PIECE;
            case LANE_FOUND, CANCEL, HEARTBEAT, BELL, GOODBYE -> 0;
            default -> -1;
        };
    }
}
