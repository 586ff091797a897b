package dev.oxbow.runtime.run;

import dev.oxbow.runtime.Device;
import dev.oxbow.runtime.Engine;
import dev.oxbow.runtime.Order;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/** The runs of a session that have returned while devices still work on them, a few at most. */
final class InFlight {
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
}
