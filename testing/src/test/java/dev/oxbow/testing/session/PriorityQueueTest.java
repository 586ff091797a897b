package dev.oxbow.testing.session;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.ops.Ops;
import dev.oxbow.ops.Value;
import dev.oxbow.runtime.Session;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Results;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Elements that are taken together from a queue with priorities are in order, whenever they came. */
@Timeout(300)
final class PriorityQueueTest {
    private final Graph graph = new Graph();
    private final Ops ops = Ops.in(graph);

    @Test
    void aDequeueOfSeveralWaitsForAllOfThemAndGivesTheSmallestFirst() throws Exception {
        Map<String, Object> kind = Map.of(
                "component_types", List.of(), "shapes", List.of(), "capacity", 10L, "container", "", "shared_name", "");
        Value queue = ops.add(Ops.named("PriorityQueueV2", kind)).getFirst();
        Value x = ops.placeholder("x", DType.I64, Shape.SCALAR);
        Node put = graph.add(Ops.named("QueueEnqueueV2", Map.of("timeout_ms", -1L)), List.of(queue.edge(), x.edge()));
        Value got = ops.add(
                        Ops.named(
                                "QueueDequeueManyV2", Map.of("component_types", List.of(DType.I64), "timeout_ms", -1L)),
                        queue,
                        ops.constant(3))
                .getFirst();
        try (Session s = Session.open(graph)) {
            CompletableFuture<long[]> all = new CompletableFuture<>();
            Thread.ofVirtual().start(() -> {
                try (Results r = s.fetch(got.edge()).run()) {
                    all.complete(r.get(0).longs());
                } catch (Throwable e) {
                    all.completeExceptionally(e);
                }
            });
            for (long v : new long[] {3, 1})
                s.feed(x.edge(), Tensor.scalar(v)).target(put).run().close();
            assertFalse(all.isDone());
            s.feed(x.edge(), Tensor.scalar(2L)).target(put).run().close();
            assertArrayEquals(new long[] {1, 2, 3}, all.get(30, TimeUnit.SECONDS));
        }
    }
}
