package dev.oxbow.ops.queue;

import dev.oxbow.graph.KernelContext;
import dev.oxbow.tensor.Counted;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.Deque;
import java.util.concurrent.atomic.AtomicInteger;

/** A lock that one step at a time holds, from MutexLock until its lock value is gone. */
final class MutexState extends WaitingResource {
    private final Deque<Attempt> waiting = line(true);
    private boolean held;

    MutexState(String name) {
        super(name);
    }

    void lock(KernelContext c) {
        submit(waiting, new Attempt(c) {
            @Override
            Progress run() {
                if (held) return Progress.NONE;
                held = true;
                return Progress.DONE;
            }

            @Override
            void finish() {
                c.set(0, Tensor.ofObjects(DType.VARIANT, Shape.SCALAR, new Lock()));
            }
        });
    }

    /** The value that holds the lock; the last reference to it lets go. */
    private final class Lock implements Counted {
        private final AtomicInteger references = new AtomicInteger(1);

        @Override
        public void retain() {
            references.incrementAndGet();
        }

        @Override
        public void release() {
            if (references.decrementAndGet() == 0) change(() -> held = false);
        }
    }

    @Override
    void free() {}

    @Override
    public String kind() {
        return "Mutex";
    }
}
