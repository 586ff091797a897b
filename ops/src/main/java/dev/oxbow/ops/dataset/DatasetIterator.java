package dev.oxbow.ops.dataset;

import static dev.oxbow.tensor.ErrorCode.CANCELLED;
import static dev.oxbow.tensor.ErrorCode.FAILED_PRECONDITION;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.Cancellation;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Resource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/** A place in a data set that steps share; who asks while another one is served waits for its turn, without a thread. */
final class DatasetIterator implements Resource {
    private final ArrayDeque<Runnable> line = new ArrayDeque<>();
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
        Runnable ask = () -> ask(turn, taker);
        synchronized (this) {
            if (busy) {
                line.add(ask);
                return;
            }
            busy = true;
        }
        ask.run();
    }

    private void ask(Turn turn, Taker taker) {
        boolean[] told = {false};
        Taker once = (element, error) -> {
            if (told[0]) return; // what failed after it was given
            told[0] = true;
            served();
            taker.take(element, error);
        };
        try {
            Cancellation step = turn.context().cancellation();
            if (step.isCancelled()) throw step.reason().rethrown(); // what it is given would be lost
            current().next(turn, once);
        } catch (RuntimeException e) {
            once.take(null, Graph.contained(e));
        }
    }

    private synchronized Elements current() {
        require(
                elements != null,
                closed ? CANCELLED : FAILED_PRECONDITION,
                "GetNext() failed because the iterator has not been initialized. Ensure that you have run the initializer"
                        + " operation for this iterator before getting the next element.");
        return elements;
    }

    private void served() {
        Runnable next;
        synchronized (this) {
            change();
            next = line.poll();
            busy = next != null;
        }
        if (next != null) next.run();
    }

    private void forget() {
        if (elements != null) elements.close();
        if (dataset != null) dataset.release();
        elements = null;
        dataset = null;
    }

    @Override
    public void close() {
        List<Runnable> left;
        synchronized (this) {
            closed = true;
            if (coming != null) coming.release();
            coming = null;
            if (!busy) forget();
            left = new ArrayList<>(line);
            line.clear();
        }
        left.forEach(Runnable::run);
    }

    @Override
    public String kind() {
        return "iterator";
    }
}
