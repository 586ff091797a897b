package dev.oxbow.cuda;

import static dev.oxbow.tensor.ErrorCode.UNAVAILABLE;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.tensor.OxbowException;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One card of this machine as one engine sees it: its context, its stream and what was made for it are the whole process's, faults are its own. */
final class Card {
    private static final Logger log = LoggerFactory.getLogger(Card.class);
    private static final int MULTIPROCESSORS = 16;
    private static final int MAJOR = 75;
    private static final int MINOR = 76;
    private static final int MEETS = 95;

    /** The first generation with all that kernels use. */
    private static final int LEAST_MAJOR = 8;

    /** Whose context the thread is in. Contexts are the system's threads', so virtual threads ask anew each time. */
    private static final ThreadLocal<Long> ENTERED = new ThreadLocal<>();

    private static final Map<Integer, Card> CARDS = new ConcurrentHashMap<>();

    final int ordinal;
    final String name;
    final int major;
    final int minor;
    final int multiprocessors;
    final long memoryInBytes;
    final Sources sources;
    final Commands commands;
    final Faults faults;
    final CudaSpace space;
    private final long farWord;
    private final long context;
    private final Slots slots;
    private final Slots cells;

    /** The card that all engines share. */
    private final Card shared;

    /** Counters by which blocks of a kernel meet: 0 whenever none of theirs runs. */
    private static final int TICKETS = 1 << 16;

    private final long tickets;
    private final boolean meets;
    private final AtomicLong given = new AtomicLong();

    /** Kernels by what their text is made of. */
    private final Map<Object, Long> known = new ConcurrentHashMap<>();

    /** Why nothing works here any more; null while it does. */
    private volatile String lost;

    private Blas blas;
    private Optional<DnnRunner> dnn;

    private Card(int ordinal) {
        this.ordinal = ordinal;
        int card = Driver.card(ordinal);
        this.name = Driver.name(card);
        this.major = Driver.attribute(card, MAJOR);
        this.minor = Driver.attribute(card, MINOR);
        require(
                major >= LEAST_MAJOR,
                UNAVAILABLE,
                "CUDA: card %d (%s) has compute capability %d.%d, and kernels need %d.0",
                ordinal,
                name,
                major,
                minor,
                LEAST_MAJOR);
        this.multiprocessors = Driver.attribute(card, MULTIPROCESSORS);
        this.memoryInBytes = Driver.totalMemory(card);
        this.context = Driver.context(card);
        enter();
        this.sources = new Sources(architecture(), Sources.userFolder());
        this.commands = new Commands(this);
        this.space = new CudaSpace(this);
        this.slots = new Slots("engines", Driver::allocate, Driver::allocatePinned);
        this.cells = new Slots("random nodes", Driver::allocate);
        this.meets = Driver.attribute(card, MEETS) == 1;
        this.tickets = Driver.allocate(4L * TICKETS);
        commands.outside(() -> Driver.fill(tickets, (byte) 0, 4L * TICKETS, commands.stream()));
        this.shared = this;
        this.faults = null;
        this.farWord = 0;
    }

    private Card(Card shared) {
        this.ordinal = shared.ordinal;
        this.name = shared.name;
        this.major = shared.major;
        this.minor = shared.minor;
        this.multiprocessors = shared.multiprocessors;
        this.memoryInBytes = shared.memoryInBytes;
        this.context = shared.context;
        this.sources = shared.sources;
        this.commands = shared.commands;
        this.space = shared.space;
        this.slots = shared.slots;
        this.cells = shared.cells;
        this.tickets = shared.tickets;
        this.meets = shared.meets;
        this.shared = shared;
        this.faults = new Faults(this, slots.take(this));
        this.farWord = cell(this);
    }

    /**
     * The place of so many counters that are 0. Others may be given the same, so whoever uses them says that it writes
     * there; 0 for more than there are.
     */
    long tickets(long count) {
        if (count > TICKETS) return 0;
        long from = shared.given.getAndAdd(count) % TICKETS;
        return tickets + 4 * Math.min(from, TICKETS - count);
    }

    /** Whether blocks of a kernel may wait for each other. */
    boolean meets() {
        return meets;
    }

    /**
     * The counter by which all blocks of one kernel meet. It is the same for all such kernels, so no two of them run side by
     * side, where each could wait for blocks for which the other leaves no room.
     */
    long meeting() {
        return tickets;
    }

    /** A place of 64 bytes on the card until {@code owner} can not be reached any more. */
    long cell(Object owner) {
        return cells.take(owner).getFirst();
    }

    /** A place for another card's word of faults. */
    long farWord() {
        return farWord;
    }

    /** The same card with faults of its own. */
    Card forEngine() {
        return new Card(shared);
    }

    /** A card by its number. */
    static Card of(int ordinal) {
        return CARDS.computeIfAbsent(ordinal, Card::new);
    }

    /** What kernels are compiled for; from Hopper on with what only that very generation has. */
    String architecture() {
        return "sm_%d%d%s".formatted(major, minor, major >= 9 ? "a" : "");
    }

    /** Notes that the card of the calling thread, or of whom nothing is known all of them, is lost; the error that says so from now on. */
    static OxbowException lost(String error) {
        Long entered = Thread.currentThread().isVirtual() ? null : ENTERED.get();
        String text = "CUDA: " + error;
        for (Card c : CARDS.values()) {
            if (entered != null && c.context != entered) continue;
            if (c.lost == null)
                c.lost = "CUDA: card %d (%s) is lost: %s; restart the process to use it again"
                        .formatted(c.ordinal, c.name, error);
            text = c.lost;
        }
        return new OxbowException(UNAVAILABLE, text);
    }

    /** Whether nothing works here any more. */
    boolean isLost() {
        return shared.lost != null;
    }

    /** Has the calling thread work with this card; fails where that is lost. */
    void enter() {
        if (shared != null && shared.lost != null) throw new OxbowException(UNAVAILABLE, shared.lost);
        if (Thread.currentThread().isVirtual()) {
            Driver.enter(context);
            return;
        }
        Long entered = ENTERED.get();
        if (entered != null && entered == context) return;
        Driver.enter(context);
        ENTERED.set(context);
    }

    long context() {
        return context;
    }

    /** Products, made when they are first wanted. */
    Blas blas() {
        return shared.madeBlas();
    }

    private synchronized Blas madeBlas() {
        if (blas == null) {
            enter();
            blas = new Blas(this);
        }
        return blas;
    }

    /** What cuDNN does, made when it is first wanted; null where there is none. */
    DnnRunner dnn() {
        return shared.madeDnn();
    }

    private synchronized DnnRunner madeDnn() {
        if (dnn != null) return dnn.orElse(null);
        String missing = Libraries.missingDnn();
        dnn = Optional.empty();
        try {
            enter();
            if (missing == null) dnn = Optional.of(new DnnRunner(this));
        } catch (OxbowException e) {
            missing = e.getMessage();
        }
        if (missing != null) log.info("{}; convolutions are products", missing);
        return dnn.orElse(null);
    }

    /** The kernel {@code entry} of a source. */
    long function(String source, String entry) {
        enter();
        return sources.function(source, entry);
    }

    /** The kernel {@code entry} of the source that a key stands for, which is not written down each time. */
    long function(Object key, String entry, Supplier<String> source) {
        Long known = shared.known.get(key);
        if (known != null) return known;
        long made = function(source.get(), entry);
        shared.known.put(key, made);
        return made;
    }

    @Override
    public String toString() {
        return "GPU:%d (%s, %s, %,d MB)".formatted(ordinal, name, architecture(), memoryInBytes >> 20);
    }
}
