package dev.oxbow.collective.failure;

import static dev.oxbow.tensor.ErrorCode.DATA_LOSS;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.tensor.ErrorCode;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.OxbowException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Reads a note that came from a peer, checking every length and number. */
public final class NoteReader {
    static final int AGREE = 1;
    static final int ABORT = 2;
    static final int ASK = 3;
    static final int ANSWERED = 4;
    static final int SENTENCE = 5;
    static final int JOIN = 6;
    static final int FORM = 7;

    private static final Status.State[] STATES = Status.State.values();
    private static final Cause.Type[] TYPES = Cause.Type.values();
    private static final ErrorCode[] CODES = ErrorCode.values();

    private final int jobSize;
    private long at;
    private long end;

    /** A reader for a job of {@code jobSize} ranks. */
    public NoteReader(int jobSize) {
        this.jobSize = jobSize;
    }

    public Note read(long address, int length) {
        at = address;
        end = address + length;
        int type = integer();
        long group = number();
        Note note = switch (type) {
            case AGREE -> new Note.Agree(group, number(), number(), bounded(31));
            case ABORT -> new Note.Abort(group, cause());
            case ASK -> new Note.Ask(group, number());
            case ANSWERED -> new Note.Answered(group, bounded(2) == 1, status());
            case SENTENCE -> new Note.Sentence(group, number(), CODES[bounded(CODES.length)], rankOrNone(), text());
            case JOIN -> new Note.Join(group, bounded(Integer.MAX_VALUE), ranks());
            case FORM -> new Note.Form(group, bounded(Integer.MAX_VALUE), ranks());
            default -> throw wrong("unknown type " + type);
        };
        require(at == end, DATA_LOSS, "note: %d bytes too many", end - at);
        return note;
    }

    private int integer() {
        if (end - at < 4) throw wrong("it ends too early");
        int value = Memory.getInt(at);
        at += 4;
        return value;
    }

    private long number() {
        if (end - at < 8) throw wrong("it ends too early");
        long value = Memory.getLong(at);
        at += 8;
        return value;
    }

    private int bounded(int limit) {
        int value = integer();
        if (value < 0 || value >= limit) throw wrong("a value of " + value + " where less than " + limit + " may be");
        return value;
    }

    private String text() {
        int length = integer();
        if (length < 0 || length > end - at) throw wrong("a text of " + length + " bytes in " + (end - at));
        byte[] bytes = new byte[length];
        MemorySegment.copy(Memory.ALL, Memory.BYTE, at, bytes, 0, length);
        at += length;
        return new String(bytes, StandardCharsets.UTF_8);
    }

    private int[] ranks() {
        int[] ranks = new int[bounded(NoteWriter.MAX_RANKS + 1)];
        for (int i = 0; i < ranks.length; i++) ranks[i] = bounded(jobSize);
        return ranks;
    }

    private Status status() {
        long key = number();
        int rank = bounded(jobSize);
        Status.State state = STATES[bounded(STATES.length)];
        List<String> fields = new ArrayList<>();
        for (int n = bounded(NoteWriter.MAX_FIELDS + 1); n > 0; n--) fields.add(text());
        long[] running = new long[bounded(NoteWriter.MAX_CALLS + 1)];
        for (int i = 0; i < running.length; i++) running[i] = number();
        String inside = text();
        int[] waitsFor = ranks(), lost = ranks();
        Cause cause = bounded(2) == 1 ? cause() : null;
        return new Status(key, rank, state, fields, running, inside, waitsFor, lost, cause);
    }

    private Cause cause() {
        Cause.Type type = TYPES[bounded(TYPES.length)];
        long key = number();
        String label = text();
        int origin = bounded(jobSize), culprit = rankOrNone();
        return new Cause(type, key, label, origin, culprit, text());
    }

    private int rankOrNone() {
        int rank = integer();
        if (rank < -1 || rank >= jobSize) throw wrong("rank " + rank + " of " + jobSize);
        return rank;
    }

    private static RuntimeException wrong(String what) {
        return new OxbowException(DATA_LOSS, "note: " + what);
    }
}
