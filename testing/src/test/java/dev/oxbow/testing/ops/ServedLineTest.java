package dev.oxbow.testing.ops;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.oxbow.graph.Cancellation;
import dev.oxbow.ops.queue.ServedLine;
import dev.oxbow.tensor.ErrorCode;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Who waits in a line is served in order, or told when its step has ended; the line may be long. */
final class ServedLineTest {
    private static final int MANY = 200_000;

    private final ServedLine line = new ServedLine("the door");
    private final List<Object> told = new ArrayList<>();
    private final List<Runnable> served = new ArrayList<>();

    private Cancellation ask(Object who) {
        Cancellation step = new Cancellation();
        line.ask(step, e -> told.add(who + " " + e.code()), ended -> {
            told.add(who);
            served.add(ended);
        });
        return step;
    }

    @Test
    void aLongLineIsServedInOrderWithoutADeepStack() {
        ask("first");
        Cancellation step = new Cancellation();
        for (int i = 0; i < MANY; i++) {
            int number = i;
            line.ask(step, e -> told.add(e), ended -> {
                told.add(number);
                ended.run();
            });
        }
        assertEquals(List.of("first"), told);
        served.removeFirst().run();
        assertEquals(IntStream.range(0, MANY).boxed().toList(), told.subList(1, told.size()));
    }

    @Test
    void whoseStepIsCancelledLeavesAtOnceAndTheOthersStay() {
        ask("a");
        Cancellation b = ask("b");
        ask("c");
        b.cancel(ErrorCode.DEADLINE_EXCEEDED, "too late");
        assertEquals(List.of("a", "b DEADLINE_EXCEEDED"), told);
        served.removeFirst().run();
        assertEquals(List.of("a", "b DEADLINE_EXCEEDED", "c"), told);
    }

    @Test
    void whoAsksForACancelledStepOrAtAClosedDoorIsRefused() {
        Cancellation over = new Cancellation();
        over.cancel(ErrorCode.CANCELLED, "over");
        line.ask(over, e -> told.add(e.code()), _ -> told.add("served"));
        ask("a");
        ask("b");
        line.close();
        ask("c");
        assertEquals(List.of(ErrorCode.CANCELLED, "a", "b CANCELLED", "c CANCELLED"), told);
    }
}
