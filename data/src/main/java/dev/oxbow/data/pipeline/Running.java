package dev.oxbow.data.pipeline;

import static dev.oxbow.tensor.ErrorCode.CANCELLED;

import dev.oxbow.tensor.OxbowException;
import java.util.NoSuchElementException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The elements of an epoch, computed ahead: one thread walks the order, others compute. */
final class Running<T> implements Feed<T> {
    private static final Logger LOG = LoggerFactory.getLogger(Running.class);
    private static final long PATIENCE_IN_SECONDS = 10;

    private final Workers workers;
    private final Cursor<T> cursor;
    private final Ahead<T> ahead;
    private final Thread walker;
    private boolean closed;

    Running(Stage<T> stage, Setting setting, Limits limits, long from) {
        this.workers = setting.workers();
        Cursor<T> opened = null;
        try {
            opened = stage.open(setting);
            opened.skip(from);
        } catch (RuntimeException e) {
            if (opened != null) opened.close();
            workers.close();
            throw e;
        }
        this.cursor = opened;
        this.ahead = new Ahead<>(cursor, workers, workers.size() == 0 ? 1 : limits.elements(), limits.bytes());
        this.walker = workers.size() == 0
                ? null
                : Thread.ofPlatform().name("input-order").daemon().start(this::walk);
    }

    private void walk() {
        try {
            while (ahead.fill() && ahead.awaitRoom())
                ;
        } catch (InterruptedException e) {
            LOG.debug("input: the walk of the order was ended");
        } finally {
            cursor.close();
        }
    }

    @Override
    public boolean hasNext() {
        if (closed) return false;
        if (walker == null) ahead.fill();
        boolean more = ahead.hasNext();
        if (!more) close();
        return more;
    }

    @Override
    public T next() {
        if (!hasNext()) throw new NoSuchElementException("input: the epoch has ended");
        return ahead.take();
    }

    @Override
    public boolean isReady() {
        return closed || walker == null || ahead.isReady();
    }

    @Override
    public void close() {
        if (closed) return;
        closed = true;
        ahead.close();
        workers.close();
        if (walker == null) {
            cursor.close();
            return;
        }
        walker.interrupt();
        try {
            walker.join(PATIENCE_IN_SECONDS * 1000);
            if (walker.isAlive() || !workers.await(PATIENCE_IN_SECONDS))
                LOG.warn("input: an element takes longer than {} s; its thread is left alone", PATIENCE_IN_SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new OxbowException(CANCELLED, "input: interrupted while closing", e);
        }
    }
}
