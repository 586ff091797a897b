package dev.oxbow.cuda;

import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.Op;
import dev.oxbow.kernels.random.Distribution;
import dev.oxbow.kernels.random.Philox;
import dev.oxbow.ops.Stateful.Changing;
import dev.oxbow.ops.random.Filling;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Tensor;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Random numbers. Streams stand on the host; where one is in this run is written to the card before the kernel reads it, so a
 * graph draws other numbers each time.
 */
final class RandomKernels implements Kernel {
    private record Key(Distribution distribution, DType dtype) {}

    private final Card card;
    private final Filling op;
    private final Fallback host;
    private final Map<String, Long> cells = new ConcurrentHashMap<>();

    private RandomKernels(Card card, Filling op) {
        this.card = card;
        this.op = op;
        this.host = new Fallback(op);
    }

    /** The kernel of an op that draws; null for others. */
    static Kernel of(Card card, Op op) {
        return isDrawn(op) ? new RandomKernels(card, (Filling) op) : null;
    }

    /** Whether an op draws from a stream that stands on the host. */
    static boolean isDrawn(Op op) {
        return op instanceof Filling && !(op instanceof Changing);
    }

    @Override
    public void run(KernelContext c) {
        if (!c.isAllocated(0)
                || !RandomText.supports(op.distribution(), c.output(0).dtype())) {
            host.run(c);
            return;
        }
        Tensor y = c.output(0);
        Philox stream = op.stream(c, y.size());
        if (y.size() == 0) return;
        long cell = cells.computeIfAbsent(c.node(), _ -> card.cell(this));
        long[] numbers = {stream.key(), stream.counterLow(), stream.counterHigh()};
        card.commands.run(new Entry.Fresh(card.space, cell, numbers));
        Distribution d = op.distribution();
        long threads = (y.size() + RandomText.group(y.dtype()) - 1) / RandomText.group(y.dtype());
        card.commands.launch(
                "draw " + y.shape(),
                card.function(new Key(d, y.dtype()), "draw", () -> RandomText.text(d, y.dtype())),
                (threads + RandomText.THREADS - 1) / RandomText.THREADS,
                1,
                RandomText.THREADS,
                new long[] {y.place(), y.size(), cell},
                new Spans().reads(cell, 8L * numbers.length).writes(y).touched());
    }
}
