package dev.oxbow.ops.queue;

import static dev.oxbow.tensor.ErrorCode.CANCELLED;

import dev.oxbow.graph.Cancellation;
import dev.oxbow.graph.Completion;
import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.Resource;
import dev.oxbow.tensor.ErrorCode;
import dev.oxbow.tensor.OxbowException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/**
 * A resource that kernels wait for: queues, barriers, stages, locks. Whoever waits stands in a line and is tried again
 * whenever something changed; no thread is held. Subclasses keep their state under the lock.
 */
abstract class WaitingResource implements Resource {

    /*
     * Attempts run under the lock, but a kernel is completed outside of it, since completing may run the nodes that
     * follow, which may use the same resource. Lines are served in order and each from its front, so that a request
     * for many elements is not overtaken by later ones; in an unordered line any attempt may succeed.
     */

    /** What an attempt achieved. */
    enum Progress {
        NONE,
        SOME,
        DONE
    }

    /** One waiting kernel. */
    abstract static class Attempt {
        final KernelContext c;
        private Completion completion;
        private Deque<Attempt> line;
        private long registration = -1;
        private Throwable failure;

        Attempt(KernelContext c) {
            this.c = c;
        }

        /** Who is told in the end: the kernel's own step, unless somebody goes on with what it took. */
        Completion completion() {
            return c.defer();
        }

        /** Tries under the lock; an exception fails the kernel. */
        abstract Progress run();

        /** Gives the outputs, outside of the lock, once {@link #run} is done. */
        void finish() {}

        /** Under the lock: takes back or frees what the attempt holds, since it failed, in the end too, or was cancelled. */
        void abandon() {}
    }

    private final String name;
    private final ReentrantLock lock = new ReentrantLock();
    private final List<Deque<Attempt>> lines = new ArrayList<>();
    private final List<Boolean> ordered = new ArrayList<>();
    private boolean isGone;

    WaitingResource(String name) {
        this.name = name;
    }

    final String name() {
        return name;
    }

    /** A new line of waiting kernels. */
    final Deque<Attempt> line(boolean inOrder) {
        Deque<Attempt> line = new ArrayDeque<>();
        lines.add(line);
        ordered.add(inOrder);
        return line;
    }

    /** Lets the attempt wait in {@code line} until it succeeds, fails, or its step is cancelled. */
    final void submit(Deque<Attempt> line, Attempt a) {
        a.completion = a.completion();
        a.line = line;
        Cancellation cancellation = a.c.cancellation();
        List<Attempt> ended = new ArrayList<>();
        lock.lock();
        try {
            long number = cancellation.register(reason -> cancelled(a, reason));
            if (number < 0) {
                fail(a, cancellation.reason(), ended);
            } else if (isGone) {
                cancellation.unregister(number);
                fail(a, new OxbowException(CANCELLED, kind() + " '" + name + "' was deleted"), ended);
            } else {
                a.registration = number;
                line.add(a);
                serve(ended);
            }
        } finally {
            lock.unlock();
        }
        complete(ended);
    }

    /** Runs {@code change} under the lock, then tries all who wait. */
    final <T> T change(Supplier<T> change) {
        List<Attempt> ended = new ArrayList<>();
        T result;
        lock.lock();
        try {
            result = change.get();
            serve(ended);
        } finally {
            lock.unlock();
        }
        complete(ended);
        return result;
    }

    /** Under the lock: fails every attempt of a line. */
    final void failAll(Deque<Attempt> line, ErrorCode code, String message, List<Attempt> ended) {
        while (!line.isEmpty()) fail(line.poll(), new OxbowException(code, message), ended);
    }

    private static void fail(Attempt a, RuntimeException reason, List<Attempt> ended) {
        a.abandon();
        a.failure = reason;
        ended.add(a);
    }

    private void cancelled(Attempt a, OxbowException reason) {
        List<Attempt> ended = new ArrayList<>();
        lock.lock();
        try {
            if (!a.line.remove(a)) return;
            fail(a, reason, ended);
            serve(ended);
        } finally {
            lock.unlock();
        }
        complete(ended);
    }

    private void serve(List<Attempt> ended) {
        boolean changed = true;
        while (changed) {
            changed = false;
            for (int i = 0; i < lines.size(); i++) changed |= serve(lines.get(i), ordered.get(i), ended);
        }
    }

    private boolean serve(Deque<Attempt> line, boolean inOrder, List<Attempt> ended) {
        boolean changed = false;
        for (Iterator<Attempt> it = line.iterator(); it.hasNext(); ) {
            Attempt a = it.next();
            Progress p;
            try {
                p = a.run();
            } catch (RuntimeException e) {
                it.remove();
                fail(a, e, ended);
                changed = true;
                continue;
            }
            changed |= p != Progress.NONE;
            if (p == Progress.DONE) {
                it.remove();
                ended.add(a);
            } else if (inOrder) {
                break;
            }
        }
        return changed;
    }

    private void complete(List<Attempt> ended) {
        for (int i = 0; i < ended.size(); i++) { // it grows when one fails to finish and others get what it had
            Attempt a = ended.get(i);
            if (a.registration >= 0) a.c.cancellation().unregister(a.registration);
            if (a.failure == null) finish(a, ended);
            if (a.failure == null) a.completion.done();
            else a.completion.fail(a.failure);
        }
    }

    private void finish(Attempt a, List<Attempt> ended) {
        try {
            a.finish();
        } catch (RuntimeException e) {
            a.failure = e;
            lock.lock();
            try {
                a.abandon();
                if (isGone) free();
                else serve(ended);
            } finally {
                lock.unlock();
            }
        }
    }

    /** Frees what the resource holds; called under the lock. */
    abstract void free();

    @Override
    public final void close() {
        List<Attempt> ended = new ArrayList<>();
        lock.lock();
        try {
            if (isGone) return;
            isGone = true;
            for (Deque<Attempt> line : lines) failAll(line, CANCELLED, kind() + " '" + name + "' was deleted", ended);
            free();
        } finally {
            lock.unlock();
        }
        complete(ended);
    }
}
