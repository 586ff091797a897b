package dev.oxbow.ops.dataset;

import static dev.oxbow.tensor.ErrorCode.CANCELLED;
import static dev.oxbow.tensor.ErrorCode.FAILED_PRECONDITION;

import dev.oxbow.graph.Resource;
import dev.oxbow.tensor.OxbowException;
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

    /** Begins a data set, of which it counts a reference. */
    synchronized void begin(Dataset next) {
        next.retain();
        forget();
        dataset = next;
        elements = next.open();
    }

    synchronized boolean isBegun() {
        return dataset != null;
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
        Elements current;
        synchronized (this) {
            current = elements;
        }
        if (current == null) {
            served();
            taker.take(
                    null,
                    new OxbowException(
                            closed ? CANCELLED : FAILED_PRECONDITION,
                            "GetNext() failed because the iterator has not been initialized. Ensure that you have run the"
                                    + " initializer operation for this iterator before getting the next element."));
            return;
        }
        current.next(turn, (element, error) -> {
            served();
            taker.take(element, error);
        });
    }

    private void served() {
        Runnable next;
        synchronized (this) {
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
