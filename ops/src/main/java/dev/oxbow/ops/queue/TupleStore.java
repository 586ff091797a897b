package dev.oxbow.ops.queue;

import dev.oxbow.kernels.random.Philox;
import dev.oxbow.kernels.random.PhiloxState;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/** The order in which a queue gives its elements back. */
interface TupleStore {
    int size();

    void add(Tensor[] tuple);

    Tensor[] take();

    /** Gives back elements that were taken last, in the order in which they were taken. */
    void putBack(List<Tensor[]> taken);

    /** Whether elements that are asked for together must be there together, since one that comes later may belong before others. */
    default boolean takesTogether() {
        return false;
    }

    /** First in, first out. */
    static TupleStore fifo() {
        return new TupleStore() {
            private final ArrayDeque<Tensor[]> tuples = new ArrayDeque<>();

            @Override
            public int size() {
                return tuples.size();
            }

            @Override
            public void add(Tensor[] tuple) {
                tuples.addLast(tuple);
            }

            @Override
            public Tensor[] take() {
                return tuples.pollFirst();
            }

            @Override
            public void putBack(List<Tensor[]> taken) {
                for (int i = taken.size() - 1; i >= 0; i--) tuples.addFirst(taken.get(i));
            }
        };
    }

    /** A random element each time, drawn as TensorFlow does. */
    static TupleStore shuffled(long seed, long seed2) {
        return new TupleStore() {
            private final List<Tensor[]> tuples = new ArrayList<>();
            private final Philox stream = PhiloxState.of(seed, seed2).snapshot();
            private final int[] block = new int[4];
            private int used = 4;

            @Override
            public int size() {
                return tuples.size();
            }

            @Override
            public void add(Tensor[] tuple) {
                tuples.add(tuple);
            }

            @Override
            public Tensor[] take() {
                if (used == 4) {
                    stream.next(block);
                    used = 0;
                }
                int last = tuples.size() - 1, at = Integer.remainderUnsigned(block[used++], last + 1);
                Tensor[] taken = tuples.get(at);
                tuples.set(at, tuples.get(last));
                tuples.removeLast();
                return taken;
            }

            @Override
            public void putBack(List<Tensor[]> taken) {
                tuples.addAll(taken);
            }
        };
    }

    /**
     * The smallest first component first. Which of several equal ones comes first is fixed by the way in which the
     * heap is kept, which is that of C++'s standard library, since TensorFlow's users see its order.
     */
    static TupleStore byPriority() {
        return new PriorityStore();
    }
}
