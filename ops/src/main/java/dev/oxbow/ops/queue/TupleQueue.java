package dev.oxbow.ops.queue;

import static dev.oxbow.tensor.ErrorCode.CANCELLED;
import static dev.oxbow.tensor.ErrorCode.OUT_OF_RANGE;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.Completion;
import dev.oxbow.graph.KernelContext;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.BiConsumer;

/** A bounded queue of tuples of tensors, whatever its order. */
final class TupleQueue extends WaitingResource {

    /** What a queue is declared as; two nodes that share a queue must agree on it. */
    record Kind(
            String name,
            List<DType> types,
            List<Shape> shapes,
            int capacity,
            int minimumLeft,
            boolean pads,
            List<Long> seeds) {

        /** Why a node that asks for {@code other} may not share this queue; null when it may. Seeds of 0 ask for none. */
        String differsFrom(Kind other) {
            boolean anySeeds = other.seeds.stream().allMatch(s -> s == 0);
            if (!name.equals(other.name)) return differs("type", name, other.name);
            if (capacity != other.capacity) return differs("capacity", capacity, other.capacity);
            if (minimumLeft != other.minimumLeft) return differs("min_after_dequeue", minimumLeft, other.minimumLeft);
            if (!types.equals(other.types)) return differs("component types", names(types), names(other.types));
            if (!shapes.equals(other.shapes)) return differs("component shapes", shapes, other.shapes);
            return anySeeds || seeds.equals(other.seeds) ? null : differs("random seeds", seeds, other.seeds);
        }

        static String differs(String what, Object mine, Object wanted) {
            return "has %s %s but requested %s was %s".formatted(what, mine, what, wanted);
        }

        private static List<String> names(List<DType> types) {
            return types.stream().map(DType::tensorFlowName).toList();
        }

        /** The declared shape of a component; unknown when none was declared. */
        Shape shape(int i) {
            return i < shapes.size() ? shapes.get(i) : Shape.UNKNOWN;
        }
    }

    private final Kind kind;
    private final TupleStore store;
    private final Deque<Attempt> enqueues = line(true);
    private final Deque<Attempt> dequeues = line(true);
    private boolean closed;

    TupleQueue(String name, Kind kind, TupleStore store) {
        super(name);
        this.kind = kind;
        this.store = store;
    }

    Kind declared() {
        return kind;
    }

    int size() {
        return change(store::size);
    }

    boolean isClosed() {
        return change(() -> closed);
    }

    /** Adds tuples one by one as there is room, in order; takes over the tuples. */
    void enqueue(KernelContext c, List<Tensor[]> tuples) {
        submit(enqueues, new Attempt(c) {
            private int added;

            @Override
            Progress run() {
                require(!closed, CANCELLED, "%s '%s' is closed.", kind.name, name());
                int before = added;
                while (added < tuples.size() && (kind.capacity < 0 || store.size() < kind.capacity))
                    store.add(tuples.get(added++));
                return added == tuples.size() ? Progress.DONE : added > before ? Progress.SOME : Progress.NONE;
            }

            @Override
            void abandon() {
                for (Tensor[] t : tuples.subList(added, tuples.size())) Tuples.release(t);
            }
        });
    }

    /** Takes one tuple as the outputs of a kernel. */
    void dequeue(KernelContext c) {
        submit(dequeues, new One(c) {
            @Override
            void finish() {
                for (int i = 0; i < taken.length; i++) c.set(i, taken[i]);
            }
        });
    }

    /** Takes one tuple for a kernel that goes on with it: the taker owns its tensors, or gets an error. */
    void dequeue(KernelContext c, BiConsumer<Tensor[], Throwable> taker) {
        submit(dequeues, new One(c) {
            @Override
            Completion completion() {
                return new Completion() {
                    @Override
                    public void done() {
                        taker.accept(taken, null);
                    }

                    @Override
                    public void fail(Throwable error) {
                        taker.accept(null, error);
                    }
                };
            }
        });
    }

    private class One extends Attempt {
        Tensor[] taken;

        One(KernelContext c) {
            super(c);
        }

        @Override
        Progress run() {
            if (available() <= 0) {
                requireOpen(1);
                return Progress.NONE;
            }
            taken = store.take();
            return Progress.DONE;
        }
    }

    /** Takes {@code n} tuples, stacked; fewer, but one at least, when the queue is closed and {@code upTo} allows it. */
    void dequeueMany(KernelContext c, int n, boolean upTo) {
        submit(dequeues, new Attempt(c) {
            private final List<Tensor[]> taken = new ArrayList<>();

            @Override
            Progress run() {
                int before = taken.size();
                if (closed && store.size() + before < n) {
                    if (!upTo || store.size() + before == 0) requireOpen(n);
                    while (store.size() > 0) taken.add(store.take());
                    return Progress.DONE;
                }
                if (store.takesTogether() && available() < n) return Progress.NONE;
                while (taken.size() < n && available() > 0) taken.add(store.take());
                return taken.size() == n ? Progress.DONE : taken.size() > before ? Progress.SOME : Progress.NONE;
            }

            @Override
            void finish() {
                for (int i = 0; i < kind.types.size(); i++) {
                    Shape element = kind.pads ? kind.shape(i) : elementShape(i);
                    Tuples.stack(taken, i, c.allocate(i, Tuples.stacked(taken, i, element)));
                }
                for (Tensor[] t : taken) Tuples.release(t);
            }

            private Shape elementShape(int i) {
                return taken.isEmpty() ? kind.shape(i) : taken.get(0)[i].shape();
            }

            @Override
            void abandon() {
                store.putBack(taken);
            }
        });
    }

    /** Closes once the enqueues before it are through, or at once if they are to be cancelled. */
    void shut(KernelContext c, boolean cancelPending) {
        if (cancelPending) {
            cancelEnqueues();
            return;
        }
        submit(enqueues, new Attempt(c) {
            @Override
            Progress run() {
                require(!closed, CANCELLED, "%s '%s' is already closed.", kind.name, name());
                closed = true;
                return Progress.DONE;
            }
        });
    }

    private void cancelEnqueues() {
        change(() -> closed = true);
    }

    private int available() {
        return closed ? store.size() : store.size() - kind.minimumLeft;
    }

    private void requireOpen(int wanted) {
        require(
                !closed,
                OUT_OF_RANGE,
                "%s '%s' is closed and has insufficient elements (requested %d, current size %d)",
                kind.name,
                name(),
                wanted,
                store.size());
    }

    @Override
    void free() {
        while (store.size() > 0) Tuples.release(store.take());
    }

    @Override
    public String kind() {
        return kind.name;
    }
}
