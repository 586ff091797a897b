package dev.oxbow.testing.conformance;

import dev.oxbow.tensor.ErrorCode;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

/** An engine whose "graph" is a line of text that says what a run does. */
final class FakeEngine implements Engine {
    final AtomicInteger open = new AtomicInteger();

    @Override
    public String name() {
        return "fake";
    }

    @Override
    public Set<String> missingOps(byte[] graph) {
        String text = text(graph);
        return text.startsWith("needs ")
                ? Set.of(text.substring("needs ".length()).split(" "))
                : Set.of();
    }

    @Override
    public Program open(byte[] graph) {
        if (text(graph).equals("refuse")) throw new OxbowException(ErrorCode.INVALID_ARGUMENT, "graph refused");
        open.incrementAndGet();
        return new FakeProgram(text(graph));
    }

    private static String text(byte[] graph) {
        return new String(graph, StandardCharsets.UTF_8);
    }

    private final class FakeProgram implements Program {
        private final String text;
        private int runs;

        FakeProgram(String text) {
            this.text = text;
        }

        @Override
        public List<Tensor> run(
                Map<String, Tensor> feeds, List<String> fetches, List<String> targets, Duration deadline) {
            runs++;
            return switch (text) {
                case "one two" -> List.of(Tensor.of(Shape.of(2), 1f, 2f));
                case "echo" ->
                    fetches.stream().map(feeds::get).map(Tensor::retain).toList();
                case "count" -> List.of(Tensor.scalar(runs));
                case "nothing" -> List.of();
                case "hang" -> hang();
                case "patience" ->
                    throw new OxbowException(
                            deadline.compareTo(Duration.ofSeconds(1)) < 0
                                    ? ErrorCode.DEADLINE_EXCEEDED
                                    : ErrorCode.INTERNAL,
                            "waited");
                case "crash" -> throw new IllegalStateException("crashed");
                default -> throw new OxbowException(ErrorCode.valueOf(text), "it failed\nas told");
            };
        }

        private static List<Tensor> hang() {
            try {
                new CountDownLatch(1).await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            return List.of();
        }

        @Override
        public void close() {
            open.decrementAndGet();
        }
    }
}
