package dev.oxbow.parallel.ops;

import dev.oxbow.graph.Cancellation;
import dev.oxbow.graph.Completion;
import dev.oxbow.graph.KernelContext;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/** A kernel that waits for somebody's answer, or for the end of its step, whichever comes first. */
final class Waiting {

    /** A question: gives what takes it back. The answer may come at once, on any thread. */
    @FunctionalInterface
    interface Question<T> {
        Runnable ask(BiConsumer<T, Throwable> then);
    }

    private Waiting() {}

    /** Asks as the kernel of a node, which gives its outputs by {@code give}; an answer that comes too late is for {@code drop}. */
    static <T> void run(KernelContext c, Question<T> question, Consumer<T> give, Consumer<T> drop) {
        Completion done = c.defer();
        AtomicBoolean ended = new AtomicBoolean();
        AtomicReference<Runnable> leave = new AtomicReference<>();
        Cancellation step = c.cancellation(); // with the answer the step may be over
        long cancel = step.register(reason -> {
            if (!ended.compareAndSet(false, true)) return;
            Runnable l = leave.get();
            if (l != null) l.run();
            done.fail(reason);
        });
        if (cancel < 0) {
            done.fail(step.reason());
            return;
        }
        leave.set(question.ask((answer, error) -> {
            if (!ended.compareAndSet(false, true)) {
                if (answer != null) drop.accept(answer);
                return;
            }
            step.unregister(cancel);
            if (error != null) {
                done.fail(error);
                return;
            }
            try {
                give.accept(answer);
            } catch (RuntimeException | Error e) { // whoever answers has others to answer
                done.fail(e);
                return;
            }
            done.done();
        }));
        if (step.isCancelled()) leave.get().run(); // it came in between
    }
}
