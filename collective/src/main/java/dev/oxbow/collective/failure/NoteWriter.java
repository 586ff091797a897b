package dev.oxbow.collective.failure;

import dev.oxbow.net.Mesh;
import dev.oxbow.tensor.Memory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

/** Lays notes out in memory, little-endian; texts are cut where they are too long. */
public final class NoteWriter implements AutoCloseable {
    private static final int MAX_TEXT = 4000;
    static final int MAX_RANKS = 4096;
    static final int MAX_FIELDS = 16;
    public static final int MAX_CALLS = 64;

    private final Arena arena = Memory.arena();
    private final long start = Memory.address(arena.allocate(Mesh.MAX_NOTE, 64));
    private long at;

    public long address() {
        return start;
    }

    /** Writes a note and returns its length. */
    public int write(Note note) {
        at = start;
        switch (note) {
            case Note.Agree(long group, long key, long hash, int round) ->
                head(NoteReader.AGREE, group).number(key).number(hash).integer(round);
            case Note.Abort(long group, Cause cause) ->
                head(NoteReader.ABORT, group).cause(cause);
            case Note.Ask(long group, long key) -> head(NoteReader.ASK, group).number(key);
            case Note.Answered(long group, boolean asked, Status s) ->
                head(NoteReader.ANSWERED, group).integer(asked ? 1 : 0).status(s);
            case Note.Sentence s ->
                head(NoteReader.SENTENCE, s.group())
                        .number(s.key())
                        .integer(s.code().ordinal())
                        .integer(s.culprit())
                        .text(s.text(), MAX_TEXT);
            case Note.Join(long group, int attempt, int[] lost) ->
                head(NoteReader.JOIN, group).integer(attempt).ranks(lost);
            case Note.Form(long group, int attempt, int[] members) ->
                head(NoteReader.FORM, group).integer(attempt).ranks(members);
        }
        return (int) (at - start);
    }

    private NoteWriter head(int type, long group) {
        return integer(type).number(group);
    }

    private NoteWriter integer(int value) {
        Memory.putInt(at, value);
        at += 4;
        return this;
    }

    private NoteWriter number(long value) {
        Memory.putLong(at, value);
        at += 8;
        return this;
    }

    private NoteWriter text(String text, int limit) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        int length = Math.min(bytes.length, limit);
        integer(length);
        MemorySegment.copy(bytes, 0, Memory.ALL, Memory.BYTE, at, length);
        at += length;
        return this;
    }

    private NoteWriter ranks(int[] ranks) {
        int[] kept = ranks.length > MAX_RANKS ? Arrays.copyOf(ranks, MAX_RANKS) : ranks;
        integer(kept.length);
        for (int r : kept) integer(r);
        return this;
    }

    private void status(Status s) {
        number(s.key()).integer(s.rank()).integer(s.state().ordinal());
        List<String> fields = s.fields();
        integer(fields.size());
        for (String f : fields) text(f, 1000);
        int calls = Math.min(s.running().length, MAX_CALLS);
        integer(calls);
        for (int i = 0; i < calls; i++) number(s.running()[i]);
        text(s.inside(), 1000).ranks(s.waitsFor()).ranks(s.lost());
        integer(s.cause() == null ? 0 : 1);
        if (s.cause() != null) cause(s.cause());
    }

    private void cause(Cause c) {
        integer(c.type().ordinal()).number(c.key()).text(c.label(), 1000);
        integer(c.origin()).integer(c.culprit()).text(c.text(), MAX_TEXT);
    }

    @Override
    public void close() {
        arena.close();
    }
}
