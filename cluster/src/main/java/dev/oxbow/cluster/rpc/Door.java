package dev.oxbow.cluster.rpc;

import com.google.protobuf.MessageLite;
import dev.oxbow.graph.Cancellation;
import dev.oxbow.tensor.OxbowException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/** The port of a server as those of its own process see it: they call its services on their threads, without messages. */
final class Door {

    /*
     * A port at which this process listens belongs to nobody else, so who would dial it may as well call. Requests, answers
     * and errors are those of the wire; tensors are handed over by reference. When either side ends, that is what a lost
     * connection is: calls under way end with UNAVAILABLE, and the sessions of who left with their lease. Who shows other
     * certificates or another token than the server has is left to the wire, which says what is wrong with that.
     */

    private static final Map<InetSocketAddress, Door> OPEN = new ConcurrentHashMap<>();

    private final InetSocketAddress place;
    private final Security security;
    private final String name;
    private final Map<String, Service.Answering<?, ?>> methods = new HashMap<>();
    private final Consumer<Connection> gone;
    private final Set<Visit<?>> visits = ConcurrentHashMap.newKeySet();
    private final Gauge inside = new Gauge();
    private volatile boolean closed;

    /** Opens the door of a server that listens there; {@code gone} is told of callers who have left. */
    Door(InetSocketAddress place, Security security, List<Service> services, Consumer<Connection> gone) {
        this.place = place;
        this.security = security;
        this.name = place.getAddress().getHostAddress() + ":" + place.getPort();
        for (Service s : services) methods.putAll(s.byName());
        this.gone = gone;
        OPEN.put(place, this);
    }

    /** The door at an address of this process, for who has the same certificates and token; null where there is none. */
    static Door at(InetSocketAddress address, Security security) {
        Door d = OPEN.get(address);
        return d != null && d.security.equals(security) ? d : null;
    }

    /** As {@link Peer#callTensors}; the caller is known as {@code from}. */
    <Q extends MessageLite, A extends MessageLite> void call(
            Method<Q, A> method,
            Q request,
            Cargo cargo,
            Connection from,
            Cancellation cancellation,
            Duration deadline,
            Schedule schedule,
            BiConsumer<Received<A>, OxbowException> then) {
        Service.Answering<Q, A> answering = answering(method);
        Visit<A> visit = new Visit<>("%s: %s".formatted(method, name), answering.meter(), from, then, this::left);
        visits.add(visit);
        inside.add(1);
        visit.begin(cancellation, deadline, schedule);
        if (closed || from.isGone()) visit.lost();
        if (visit.isEnded()) return;
        Received<Q> handed;
        try {
            handed = Received.handed(request, cargo);
        } catch (RuntimeException | OutOfMemoryError e) {
            visit.call().fail(Statuses.of(e));
            return;
        }
        answering.handle(handed, visit.call());
    }

    /** Methods and what answers them were put together by their types. */
    @SuppressWarnings("unchecked")
    private <Q extends MessageLite, A extends MessageLite> Service.Answering<Q, A> answering(Method<Q, A> method) {
        return (Service.Answering<Q, A>) methods.get(method.fullName());
    }

    private void left(Visit<?> v) {
        visits.remove(v);
        inside.add(-1);
    }

    /** A caller has gone, whatever it waits for. */
    void left(Connection c) {
        c.end();
        for (Visit<?> v : visits) if (v.from() == c) v.lost();
        gone.accept(c);
    }

    /** Lets nobody in any more, and waits until those inside have their answers. */
    void drain(Duration grace) {
        OPEN.remove(place, this);
        inside.await(n -> n == 0, grace);
    }

    /** Ends what is under way, as if the connections were lost. */
    void close() {
        OPEN.remove(place, this);
        closed = true;
        visits.forEach(Visit::lost);
    }
}
