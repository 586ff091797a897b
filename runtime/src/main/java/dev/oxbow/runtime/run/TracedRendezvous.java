package dev.oxbow.runtime.run;

import dev.oxbow.graph.Rendezvous;
import dev.oxbow.graph.Tracer;
import dev.oxbow.runtime.StepContext;
import dev.oxbow.tensor.Tensor;

/** Tells a tracer of the values that a step sends and receives. */
record TracedRendezvous(Rendezvous to, Tracer tracer) implements Rendezvous {

    /** The same step, whose transfers are seen by its tracer, if it has one. */
    static StepContext in(StepContext c) {
        if (c.tracer() == null) return c;
        return new StepContext(
                c.id(), c.key(), c.cancellation(), new TracedRendezvous(c.rendezvous(), c.tracer()), c.tracer());
    }

    @Override
    public void send(String key, Tensor value) {
        tracer.sent(key, bytes(value), System.nanoTime()); // before another thread can have it
        to.send(key, value);
    }

    @Override
    public void receive(String key, Receiver then) {
        long from = System.nanoTime();
        to.receive(key, (value, error) -> {
            if (error == null) tracer.received(key, bytes(value), from, System.nanoTime());
            then.accept(value, error);
        });
    }

    private static long bytes(Tensor t) {
        return t == null ? 0 : t.byteSize();
    }

    @Override
    public void end(Throwable why) {
        to.end(why);
    }
}
