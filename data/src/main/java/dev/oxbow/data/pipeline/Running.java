package dev.oxbow.data.pipeline;

import static dev.oxbow.tensor.ErrorCode.CANCELLED;

import dev.oxbow.tensor.OxbowException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.NoSuchElementException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The elements of an epoch, computed ahead. */
final class Running<T> implements Feed<T> {
    private static final Logger LOG = LoggerFactory.getLogger(Running.class);
    private static final long PATIENCE_IN_SECONDS = 10;

    private final Workers workers;
    private final Ahead<T> ahead;
    private final Stage<T> stage;
    private final Work walked;
    private volatile boolean closed;
    private volatile boolean ended;

    Running(Stage<T> stage, Setting setting, Limits limits, long from, Work walked) {
        this.workers = setting.workers();
        this.stage = stage;
        this.walked = walked;
        Cursor<T> opened = null;
        try {
            opened = stage.open(setting);
            opened.skip(from);
        } catch (RuntimeException e) {
            if (opened != null) opened.close();
            workers.close();
            throw e;
        }
        this.ahead = new Ahead<>(opened, workers, isAlone() ? 1 : limits.elements(), limits.bytes(), walked);
        if (isAlone()) return;
        workers.then(ahead::join);
        ahead.start();
    }

    /** Whether the thread that takes elements computes them. */
    private boolean isAlone() {
        return workers.size() == 0;
    }

    @Override
    public boolean hasNext() {
        if (closed) return false;
        if (isAlone()) ahead.fill();
        boolean more = ahead.hasNext();
        if (more || closed) return more;
        ended = true;
        close();
        return false;
    }

    @Override
    public T next() {
        if (!hasNext()) throw nothing();
        try {
            return ahead.take();
        } finally {
            if (!isAlone()) ahead.start();
        }
    }

    /** Why there is no element. */
    private RuntimeException nothing() {
        if (!ended) return new OxbowException(CANCELLED, "input: closed");
        RuntimeException broken = ahead.broken();
        return broken != null ? broken : new NoSuchElementException("input: the epoch has ended");
    }

    @Override
    public boolean isReady() {
        return closed || isAlone() || ahead.isReady();
    }

    @Override
    public List<StageTime> stages() {
        List<StageTime> all = new ArrayList<>();
        add(all, "reading and order", walked);
        collect(stage, all);
        return all;
    }

    private static void collect(Stage<?> stage, List<StageTime> all) {
        for (Stage<?> s : stage.inputs()) collect(s, all);
        if (stage.work() != null) add(all, stage.describe(), stage.work());
    }

    private static void add(List<StageTime> all, String stage, Work work) {
        if (work.count() > 0) all.add(new StageTime(stage, work.count(), Duration.ofNanos(work.nanos())));
    }

    /** Closes the source last, by this thread: those that compute are interrupted, which files take for the end of their channels. */
    @Override
    public void close() {
        if (closed) return;
        closed = true;
        ahead.stop();
        workers.close();
        boolean interrupted = awaitThreads();
        try {
            ahead.close();
        } finally {
            if (interrupted) Thread.currentThread().interrupt();
        }
    }

    /** Waits for threads to end, but not for ever; whether this thread was interrupted, which it does not show any more. */
    private boolean awaitThreads() {
        boolean interrupted = Thread.interrupted();
        while (true) {
            try {
                if (!workers.await(PATIENCE_IN_SECONDS))
                    LOG.warn("input: an element takes longer than {} s; its thread is left alone", PATIENCE_IN_SECONDS);
                return interrupted;
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
    }
}
