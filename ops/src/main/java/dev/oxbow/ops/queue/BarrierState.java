package dev.oxbow.ops.queue;

import static dev.oxbow.tensor.ErrorCode.CANCELLED;
import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.ErrorCode.OUT_OF_RANGE;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.KernelContext;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Elements put together from components that come one by one, by key; given back in the order of their first component. */
final class BarrierState extends WaitingResource {

    /** What a barrier is declared as; two nodes that share one must agree on it. */
    record Kind(List<DType> types, List<Shape> shapes) {

        /** Why a node that asks for {@code other} may not share this barrier; null when it may. */
        String differsFrom(Kind other) {
            if (!types.equals(other.types)) return TupleQueue.Kind.differs("component types", types, other.types);
            return shapes.equals(other.shapes)
                    ? null
                    : TupleQueue.Kind.differs("component shapes", shapes, other.shapes);
        }
    }

    private record Entry(long index, byte[] key, Tensor[] components) {}

    private final Kind kind;
    private final Map<String, Entry> incomplete = new HashMap<>();
    private final TupleStore ready = TupleStore.byPriority();
    private final Deque<Attempt> takes = line(true);
    private long next = Long.MIN_VALUE;
    private boolean closed;
    private boolean cancelled;

    BarrierState(String name, Kind kind) {
        super(name);
        this.kind = kind;
    }

    Kind declared() {
        return kind;
    }

    int readySize() {
        return change(ready::size);
    }

    int incompleteSize() {
        return change(incomplete::size);
    }

    /** Gives row i of {@code values} to the element with key i. */
    void insert(KernelContext c, Tensor keys, Tensor values, int component) {
        change(() -> {
            require(!cancelled, CANCELLED, "Barrier %s is closed. Pending enqueues cancelled.", name());
            long index = next;
            boolean any = false;
            for (int i = 0; i < keys.size(); i++) {
                byte[] key = (byte[]) keys.objects()[i];
                String name = new String(key, StandardCharsets.ISO_8859_1);
                Entry e = incomplete.get(name);
                require(
                        !cancelled && (!closed || e != null),
                        CANCELLED,
                        "Barrier %s is closed, but attempted to insert a brand new key: %s",
                        name(),
                        name);
                if (e == null) {
                    e = new Entry(index, key, new Tensor[kind.types.size()]);
                    incomplete.put(name, e);
                    any = true;
                }
                require(
                        e.components[component] == null,
                        INVALID_ARGUMENT,
                        "Key %s already has a value for component %d in barrier %s",
                        name,
                        component,
                        name());
                e.components[component] = Tuples.row(c.memory(), values, i, name());
                boolean complete = true;
                for (Tensor t : e.components) complete &= t != null;
                if (!complete) continue;
                incomplete.remove(name);
                ready.add(tuple(c, e));
            }
            if (any) next++;
            return null;
        });
    }

    private Tensor[] tuple(KernelContext c, Entry e) {
        Tensor[] t = new Tensor[2 + e.components.length];
        t[0] = c.temporary(DType.I64, Shape.SCALAR);
        t[0].setLong(0, e.index);
        t[1] = Tensor.ofObjects(DType.STRING, Shape.SCALAR, e.key);
        System.arraycopy(e.components, 0, t, 2, e.components.length);
        return t;
    }

    /** Takes {@code n} complete elements; fewer when the barrier is closed and {@code small} allows it. */
    void take(KernelContext c, int n, boolean small) {
        submit(takes, new Attempt(c) {
            private final List<Tensor[]> taken = new ArrayList<>();

            @Override
            Progress run() {
                int wanted = n;
                if (closed) {
                    int available = ready.size();
                    if (small) wanted = Math.min(n, available);
                    else if (!cancelled) available += incomplete.size();
                    require(
                            available >= Math.max(wanted, 1) || n == 0,
                            OUT_OF_RANGE,
                            "Barrier '%s' is closed and has insufficient elements (requested %d, total size %d)",
                            name(),
                            n,
                            available);
                }
                if (ready.size() < wanted) return Progress.NONE;
                while (taken.size() < wanted) taken.add(ready.take());
                return Progress.DONE;
            }

            @Override
            void finish() {
                for (int k = 0; k < kind.types.size() + 2; k++) {
                    Shape element = !taken.isEmpty()
                            ? taken.get(0)[k].shape()
                            : k >= 2 && k - 2 < kind.shapes.size() ? kind.shapes.get(k - 2) : Shape.SCALAR;
                    Tuples.stack(taken, k, c.allocate(k, Tuples.stacked(taken, k, element)));
                }
                taken.forEach(Tuples::release);
            }

            @Override
            void abandon() {
                ready.putBack(taken);
            }
        });
    }

    /** No new keys from now on; no more components either if {@code cancelPending}. */
    void shut(boolean cancelPending) {
        change(() -> {
            require(!closed || cancelPending && !cancelled, CANCELLED, "Barrier '%s' is already closed.", name());
            closed = true;
            cancelled |= cancelPending;
            return null;
        });
    }

    @Override
    void free() {
        incomplete.values().forEach(e -> Tuples.release(e.components));
        incomplete.clear();
        while (ready.size() > 0) Tuples.release(ready.take());
    }

    @Override
    public String kind() {
        return "Barrier";
    }
}
