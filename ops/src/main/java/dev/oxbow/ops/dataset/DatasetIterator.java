package dev.oxbow.ops.dataset;

import static dev.oxbow.tensor.ErrorCode.CANCELLED;
import static dev.oxbow.tensor.ErrorCode.FAILED_PRECONDITION;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Resource;
import dev.oxbow.ops.queue.ServedLine;
import java.util.concurrent.atomic.AtomicBoolean;

/** A place in a data set that steps share; who asks while another one is served waits for its turn, without a thread. */
final class DatasetIterator implements Resource {
    private final ServedLine line = new ServedLine("the iterator");
    private Dataset dataset;
    private Elements elements;
    private boolean busy;
    private boolean closed;

    /** What begins when whoever is served has its element; null if nothing does. */
    private Dataset coming;

    /** Begins a data set, of which it counts a reference. */
    synchronized void begin(Dataset next) {
        next.retain();
        if (coming != null) coming.release();
        coming = next;
        if (!busy) change();
    }

    synchronized boolean isBegun() {
        return dataset != null || coming != null;
    }

    private void change() {
        if (closed || coming != null) forget();
        if (closed || coming == null) return;
        dataset = coming;
        coming = null;
        elements = dataset.open();
    }

    /** Asks for the next element, which comes in the order of asking. */
    void next(Turn turn, Taker taker) {
        line.ask(turn.context().cancellation(), e -> taker.take(null, e), ended -> serve(turn, taker, ended));
    }

    private void serve(Turn turn, Taker taker, Runnable ended) {
        AtomicBoolean told = new AtomicBoolean();
        Taker once = (element, error) -> {
            if (told.getAndSet(true)) return; // what failed after it was given
            free();
            ended.run();
            taker.take(element, error);
        };
        try {
            hold().next(turn, once);
        } catch (RuntimeException e) {
            once.take(null, Graph.contained(e));
        }
    }

    private synchronized Elements hold() {
        busy = true;
        return current();
    }

    private synchronized void free() {
        busy = false;
        change();
    }

    private Elements current() {
        require(
                elements != null,
                closed ? CANCELLED : FAILED_PRECONDITION,
                "GetNext() failed because the iterator has not been initialized. Ensure that you have run the initializer"
                        + " operation for this iterator before getting the next element.");
        return elements;
    }

    private void forget() {
        if (elements != null) elements.close();
        if (dataset != null) dataset.release();
        elements = null;
        dataset = null;
    }

    @Override
    public void close() {
        synchronized (this) {
            closed = true;
            if (coming != null) coming.release();
            coming = null;
            if (!busy) forget();
        }
        line.close();
    }

    @Override
    public String kind() {
        return "iterator";
    }
}
