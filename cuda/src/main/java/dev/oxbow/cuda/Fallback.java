package dev.oxbow.cuda;

import dev.oxbow.graph.Effects;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.Op;
import dev.oxbow.runtime.HostKernel;
import dev.oxbow.tensor.Space;
import dev.oxbow.tensor.Tensor;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The host's kernel for what the card has none for, with one warning for each op where that moves much. */
final class Fallback implements Kernel {

    /** Copying less than this costs no more than the waiting for it. */
    private static final long MUCH = 1 << 16;

    private static final Logger log = LoggerFactory.getLogger(Fallback.class);
    private static final Set<String> WARNED = ConcurrentHashMap.newKeySet();
    private static final AtomicLong RUNS = new AtomicLong();

    private final String name;
    private final HostKernel kernel;

    /** The card whose faults keep state from being changed; null where none is changed. */
    private final Card guard;

    Fallback(Op op) {
        this(op.getClass().getSimpleName(), op.cpu());
    }

    Fallback(String name, Kernel kernel) {
        this(name, kernel, null);
    }

    private Fallback(String name, Kernel kernel, Card guard) {
        this.name = name;
        this.kernel = new HostKernel(kernel);
        this.guard = guard;
    }

    /** What the host does, unless it would change state by values in which kernels of the card have found something wrong. */
    static Fallback guarded(Card card, Op op) {
        return new Fallback(op.getClass().getSimpleName(), op.cpu(), op.effects() == Effects.WRITES ? card : null);
    }

    /** How often the host did something for a card, in this process. */
    static long runs() {
        return RUNS.get();
    }

    @Override
    public void run(KernelContext c) {
        long bytes = 0;
        for (int i = 0; i < c.inputCount(); i++) bytes += onCard(c.input(i));
        for (int i = 0; i < c.outputCount(); i++) if (c.isAllocated(i)) bytes += onCard(c.output(i));
        if (bytes > 0) RUNS.incrementAndGet();
        if (bytes >= MUCH && WARNED.add(name))
            log.warn(
                    "{} has no kernel for the card: {} and others like it run on the host, {} bytes here",
                    name,
                    c.node(),
                    bytes);
        if (guard != null && bytes > 0) new CudaOrder(guard).mark().await(); // fails after a fault
        kernel.run(c);
    }

    private static long onCard(Tensor t) {
        return t.dtype().isObject() || t.isIn(Space.HOST) ? 0 : t.byteSize();
    }
}
