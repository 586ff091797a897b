package dev.oxbow.testing.session;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.oxbow.graph.Completion;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Ops;
import dev.oxbow.ops.Value;
import dev.oxbow.runtime.EngineOptions;
import dev.oxbow.runtime.Session;
import dev.oxbow.runtime.SessionOptions;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.ErrorCode;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Ops that wait start as soon as they can, find services of their session, and may write over what only they read. */
final class WaitingOpsTest {

    /** What ran, in order; the wait that started ends when {@code last} has run. */
    private static final class Log {
        final List<String> ran = new ArrayList<>();
        Completion waiting;

        synchronized void note(String node) {
            ran.add(node);
            if (node.equals("last") && waiting != null) waiting.done();
        }

        synchronized void waits(KernelContext c) {
            ran.add(c.node());
            waiting = c.defer();
            if (ran.contains("last")) waiting.done();
        }
    }

    /** A copy of its input that leaves a note. */
    @Signature("Noted(x: T) -> (y: T) {T: type} stateful")
    record Noted() implements Op {
        @Override
        public List<TensorType> infer(InferenceContext c) {
            return List.of(c.input(0));
        }

        @Override
        public Kernel cpu() {
            return c -> {
                Memory.copy(
                        c.input(0).address(), c.output(0).address(), c.input(0).byteSize());
                c.service(Log.class).note(c.node());
            };
        }
    }

    /** Its input, once the log lets it go. */
    @Signature("Held(x: T) -> (y: T) {T: type} stateful")
    record Held() implements Op {
        @Override
        public List<TensorType> infer(InferenceContext c) {
            return List.of(c.input(0));
        }

        @Override
        public boolean waits() {
            return true;
        }

        @Override
        public boolean suppliesOutputs() {
            return true;
        }

        @Override
        public Kernel cpu() {
            return c -> {
                if (c.mayOverwrite(0)) c.service(Log.class).ran.add("alone");
                c.forward(0, 0);
                c.service(Log.class).waits(c);
            };
        }
    }

    private final Graph g = new Graph();
    private final Value x = Ops.in(g).placeholder("x", DType.F32, Shape.of(-1));

    private Value add(Op op, String name, Value input) {
        return Value.of(g.add(op, name, List.of(input.edge())).edge(0));
    }

    private List<List<String>> runs(Value fetch) {
        List<List<String>> all = new ArrayList<>();
        Log log = new Log();
        SessionOptions options = SessionOptions.defaults().withService(Log.class, log);
        try (Session s = Session.open(g, EngineOptions.defaults().withThreads(1), options);
                Tensor fed = Tensor.of(Shape.of(2), 1f, 2f)) {
            for (int run = 0; run < 4; run++) {
                s.feed(x.edge(), fed).fetch(fetch.edge()).run().forEach(Tensor::close);
                all.add(List.copyOf(log.ran));
                log.ran.clear();
                log.waiting = null;
            }
        }
        return all;
    }

    @Test
    void aWaitingOpStartsBeforeWhatDoesNotNeedItGoesOn() {
        Value first = add(new Noted(), "first", x);
        Value held = add(new Held(), "held", first);
        Value last = add(new Noted(), "last", add(new Noted(), "second", x.times(2)));
        for (List<String> run : runs(held.plus(last)))
            assertEquals(List.of("first", "alone", "held", "second", "last"), run);
    }

    @Test
    void aValueThatAnotherReadsIsNotTheWaitingOpsAlone() {
        Value first = add(new Noted(), "first", x);
        Value held = add(new Held(), "held", first);
        Value last = add(new Noted(), "last", first);
        for (List<String> run : runs(held.plus(last))) assertEquals(List.of("first", "held", "last"), run);
    }

    @Test
    void aMissingServiceIsNamedWithTheOpAndWhatToDo() {
        Value y = add(new Noted(), "noted", x);
        try (Session s = Session.open(g);
                Tensor fed = Tensor.of(Shape.of(1), 1f)) {
            OxbowException e = assertThrows(
                    OxbowException.class,
                    () -> s.feed(x.edge(), fed).fetch(y.edge()).run());
            assertEquals(ErrorCode.FAILED_PRECONDITION, e.code());
            assertEquals(
                    "Noted: needs a Log, which the session has not: open it with SessionOptions.withService(Log.class, ...)",
                    e.getMessage().replaceAll(" \\(node.*", ""));
        }
    }
}
