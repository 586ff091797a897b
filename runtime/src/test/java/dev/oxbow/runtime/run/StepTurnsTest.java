package dev.oxbow.runtime.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.graph.Cancellation;
import dev.oxbow.graph.Effects;
import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.Services;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.graph.Turns;
import dev.oxbow.runtime.HandMade;
import dev.oxbow.runtime.SessionOptions;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** What a step takes before it begins. */
public final class StepTurnsTest {
    private final List<String> log = new ArrayList<>();

    /** An op of the first service. */
    @Signature("HandFirst() -> () stateful")
    public record First() implements Op {
        @Override
        public List<TensorType> infer(InferenceContext c) {
            return List.of();
        }

        @Override
        public Effects effects() {
            return Effects.WRITES;
        }

        @Override
        public Class<?> service() {
            return A.class;
        }

        @Override
        public Kernel cpu() {
            return c -> {};
        }
    }

    /** An op of the second. */
    @Signature("HandSecond() -> () stateful")
    public record Second() implements Op {
        @Override
        public List<TensorType> infer(InferenceContext c) {
            return List.of();
        }

        @Override
        public Effects effects() {
            return Effects.WRITES;
        }

        @Override
        public Class<?> service() {
            return B.class;
        }

        @Override
        public Kernel cpu() {
            return c -> {};
        }
    }

    private class Desk implements Turns {
        final String name;
        final Queue<Consumer<Throwable>> asked = new ArrayDeque<>();
        boolean current = true;
        boolean atOnce = true;

        Desk(String name) {
            this.name = name;
        }

        @Override
        public Turn turn(List<Node> nodes) {
            log.add(name + " for " + nodes.stream().map(Node::name).toList());
            return new Turn() {
                @Override
                public void take(long step, String key, Cancellation cancellation, Consumer<Throwable> then) {
                    log.add(name + " asked by " + step);
                    if (atOnce) then.accept(null);
                    else asked.add(then);
                }

                @Override
                public void leave(long step, Throwable error) {
                    log.add(name + " left by " + step + (error == null ? "" : " " + error.getMessage()));
                }

                @Override
                public boolean isCurrent() {
                    return current;
                }
            };
        }
    }

    private final class A extends Desk {
        A() {
            super("a");
        }
    }

    private final class B extends Desk {
        B() {
            super("b");
        }
    }

    private final A a = new A();
    private final B b = new B();
    private final HandMade made = new HandMade();
    private final List<Throwable> told = new ArrayList<>();
    private final List<Runnable> later = new ArrayList<>();

    private StepTurns turns() {
        Services services = SessionOptions.defaults().withService(A.class, a).withService(B.class, b)::service;
        return StepTurns.of(List.of(made.graph), services);
    }

    private void take(StepTurns turns) {
        turns.take(7, null, new Cancellation(), later::add, told::add);
    }

    @Test
    void aGraphWithoutSuchOpsBeginsAtOnce() {
        made.negate("y", made.input("x", 1));
        take(turns());
        assertNull(told.getFirst());
        assertEquals(List.of(), log);
    }

    @Test
    void turnsAreTakenInTheSameOrderHoweverTheGraphWasWritten() {
        made.node("second", new Second());
        made.node("first", new First());
        StepTurns turns = turns();
        take(turns);
        turns.leave(7, null);
        assertEquals(
                List.of(
                        "a for [first]",
                        "b for [second]",
                        "a asked by 7",
                        "b asked by 7",
                        "b left by 7",
                        "a left by 7"),
                log);
        assertEquals(1, told.size());
        assertTrue(later.isEmpty());
    }

    @Test
    void aTurnThatComesLaterBeginsTheStepInTheExecutor() {
        made.node("first", new First());
        a.atOnce = false;
        take(turns());
        assertTrue(told.isEmpty());
        a.asked.remove().accept(null);
        assertTrue(told.isEmpty(), "not on the thread that says so");
        later.forEach(Runnable::run);
        assertEquals(1, told.size());
    }

    @Test
    void aRefusalGivesUpTheTurnsThatWereTaken() {
        made.node("first", new First());
        made.node("second", new Second());
        b.atOnce = false;
        take(turns());
        IllegalStateException no = new IllegalStateException("no");
        b.asked.remove().accept(no);
        later.forEach(Runnable::run);
        assertSame(no, told.getFirst());
        assertTrue(log.contains("a left by 7"));
        assertFalse(log.contains("b left by 7"));
    }

    @Test
    void turnsAreCurrentAsLongAsAllServicesSaySo() {
        made.node("first", new First());
        made.node("second", new Second());
        StepTurns turns = turns();
        assertTrue(turns.areCurrent());
        b.current = false;
        assertFalse(turns.areCurrent());
    }
}
