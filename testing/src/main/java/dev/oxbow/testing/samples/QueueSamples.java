package dev.oxbow.testing.samples;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.OpRegistry;
import dev.oxbow.graph.core.Placeholder;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Samples of queues, barriers, accumulators, stages and locks; no run of them waits for another. */
public final class QueueSamples extends SampleFamily {

    @Override
    public String name() {
        return "queue";
    }

    @Override
    protected void define() {
        for (String v : List.of("", "V2")) {
            for (String kind : List.of("FIFOQueue", "RandomShuffleQueue", "PaddingFIFOQueue", "PriorityQueue"))
                queue(kind, v);
            padding(v);
        }
        program("FakeQueue", p -> {
            Edge q = p.add(op("FIFOQueueV2", "component_types", List.of(DType.F32), "capacity", 3L))
                    .edge(0);
            Edge fake = p.add(op("FakeQueue"), q).edge(0);
            p.target(p.add(op("QueueEnqueueV2"), q, p.constant(Tensor.scalar(1f))));
            p.fetch(p.add(op("QueueSize"), fake).edge(0));
        });
        barrier();
        accumulators();
        stages();
        locks();
        sessionTensors();
    }

    private static Op op(String name, Object... attributes) {
        Map<String, Object> map = new HashMap<>();
        for (int i = 0; i < attributes.length; i += 2) map.put((String) attributes[i], attributes[i + 1]);
        return OpRegistry.get().definition(name).create(map);
    }

    private static Edge[] outputs(Node n) {
        Edge[] all = new Edge[n.outputCount()];
        for (int i = 0; i < all.length; i++) all[i] = n.edge(i);
        return all;
    }

    private void queue(String kind, String v) {
        boolean ranked = kind.equals("PriorityQueue");
        List<DType> types = new ArrayList<>(List.of(DType.F32, DType.STRING)), taken = new ArrayList<>(types);
        if (ranked) taken.add(0, DType.I64);
        List<Shape> shapes = List.of(Shape.of(2), Shape.SCALAR);
        for (String cover : List.of(
                kind,
                "QueueEnqueue",
                "QueueEnqueueMany",
                "QueueDequeue",
                "QueueDequeueMany",
                "QueueDequeueUpTo",
                "QueueClose",
                "QueueSize",
                "QueueIsClosed")) {
            if (!cover.equals(kind) && !kind.equals("FIFOQueue")) continue;
            program(cover + v, p -> {
                Map<String, Object> attributes =
                        new HashMap<>(Map.of("component_types", types, "shapes", shapes, "capacity", 10L));
                if (kind.startsWith("Random"))
                    attributes.putAll(Map.of("seed", 5L, "seed2", 7L, "min_after_dequeue", 1L));
                Edge q = p.add(OpRegistry.get().definition(kind + v).create(attributes))
                        .edge(0);
                List<Edge> one =
                        new ArrayList<>(List.of(q, p.constant(floats(1, 2)), p.constant(Tensor.scalar("one"))));
                List<Edge> many = new ArrayList<>(List.of(
                        q, p.constant(floats(2, 4, 2)), p.constant(Tensor.of(Shape.of(4), "a", "b", "c", "d"))));
                if (ranked) {
                    one.add(1, p.constant(Tensor.scalar(3L)));
                    many.add(1, p.constant(Tensor.of(Shape.of(4), 5L, 1L, 4L, 2L)));
                }
                Node enqueue = p.add(op("QueueEnqueue" + v), one.toArray(Edge[]::new));
                Node enqueueMany = p.add(op("QueueEnqueueMany" + v), many.toArray(Edge[]::new));
                Edge two = p.constant(Tensor.scalar(2));
                Node dequeue = p.add(op("QueueDequeue" + v, "component_types", taken), q);
                Node dequeueMany = p.add(op("QueueDequeueMany" + v, "component_types", taken), q, two);
                Node upTo =
                        p.add(op("QueueDequeueUpTo" + v, "component_types", taken), q, p.constant(Tensor.scalar(9)));
                Edge size = p.add(op("QueueSize" + v), q).edge(0);
                Edge closed = p.add(op("QueueIsClosed" + v), q).edge(0);
                Node close = p.add(op("QueueClose" + v), q);
                Node cancel = p.add(op("QueueClose" + v, "cancel_pending_enqueues", true), q);
                p.target(enqueue).target(enqueueMany).fetch(size, closed);
                p.fetch(outputs(dequeue)).fetch(outputs(dequeueMany)).fetch(size);
                p.target(close).fetch(closed).target(enqueue).target(close).target(cancel);
                if (ranked) return;
                p.fetch(outputs(upTo))
                        .fetch(outputs(upTo))
                        .fetch(outputs(dequeueMany))
                        .fetch(size);
            });
        }
        program(kind + v, p -> {
            Edge q = p.add(op(kind + v, "component_types", List.of(DType.F32), "shapes", List.of(Shape.of(2))))
                    .edge(0);
            List<Edge> inputs = new ArrayList<>(List.of(q, p.constant(floats(1, 3))));
            if (ranked) inputs.add(1, p.constant(Tensor.scalar(3L)));
            p.target(p.add(op("QueueEnqueue" + v), inputs.toArray(Edge[]::new)));
        });
    }

    private void padding(String v) {
        program("PaddingFIFOQueue" + v, p -> {
            Edge q = p.add(op(
                            "PaddingFIFOQueue" + v,
                            "component_types",
                            List.of(DType.F32, DType.STRING),
                            "shapes",
                            List.of(Shape.of(-1, 2), Shape.of(-1))))
                    .edge(0);
            Node a = p.add(
                    op("QueueEnqueue" + v), q, p.constant(floats(1, 3, 2)), p.constant(Tensor.of(Shape.of(1), "x")));
            Node b = p.add(
                    op("QueueEnqueue" + v),
                    q,
                    p.constant(floats(2, 1, 2)),
                    p.constant(Tensor.of(Shape.of(2), "y", "z")));
            p.target(a).target(b);
            p.fetch(outputs(p.add(
                    op("QueueDequeueMany" + v, "component_types", List.of(DType.F32, DType.STRING)),
                    q,
                    p.constant(Tensor.scalar(2)))));
        });
    }

    private void barrier() {
        for (String cover : List.of(
                "Barrier",
                "BarrierInsertMany",
                "BarrierTakeMany",
                "BarrierClose",
                "BarrierReadySize",
                "BarrierIncompleteSize")) {
            program(cover, p -> {
                List<DType> types = List.of(DType.F32, DType.I32);
                Edge b = p.add(op("Barrier", "component_types", types, "shapes", List.of(Shape.of(2), Shape.SCALAR)))
                        .edge(0);
                Edge keys = p.constant(Tensor.of(Shape.of(3), "a", "b", "c")),
                        some = p.constant(Tensor.of(Shape.of(2), "c", "a"));
                Node first =
                        p.add(op("BarrierInsertMany", "component_index", 0L), b, keys, p.constant(floats(1, 3, 2)));
                Node second = p.add(op("BarrierInsertMany", "component_index", 1L), b, some, p.constant(ints(7, 8)));
                Edge ready = p.add(op("BarrierReadySize"), b).edge(0),
                        open = p.add(op("BarrierIncompleteSize"), b).edge(0);
                Node take = p.add(
                        op("BarrierTakeMany", "component_types", types, "allow_small_batch", true),
                        b,
                        p.constant(Tensor.scalar(2)));
                Node close = p.add(op("BarrierClose"), b);
                p.target(first).fetch(ready, open).target(first).target(second).fetch(ready, open);
                p.fetch(outputs(take))
                        .target(close)
                        .fetch(outputs(take))
                        .target(first)
                        .target(close);
            });
        }
    }

    private void accumulators() {
        for (String pre : List.of("", "Resource")) {
            for (String reduction : List.of("MEAN", "SUM")) {
                for (String cover : List.of(
                        pre + "ConditionalAccumulator",
                        pre + "AccumulatorApplyGradient",
                        pre + "AccumulatorTakeGradient",
                        pre + "AccumulatorNumAccumulated",
                        pre + "AccumulatorSetGlobalStep")) {
                    program(cover, p -> {
                        Edge a = p.add(op(
                                        pre + "ConditionalAccumulator",
                                        "dtype",
                                        DType.F32,
                                        "shape",
                                        Shape.of(2, -1),
                                        "reduction_type",
                                        reduction))
                                .edge(0);
                        Edge step = p.constant(Tensor.scalar(1L));
                        Op apply = op(pre + "AccumulatorApplyGradient");
                        Node x = p.add(apply, a, step, p.constant(floats(1, 2, 2)));
                        Node y = p.add(apply, a, step, p.constant(floats(2, 2, 2)));
                        Node wrong = p.add(apply, a, step, p.constant(floats(2, 2, 3)));
                        Edge count =
                                p.add(op(pre + "AccumulatorNumAccumulated"), a).edge(0);
                        Node later = p.add(op(pre + "AccumulatorSetGlobalStep"), a, p.constant(Tensor.scalar(5L)));
                        Edge take = p.add(
                                        op(pre + "AccumulatorTakeGradient", "dtype", DType.F32),
                                        a,
                                        p.constant(Tensor.scalar(2)))
                                .edge(0);
                        p.target(x)
                                .fetch(count)
                                .target(y)
                                .target(wrong)
                                .fetch(take)
                                .fetch(count);
                        p.target(later).target(x).fetch(count);
                    });
                }
            }
        }
        for (String reduction : List.of("MEAN", "SUM")) {
            for (String cover : List.of(
                    "SparseConditionalAccumulator",
                    "SparseAccumulatorApplyGradient",
                    "SparseAccumulatorTakeGradient")) {
                program(cover, p -> {
                    Edge a = p.add(op(
                                    "SparseConditionalAccumulator",
                                    "dtype",
                                    DType.F32,
                                    "shape",
                                    Shape.of(4, 2),
                                    "reduction_type",
                                    reduction))
                            .edge(0);
                    Edge step = p.constant(Tensor.scalar(0L)), shape = p.constant(Tensor.of(Shape.of(2), 4L, 2L));
                    Op apply = op("SparseAccumulatorApplyGradient", "has_known_shape", true);
                    Node x = p.add(
                            apply,
                            a,
                            step,
                            p.constant(Tensor.of(Shape.of(2), 0L, 3L)),
                            p.constant(floats(1, 2, 2)),
                            shape);
                    Node y = p.add(
                            apply,
                            a,
                            step,
                            p.constant(Tensor.of(Shape.of(2), 1L, 3L)),
                            p.constant(floats(2, 2, 2)),
                            shape);
                    Node take = p.add(
                            op("SparseAccumulatorTakeGradient", "dtype", DType.F32), a, p.constant(Tensor.scalar(2)));
                    p.target(x).target(y).fetch(outputs(take));
                });
            }
        }
    }

    private void stages() {
        List<DType> types = List.of(DType.F32, DType.I32);
        Object[] area = {"dtypes", types, "shared_name", "area", "capacity", 5L};
        for (String cover : List.of("Stage", "Unstage", "StagePeek", "StageSize", "StageClear")) {
            program(cover, p -> {
                Node a = p.add(op("Stage", area), p.constant(floats(1, 2)), p.constant(ints(1)));
                Node b = p.add(op("Stage", area), p.constant(floats(2, 3)), p.constant(ints(2, 3)));
                Edge size = p.add(op("StageSize", area)).edge(0);
                p.target(a).target(b).fetch(size);
                p.fetch(outputs(p.add(op("StagePeek", area), p.constant(Tensor.scalar(1)))));
                p.fetch(outputs(p.add(op("Unstage", area)))).fetch(size);
                p.target(p.add(op("StageClear", area))).fetch(size);
            });
        }
        for (String pre : List.of("Map", "OrderedMap")) {
            for (String cover :
                    List.of("Stage", "Unstage", "Peek", "UnstageNoKey", "Size", "IncompleteSize", "Clear")) {
                program(pre + cover, p -> {
                    Edge one = p.constant(Tensor.scalar(1L)), two = p.constant(Tensor.scalar(2L));
                    Edge both = p.constant(ints(0, 1)), first = p.constant(ints(0)), second = p.constant(ints(1));
                    Node a = p.add(op(pre + "Stage", area), two, both, p.constant(floats(1, 2)), p.constant(ints(1)));
                    Node b = p.add(op(pre + "Stage", area), one, first, p.constant(floats(2, 3)));
                    Node c = p.add(op(pre + "Stage", area), one, second, p.constant(ints(2, 3)));
                    Edge size = p.add(op(pre + "Size", area)).edge(0);
                    Edge open = p.add(op(pre + "IncompleteSize", area)).edge(0);
                    p.target(a).target(b).fetch(size, open).target(c).fetch(size, open);
                    p.fetch(outputs(p.add(op(pre + "Peek", area), two, both)));
                    p.fetch(outputs(p.add(op(pre + "Unstage", area), two, both)));
                    p.fetch(outputs(p.add(op(pre + "UnstageNoKey", area), both)));
                    p.target(a).target(p.add(op(pre + "Clear", area))).fetch(size, open);
                });
            }
        }
    }

    private void locks() {
        for (String cover : List.of("MutexV2", "MutexLock", "ConsumeMutexLock")) {
            program(cover, p -> {
                Edge m = p.add(op("MutexV2", "shared_name", "m")).edge(0);
                Edge lock = p.add(op("MutexLock"), m).edge(0);
                Node consume = p.add(op("ConsumeMutexLock"), lock);
                p.target(consume).target(consume);
            });
        }
    }

    private void sessionTensors() {
        for (String cover : List.of("GetSessionHandle", "GetSessionTensor", "DeleteSessionTensor")) {
            program(cover, p -> {
                Edge handle =
                        p.add(op("GetSessionHandle"), p.constant(floats(1, 3))).edge(0);
                Edge name = p.graph()
                        .add(new Placeholder(DType.STRING, Shape.SCALAR), "name", List.of())
                        .edge(0);
                Edge back =
                        p.add(op("GetSessionTensor", "dtype", DType.F32), name).edge(0);
                Node delete = p.add(op("DeleteSessionTensor"), name);
                Tensor text = Tensor.scalar("nobody;7;/job:localhost/replica:0/task:0/device:CPU:0");
                Edge shown = p.add(op("StringJoin"), handle).edge(0);
                Map<String, Tensor> feed = Map.of("name:0", text);
                p.fetch(shown)
                        .run(feed, List.of(back))
                        .run(feed, List.of(), delete)
                        .run(feed, List.of(back));
            });
        }
    }
}
