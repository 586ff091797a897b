package dev.oxbow.collective.keyed;

import static dev.oxbow.tensor.ErrorCode.DEADLINE_EXCEEDED;
import static dev.oxbow.tensor.ErrorCode.INTERNAL;

import dev.oxbow.collective.combine.Combine;
import dev.oxbow.graph.Cancellation;
import dev.oxbow.graph.Completion;
import dev.oxbow.graph.KernelContext;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Tensor;
import java.time.Duration;
import java.util.concurrent.Future;

/** One device's part in one collective, from the group to the result. All but its start happens on one {@link Serial}. */
final class KeyedCall {
    private final KernelContext context;
    private final KeyedWork work;
    private final KeyedOp.Keys keys;
    private final Meeting meeting;
    private final Serial serial;
    private final Duration wait;
    private final Completion completion;
    private final Cancellation waits = new Cancellation();
    private final long registration;
    private Future<?> deadline;
    private Meeting.RoundWish wish;
    private Meeting.Round round;
    private RoundExchange exchange;
    private boolean ended;

    private KeyedCall(KernelContext c, KeyedWork work, KeyedOp.Keys keys, float timeoutSeconds) {
        this.context = c;
        this.work = work;
        this.keys = keys;
        this.meeting = c.service(Meeting.class);
        this.serial = new Serial(meeting.threads());
        this.wait = timeoutSeconds > 0 ? Duration.ofMillis((long) (timeoutSeconds * 1e3)) : meeting.deadline();
        this.completion = c.defer();
        this.registration = c.cancellation().register(why -> serial.execute(() -> end(why)));
    }

    /** Defers a kernel until the collective has ended. */
    static void start(KernelContext c, KeyedWork work, KeyedOp.Keys keys, float timeoutSeconds) {
        KeyedCall call = new KeyedCall(c, work, keys, timeoutSeconds);
        call.serial.execute(() -> {
            if (call.registration < 0) call.end(c.cancellation().reason());
            else call.attempt(call::join);
        });
    }

    private void attempt(Runnable what) {
        try {
            what.run();
        } catch (RuntimeException | Error e) {
            end(e instanceof OxbowException o ? o : new OxbowException(INTERNAL, String.valueOf(e), e));
        }
    }

    private void join() {
        var group = new Meeting.GroupWish(keys.group(), keys.size(), context.device(), keys.rank(), wait);
        meeting.join(group, waits, (g, error) -> serial.execute(() -> next(error, () -> begin(g))));
    }

    private void begin(KeyedGroup g) {
        wish = new Meeting.RoundWish(g, keys.instance(), context.device(), work.what(), work.isSource(), wait);
        meeting.begin(wish, waits, (r, error) -> serial.execute(() -> next(error, () -> exchange(g, r))));
    }

    private void next(OxbowException error, Runnable then) {
        if (ended) return;
        if (error != null) end(error);
        else attempt(then);
    }

    private void exchange(KeyedGroup g, Meeting.Round r) {
        round = r;
        Tensor x = context.inputCount() > 0 && work.takesInput() ? context.input(0) : null;
        Combine combine = work.combine();
        exchange = new RoundExchange(
                context,
                g,
                g.rankOf(context.device()),
                work.dtype(),
                combine,
                work.isMean(),
                meeting.rendezvous(r),
                serial,
                this::end);
        deadline = meeting.after(wait, () -> serial.execute(this::late));
        work.start(context, x, exchange, r.source());
    }

    private void late() {
        if (ended) return;
        end(new OxbowException(
                DEADLINE_EXCEEDED,
                "group %d, instance %d: after %.1f s nothing more has come from %s"
                        .formatted(keys.group(), keys.instance(), wait.toMillis() / 1e3, exchange.awaited())));
    }

    private void end(OxbowException error) {
        if (ended) return;
        ended = true;
        if (registration >= 0) context.cancellation().unregister(registration);
        if (deadline != null) deadline.cancel(false);
        waits.cancel(error != null ? error : new OxbowException(INTERNAL, "the collective has ended"));
        Throwable failure = error;
        try {
            if (error == null) work.finish();
        } catch (RuntimeException | Error e) {
            failure = e;
        }
        work.release();
        if (exchange != null) exchange.close();
        if (wish != null) meeting.ended(wish, round, error);
        if (failure == null) completion.done();
        else completion.fail(failure);
    }
}
