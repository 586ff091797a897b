package dev.oxbow.parallel.ops;

import static dev.oxbow.tensor.ErrorCode.ABORTED;

import dev.oxbow.tensor.OxbowException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** Updates that the steps of a session leave to steps of their own: those of one part one after the other. Thread-safe. */
public final class LateUpdates {

    /*
     * Whoever reads or writes variables of a part waits until no update of it is under way. An update that nobody waits for and
     * that fails leaves its part as it was while others may be done, so that the variables are of no one step. The next who
     * waits is told, when nothing is under way any more, and with that it is forgotten: what comes after is a restart, or
     * a program that does not care.
     *
     * Callbacks run outside of the monitor.
     */

    /** What an update does; it tells its end once, on any thread. */
    @FunctionalInterface
    public interface Update {
        void run(Consumer<Throwable> then);
    }

    private record Late(Update update, Consumer<Throwable> then) {}

    private record Wait(String part, Consumer<Throwable> then) {}

    private final Map<String, Deque<Late>> parts = new HashMap<>();
    private final List<Wait> waits = new ArrayList<>();
    private OxbowException failed;

    /** Runs an update when those of its part before it have ended; {@code then} is told its end, or is null: then whoever waits next. */
    public void run(String part, Update update, Consumer<Throwable> then) {
        Late late = new Late(update, then);
        synchronized (this) {
            Deque<Late> before = parts.computeIfAbsent(part, _ -> new ArrayDeque<>());
            before.add(late);
            if (before.size() > 1) return;
        }
        begin(part, late);
    }

    private void begin(String part, Late late) {
        late.update.run(error -> ended(part, late, error));
    }

    private void ended(String part, Late late, Throwable error) {
        List<Runnable> after = new ArrayList<>();
        synchronized (this) {
            Deque<Late> left = parts.get(part);
            left.remove();
            Late next = left.peek();
            if (next == null) parts.remove(part);
            else after.add(() -> begin(part, next));
            if (error != null && late.then == null && failed == null)
                failed = new OxbowException(
                        ABORTED,
                        "an update that a step before has left behind failed, others of that step may be done: restore the"
                                + " state: " + error.getMessage(),
                        error);
            served(after);
            notifyAll();
        }
        if (late.then != null) late.then.accept(error);
        after.forEach(Runnable::run);
    }

    /** Waits until no update of a part is under way; what it gives takes the wait back. */
    public Runnable await(String part, Consumer<Throwable> then) {
        Wait w = new Wait(part, then);
        List<Runnable> after = new ArrayList<>();
        synchronized (this) {
            waits.add(w);
            served(after);
        }
        after.forEach(Runnable::run);
        return () -> {
            synchronized (this) {
                waits.remove(w);
            }
        };
    }

    private void served(List<Runnable> after) {
        for (Iterator<Wait> it = waits.iterator(); it.hasNext(); ) {
            Wait w = it.next();
            OxbowException why = failed;
            if (why == null && !parts.containsKey(w.part)) after.add(() -> w.then.accept(null));
            else if (why != null && parts.isEmpty()) after.add(() -> w.then.accept(why));
            else continue;
            it.remove();
            if (why != null) failed = null;
        }
    }

    /** Whether an update is under way. */
    public synchronized boolean isEmpty() {
        return parts.isEmpty();
    }

    /** Waits until no update is under way; each ends by the deadlines of what it waits for. */
    public synchronized void settle() {
        boolean interrupted = false;
        while (!parts.isEmpty()) {
            try {
                wait();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) Thread.currentThread().interrupt();
    }
}
