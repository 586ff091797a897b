package dev.oxbow.cuda;

import dev.oxbow.tensor.Memory;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;

/** Puts work into the stream of a card, in the order of the calls. Thread-safe. */
final class Commands {

    /*
     * Whoever runs a region that was seen before does not put its entries into the stream, but compares them with what it
     * remembers, and launches all of them at once in the end (Recording). What other threads do must not overtake them: memory
     * that such an entry still reads may be theirs already. So whoever comes from outside has the entries that were put off
     * done first, one by one; their region goes on without its memory for this run.
     */

    private static final int MOST_ARGUMENTS = 256;

    /** What a structure may take: the 4 KB that every driver passes to a kernel. */
    static final int MOST_WORDS = 511;

    private final Card card;
    private final long stream;
    private long capturing;
    private final long slots;
    private final ThreadLocal<Recording> current = new ThreadLocal<>();
    private Recording deferring;
    private final Profile profile = Profile.wanted();
    private long launches;
    private long graphs;

    /** The context must be entered. */
    Commands(Card card) {
        this.card = card;
        this.stream = Driver.stream();
        this.capturing = Driver.stream();
        this.slots =
                Arena.global().allocate(ValueLayout.JAVA_LONG, MOST_WORDS + 1).address();
    }

    long stream() {
        return stream;
    }

    /** A stream for what is noted, not done. */
    long capturing() {
        return capturing;
    }

    /** Up to how many blocks kernels of graphs come before those that they follow have ended; 0 where none do. */
    int earlyBlocks() {
        return Early.isThere(card.major) ? card.multiprocessors : 0;
    }

    /** Takes another one, after a capture that failed. */
    void renewCapturing() {
        capturing = Driver.stream();
    }

    /** Writes arguments down for a launch; gives the address of their addresses. Only under this object's lock. */
    long pointers(long[] arguments) {
        if (arguments.length > MOST_ARGUMENTS)
            throw new IllegalArgumentException("a kernel with " + arguments.length + " arguments");
        long pointers = slots + 8L * MOST_ARGUMENTS;
        for (int i = 0; i < arguments.length; i++) {
            Memory.putLong(slots + 8L * i, arguments[i]);
            Memory.putLong(pointers + 8L * i, slots + 8L * i);
        }
        return pointers;
    }

    /** Does something after all that was given before. */
    synchronized void run(Entry e) {
        card.enter();
        Recording mine = current.get();
        if (deferring != null && deferring != mine) deferring.yield();
        if (mine == null) issue(e);
        else mine.take(e);
    }

    void launch(
            String name, long function, long gridX, long gridY, int threads, long[] arguments, Entry.Touched touched) {
        run(new Entry.Launch(
                name, function, Math.toIntExact(gridX), Math.toIntExact(gridY), threads, arguments, touched, null));
    }

    /** Writes the one argument of a launch down, a structure; gives the address of its address. Only under this object's lock. */
    long structure(long[] block) {
        if (block.length > MOST_WORDS) throw new IllegalArgumentException("a structure of " + block.length + " words");
        for (int i = 0; i < block.length; i++) Memory.putLong(slots + 8L * (i + 1), block[i]);
        Memory.putLong(slots, slots + 8);
        return slots;
    }

    /** Does something with the stream that is no entry, such as copying from the host, after all that was given before. */
    synchronized void outside(Runnable work) {
        card.enter();
        Recording mine = current.get();
        if (deferring != null && deferring != mine) deferring.yield();
        if (mine != null) mine.interrupt();
        work.run();
    }

    /** Does something with the stream, unless a region has entries that are put off; whether it was done. */
    synchronized boolean ifNothingIsDeferred(Runnable work) {
        if (deferring != null) return false;
        card.enter();
        work.run();
        return true;
    }

    /** Puts an entry into the stream. Only under this object's lock. */
    void issue(Entry e) {
        launches++;
        if (profile == null) e.issue(this, stream);
        else profile.time(e, () -> e.issue(this, stream), stream);
    }

    /** Puts a whole graph into the stream. Only under this object's lock. */
    void launchGraph(long executable) {
        graphs++;
        Driver.launchGraph(executable, stream);
    }

    /** Says who has entries that are put off; null for nobody. Only under this object's lock. */
    void defer(Recording r) {
        deferring = r;
    }

    /** Whether the card does nothing any more. */
    boolean isLost() {
        return card.isLost();
    }

    /** Whether graphs are made: a profile wants to see entries one by one. */
    boolean replays() {
        return profile == null;
    }

    synchronized void enter(Recording r, boolean begins) {
        card.enter();
        current.set(r);
        r.begin(begins);
    }

    synchronized void leave(Recording r, boolean ended) {
        try {
            card.enter();
            r.end(ended);
        } finally {
            current.remove();
        }
    }

    /** Entries that went into the stream one by one, so far. */
    synchronized long launches() {
        return launches;
    }

    /** Graphs that were launched so far. */
    synchronized long graphs() {
        return graphs;
    }
}
