package dev.oxbow.cluster.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.cluster.rpc.Traffic;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.ops.Ops;
import dev.oxbow.ops.Parameter;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.dataset.IteratorGetNext;
import dev.oxbow.ops.dataset.IteratorV2;
import dev.oxbow.ops.dataset.MakeIterator;
import dev.oxbow.ops.dataset.RepeatDataset;
import dev.oxbow.ops.dataset.TensorSliceDataset;
import dev.oxbow.ops.io.ReadFile;
import dev.oxbow.ops.io.ReaderReadV2;
import dev.oxbow.ops.io.WholeFileReaderV2;
import dev.oxbow.ops.queue.FIFOQueueV2;
import dev.oxbow.ops.queue.QueueDequeueV2;
import dev.oxbow.ops.queue.QueueEnqueueV2;
import dev.oxbow.ops.text.DecodeRaw;
import dev.oxbow.runtime.EngineOptions;
import dev.oxbow.runtime.Session;
import dev.oxbow.runtime.SessionOptions;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Results;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Input comes in where it is needed: its bytes pass neither the client nor another task. */
@Timeout(300)
final class InputPlacesTest {
    private static final ServerOptions OPTIONS = ServerOptions.defaults()
            .withEngine(EngineOptions.defaults().withThreads(1))
            .withEventLoops(1);
    private static final int SIZE = 1 << 18;

    @TempDir
    Path folder;

    private final Graph graph = new Graph();
    private final Ops ops = Ops.in(graph);
    private Path file;

    @BeforeEach
    void write() throws Exception {
        ByteBuffer bytes = ByteBuffer.allocate(4 * SIZE).order(ByteOrder.LITTLE_ENDIAN);
        for (int i = 0; i < SIZE; i++) bytes.putFloat(i % 7);
        file = Files.write(folder.resolve("input.raw"), bytes.array());
    }

    private static float sum() {
        float s = 0;
        for (int i = 0; i < SIZE; i++) s += i % 7;
        return s;
    }

    private Value decoded(Value text) {
        return ops.add(new DecodeRaw(DType.F32, true), text).getFirst();
    }

    /** What task 1 makes of it, where its variable is. */
    private Value needed(Value x) {
        try (var _ = graph.device("/job:worker/task:1")) {
            return x.sum();
        }
    }

    private LocalCluster start() {
        return LocalCluster.start(LocalCluster.onFreePorts(Map.of("worker", 2)), OPTIONS, LocalCluster.Links.MESSAGES);
    }

    private static long bytes(LocalCluster c, int task, String what) {
        Traffic.Count n = c.server("worker", task).traffic().counts().get(what);
        return n == null ? 0 : n.answeredBytes();
    }

    /** Runs steps, and checks that next to nothing went by the client or between tasks. */
    private void check(LocalCluster c, Session s, Value y, int steps) {
        for (int i = 0; i < steps; i++)
            try (Results r = s.fetch(y.edge()).run()) {
                assertEquals(sum(), r.get(0).floats()[0], 1e-3 * sum());
            }
        for (int task = 0; task < 2; task++)
            for (String way : List.of("RunStep", "RunGraph", "RecvTensor", "Want"))
                assertTrue(bytes(c, task, way) < 1000 * steps, way + " of task " + task + ": " + bytes(c, task, way));
    }

    @Test
    void aFileIsReadAndDecodedInTheTaskThatNeedsIt() {
        Value y = needed(decoded(ops.add(new ReadFile(), ops.constant(Tensor.scalar(file.toString())))
                .getFirst()));
        try (LocalCluster c = start();
                Session s = Session.open(c.target(), graph, SessionOptions.defaults())) {
            check(c, s, y, 3);
            String where = s.explain(List.of(), List.of(y.edge()), List.of(), false);
            assertTrue(
                    where.contains("(ReadFile): /job:worker/replica:0/task:1/device:CPU:0, where its input is"), where);
            assertTrue(where.contains("(DecodeRaw): /job:worker/replica:0/task:1/device:CPU:0, where its"), where);
        }
    }

    @Test
    void aReaderAndTheQueuesAroundItAreInTheTaskThatNeedsThem() {
        Value names = ops.add(new FIFOQueueV2(List.of(DType.STRING), List.of(Shape.SCALAR), 100, "", "names"))
                .getFirst();
        Node fill = graph.add(
                new QueueEnqueueV2(-1),
                List.of(
                        names.edge(),
                        ops.constant(Tensor.scalar(file.toString())).edge()));
        Value reader = ops.add(new WholeFileReaderV2("", "")).getFirst();
        Value text = ops.add(new ReaderReadV2(), reader, names).get(1);
        Value batches = ops.add(new FIFOQueueV2(List.of(DType.F32), List.of(Shape.of(SIZE)), 4, "", "batches"))
                .getFirst();
        Node put = graph.add(
                new QueueEnqueueV2(-1), List.of(batches.edge(), decoded(text).edge()));
        Value y = needed(
                ops.add(new QueueDequeueV2(List.of(DType.F32), -1), batches).getFirst());
        try (LocalCluster c = start();
                Session s = Session.open(c.target(), graph, SessionOptions.defaults())) {
            for (int i = 0; i < 3; i++) {
                s.target(fill).run().close();
                s.target(put).run().close();
            }
            check(c, s, y, 3);
        }
    }

    @Test
    void aDataSetIsWalkedInTheTaskThatNeedsItAndAVariableStays() {
        Value data = ops.add(
                        new TensorSliceDataset(List.of(Shape.SCALAR), false, "", false),
                        ops.constant(Tensor.of(Shape.of(1), file.toString())))
                .getFirst();
        Value repeated = ops.add(
                        new RepeatDataset(List.of(DType.STRING), List.of(Shape.SCALAR), ""),
                        data,
                        ops.constant(Tensor.scalar(-1L)))
                .getFirst();
        Value iterator = ops.add(new IteratorV2("it", "", List.of(DType.STRING), List.of(Shape.SCALAR)))
                .getFirst();
        Node begin = graph.add(new MakeIterator(), List.of(repeated.edge(), iterator.edge()));
        Value name = ops.add(new IteratorGetNext(List.of(DType.STRING), List.of(Shape.SCALAR)), iterator)
                .getFirst();
        Value x = decoded(ops.add(new ReadFile(), name).getFirst());
        Parameter v = Parameter.of("v", ops.constant(1f));
        Value y = needed(x.times(1)), z = needed(v.value());
        try (LocalCluster c = start();
                Session s = Session.open(c.target(), graph, SessionOptions.defaults())) {
            s.target(begin).run().close();
            check(c, s, y, 3);
            String where = s.explain(List.of(), List.of(y.edge()), List.of(), false);
            assertTrue(where.contains("(IteratorGetNext): /job:worker/replica:0/task:1/"), where);
            String variable = s.explain(List.of(), List.of(z.edge()), List.of(), false);
            assertTrue(variable.contains("(VarHandleOp): /job:worker/replica:0/task:0/"), variable);
        }
    }

    @Test
    void whatSeveralTasksNeedStaysWhereItIs() {
        Value x = decoded(ops.add(new ReadFile(), ops.constant(Tensor.scalar(file.toString())))
                .getFirst());
        Value y = needed(x), z;
        try (var _ = graph.device("/job:worker/task:0")) {
            z = x.max();
        }
        try (LocalCluster c = start();
                Session s = Session.open(c.target(), graph, SessionOptions.defaults());
                Results r = s.fetch(y.edge(), z.edge()).run()) {
            assertEquals(6, r.get(1).floats()[0]);
            String where = s.explain(List.of(), List.of(y.edge(), z.edge()), List.of(), false);
            assertTrue(where.contains("(ReadFile): /job:worker/replica:0/task:0/device:CPU:0, the first"), where);
        }
    }
}
