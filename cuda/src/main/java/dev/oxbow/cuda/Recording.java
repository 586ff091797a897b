package dev.oxbow.cuda;

import dev.oxbow.runtime.Order;
import dev.oxbow.tensor.OxbowException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What a region gave a card to do in one run, as graphs that do it again. All methods are called under the lock of the commands. */
final class Recording implements Order.Replay {

    /*
     * The first run goes as it comes: it compiles kernels and chooses algorithms, which must not happen while a graph is
     * made. The second is noted. Each later one is compared with the notes, entry by entry, and when a stretch of it has come to
     * its end its graph is launched: where the host takes part, as when it reads a value, one stretch ends and the next
     * begins. At the first entry that differs (a variable has moved, another branch is taken) those before it are put
     * into the stream one by one, the run goes on so and is noted, too: some runs take turns, as those of a loop, whose first one
     * reads other memory than the others. So a graph never has to be proven right: what surprises costs speed, not results.
     * Where runs keep differing, notes are taken more and more rarely. Numbers that are each run's own, such as where a random
     * stream stands, lie in memory that is written before the graph is launched.
     */

    private static final Logger log = LoggerFactory.getLogger(Recording.class);
    private static final int MOST_PATIENCE = 1 << 12;

    /** With fewer entries a graph is no faster. */
    private static final int LEAST_ENTRIES = 3;

    /** Different runs that are remembered, the last ones first. */
    private static final int MOST_VARIANTS = 4;

    private enum Mode {
        EAGER,
        NOTING,
        COMPARING
    }

    private record Stretch(List<Entry> entries, long executable) {}

    private final Commands commands;

    /** Runs that were noted before, each as its stretches; the one that is compared or noted is among them. */
    private final List<List<Stretch>> variants = new ArrayList<>();

    private List<Stretch> stretches = new ArrayList<>();
    private List<Entry> noted = new ArrayList<>();
    private Mode mode = Mode.EAGER;

    /** The stretch that is compared, and how many of its entries have been. */
    private int at;

    private int compared;

    /** Of the entries that have been, those whose values are this run's own, by their number. */
    private final Map<Integer, Entry> fresh = new TreeMap<>();

    /** Runs until one is noted, and how many it will be after the next surprise. */
    private int wait = 1;

    private int patience = 1;
    private boolean closed;

    Recording(Commands commands) {
        this.commands = commands;
    }

    @Override
    public void enter(boolean begins) {
        commands.enter(this, begins);
    }

    @Override
    public void leave(boolean ended) {
        commands.leave(this, ended);
    }

    void begin(boolean begins) {
        if (!begins) return;
        at = compared = 0;
        fresh.clear();
        noted = new ArrayList<>();
        if (!variants.isEmpty()) {
            stretches = variants.getFirst();
            mode = Mode.COMPARING;
        } else {
            stretches = new ArrayList<>();
            mode = commands.replays() && wait-- <= 0 ? Mode.NOTING : Mode.EAGER;
        }
    }

    void take(Entry e) {
        switch (mode) {
            case EAGER -> commands.issue(e);
            case NOTING -> {
                commands.issue(e);
                noted.add(e);
            }
            case COMPARING -> {
                if (isNext(stretches, e) || isNextOfAnother(e)) {
                    if (e instanceof Entry.Fresh) fresh.put(compared, e);
                    compared++;
                    commands.defer(this);
                } else {
                    differ();
                    take(e);
                }
            }
        }
    }

    private boolean isNext(List<Stretch> run, Entry e) {
        List<Entry> known = at < run.size() ? run.get(at).entries : List.of();
        return compared < known.size() && known.get(compared).isSame(e);
    }

    /** Takes another run to compare with, which has been the same so far and goes on with an entry; false where there is none. */
    private boolean isNextOfAnother(Entry e) {
        if (at > 0) return false;
        for (List<Stretch> v : variants) {
            if (v == stretches || !isNext(v, e)) continue;
            boolean same = true;
            for (int i = 0; i < compared && same; i++)
                same = v.getFirst()
                        .entries
                        .get(i)
                        .isSame(stretches.getFirst().entries.get(i));
            if (!same) continue;
            stretches = v;
            return true;
        }
        return false;
    }

    /** The host takes part: all that was given so far is put into the stream. */
    void interrupt() {
        switch (mode) {
            case EAGER -> {}
            case NOTING -> {
                if (!noted.isEmpty()) stretches.add(new Stretch(noted, 0));
                noted = new ArrayList<>();
            }
            case COMPARING -> {
                if (compared == 0) return;
                Stretch s = stretches.get(at);
                if (compared < s.entries.size()) {
                    differ();
                    interrupt();
                    return;
                }
                if (s.executable != 0) {
                    fresh.values().forEach(commands::issue);
                    commands.launchGraph(s.executable);
                } else issueCompared();
                commands.defer(null);
                at++;
                compared = 0;
                fresh.clear();
            }
        }
    }

    /** Somebody else must come after what was put off: this run goes on without graphs, the next may use them again. */
    void yield() {
        putInto();
        mode = Mode.EAGER;
    }

    private void putInto() {
        commands.defer(null);
        if (mode == Mode.COMPARING && at < stretches.size()) issueCompared();
        compared = 0;
        fresh.clear();
    }

    private void issueCompared() {
        List<Entry> known = stretches.get(at).entries;
        for (int i = 0; i < compared; i++) commands.issue(fresh.getOrDefault(i, known.get(i)));
    }

    /** What was put off is done; if it is time for that, this run is noted from its start. */
    private void differ() {
        List<Entry> before = new ArrayList<>();
        for (int i = 0; at == 0 && i < compared; i++)
            before.add(fresh.getOrDefault(i, stretches.getFirst().entries.get(i)));
        boolean late = at > 0, again = wait-- <= 0;
        putInto();
        mode = again && !late ? Mode.NOTING : Mode.EAGER;
        if (!again) return;
        if (late && variants.remove(stretches)) forget(stretches); // half of it is done: another run is noted
        stretches = new ArrayList<>();
        noted = before;
        wait = patience;
        patience = Math.min(MOST_PATIENCE, 4 * patience);
    }

    void end(boolean ended) {
        interrupt();
        if (!ended) return;
        if (mode == Mode.COMPARING && at < stretches.size()) {
            differ();
            interrupt();
        }
        if (mode == Mode.NOTING) capture();
        mode = Mode.EAGER;
        if (closed) forget();
    }

    private void capture() {
        if (stretches.isEmpty()) return;
        try {
            for (int i = 0; i < stretches.size(); i++) {
                List<Entry> entries = stretches.get(i).entries;
                if (entries.size() < LEAST_ENTRIES) continue;
                stretches.set(i, new Stretch(entries, Capture.of(commands, entries)));
            }
            variants.addFirst(stretches);
            if (variants.size() > MOST_VARIANTS) forget(variants.removeLast());
        } catch (OxbowException e) {
            log.warn("a region of {} stretches runs without a graph: {}", stretches.size(), e.getMessage());
            forget(stretches);
            forget();
            commands.renewCapturing();
            wait = patience = MOST_PATIENCE;
        }
    }

    private void forget() {
        variants.forEach(this::forget);
        variants.clear();
    }

    private void forget(List<Stretch> run) {
        boolean any = run.stream().anyMatch(s -> s.executable != 0);
        if (any) Driver.synchronize(commands.stream()); // one may be under way
        for (Stretch s : run) if (s.executable != 0) Driver.destroyExecutable(s.executable);
    }

    @Override
    public void close() {
        if (commands.isLost()) return;
        commands.outside(() -> {
            closed = true;
            forget();
            mode = Mode.EAGER;
        });
    }
}
