package dev.oxbow.collective.keyed;

import dev.oxbow.graph.Cancellation;
import dev.oxbow.tensor.OxbowException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Future;
import java.util.function.BiConsumer;
import java.util.function.Function;

/** Some that wait until so many different devices have come; each may give up, by deadline or cancellation. */
final class Assembly<W, R> {

    /** One that has come. */
    private static final class Guest<W, R> {
        final W wish;
        final Cancellation cancellation;
        final BiConsumer<R, OxbowException> then;
        long registration = -1;
        Future<?> deadline;

        Guest(W wish, Cancellation cancellation, BiConsumer<R, OxbowException> then) {
            this.wish = wish;
            this.cancellation = cancellation;
            this.then = then;
        }

        void end(R result, OxbowException error) {
            if (registration >= 0) cancellation.unregister(registration);
            if (deadline != null) deadline.cancel(false);
            then.accept(result, error);
        }
    }

    private final int size;
    private final Function<List<W>, R> result;
    private final Map<String, List<Guest<W, R>>> guests = new LinkedHashMap<>();
    private boolean complete;

    /** {@code result} makes what all get of what they wish, or throws what all are told; while the last one is added. */
    Assembly(int size, Function<List<W>, R> result) {
        this.size = size;
        this.result = result;
    }

    synchronized boolean isComplete() {
        return complete;
    }

    synchronized boolean has(String device) {
        return guests.containsKey(device);
    }

    synchronized boolean isEmpty() {
        return guests.isEmpty();
    }

    int size() {
        return size;
    }

    synchronized Set<String> devices() {
        return Set.copyOf(guests.keySet());
    }

    /**
     * Adds a device; {@code late} says when it gives up, {@code error} with what. Gives what is left to do, which may call
     * others back.
     */
    Runnable add(
            String device,
            W wish,
            Cancellation cancellation,
            Function<Runnable, Future<?>> late,
            Function<Set<String>, OxbowException> error,
            BiConsumer<R, OxbowException> then) {
        Guest<W, R> g = new Guest<>(wish, cancellation, then);
        synchronized (this) {
            guests.computeIfAbsent(device, _ -> new ArrayList<>()).add(g);
            if (guests.size() == size) {
                complete = true;
                return ending();
            }
            if (cancellation != null) g.registration = cancellation.register(why -> drop(device, g, why));
            g.deadline = late.apply(() -> drop(device, g, error.apply(devices())));
        }
        return () -> {
            if (cancellation != null && g.registration < 0) drop(device, g, cancellation.reason());
        };
    }

    private void drop(String device, Guest<W, R> g, OxbowException why) {
        synchronized (this) {
            List<Guest<W, R>> of = guests.get(device);
            if (complete || of == null || !of.remove(g)) return;
            if (of.isEmpty()) guests.remove(device);
        }
        g.end(null, why);
    }

    /** All have come: nobody is added or dropped any more. Who comes from here on must find what these have agreed on. */
    private Runnable ending() {
        try {
            R made = result.apply(
                    guests.values().stream().map(g -> g.getFirst().wish).toList());
            return () -> end(made, null);
        } catch (OxbowException e) {
            return () -> end(null, e);
        }
    }

    private void end(R made, OxbowException error) {
        for (List<Guest<W, R>> of : guests.values()) for (Guest<W, R> g : of) g.end(made, error);
    }
}
