package dev.oxbow.runtime.run;

import dev.oxbow.runtime.Device;
import dev.oxbow.runtime.Engine;
import dev.oxbow.runtime.Order;
import dev.oxbow.tensor.OxbowException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/** The runs of a session that have returned while devices still work on them, a few at most. */
final class InFlight {
    /** How long a run that has failed waits for what it gave devices before. */
    private static final long MOST_NANOS = 1_000_000_000;

    private static final long PAUSE_NANOS = 20_000;

    private final Engine engine;
    private final List<Order> orders = new ArrayList<>();
    private final int most;
    private final ArrayDeque<Order.Event> ends = new ArrayDeque<>();

    InFlight(Engine engine, int most) {
        this.engine = engine;
        this.most = most;
        for (Device d : engine.devices()) if (d.order() != null) orders.add(d.order());
    }

    /** A run has put all of its work into the orders of devices: waits for it, or for one of those before it. */
    void ended(boolean fetches) {
        if (orders.isEmpty()) return;
        if (fetches || most == 0) {
            engine.await();
            return;
        }
        List<Order.Event> first = new ArrayList<>();
        synchronized (ends) {
            for (Order o : orders) ends.add(o.mark());
            while (ends.size() > most * orders.size()) first.add(ends.poll());
        }
        first.forEach(Order.Event::await);
    }

    /** A run has failed: what devices find wrong in the rest of it belongs to it, and is not the next one's. */
    void failed(OxbowException why) {
        long until = System.nanoTime() + MOST_NANOS;
        for (Order o : orders)
            try {
                Order.Event end = o.mark();
                while (!end.isReached() && System.nanoTime() < until) LockSupport.parkNanos(PAUSE_NANOS);
                if (end.isReached()) end.await();
            } catch (RuntimeException e) {
                why.addSuppressed(e);
            }
    }
}
