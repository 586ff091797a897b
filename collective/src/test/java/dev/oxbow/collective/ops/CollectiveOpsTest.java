package dev.oxbow.collective.ops;

import static dev.oxbow.tensor.ErrorCode.ABORTED;
import static dev.oxbow.tensor.ErrorCode.CANCELLED;
import static dev.oxbow.tensor.ErrorCode.DEADLINE_EXCEEDED;
import static dev.oxbow.tensor.ErrorCode.FAILED_PRECONDITION;
import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.collective.Reduction;
import dev.oxbow.collective.WireFormat;
import dev.oxbow.graph.Graph;
import dev.oxbow.ops.Ops;
import dev.oxbow.ops.Value;
import dev.oxbow.runtime.EngineOptions;
import dev.oxbow.runtime.RunOptions;
import dev.oxbow.runtime.Session;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What each collective op gives, in sessions of ranks that are threads. */
final class CollectiveOpsTest {

    private static Value vector(Ops ops, float... values) {
        return ops.constant(Tensor.of(Shape.of(values.length), values));
    }

    private static Value rows(Ops ops, long... rows) {
        return ops.constant(Tensor.of(Shape.of(rows.length), rows));
    }

    private static float[] floats(Session s, Value v) {
        try (Tensor t = s.fetch(v.edge()).run().get(0)) {
            return t.floats();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 5})
    void everyRankGetsTheSumOfEachTensorInEveryStep(int size) {
        try (Ranks ranks = new Ranks(size)) {
            ranks.run(r -> {
                Graph g = new Graph();
                Ops ops = Ops.in(g);
                Value x = ops.placeholder("x", DType.F32, Shape.of(-1));
                List<Value> y = Value.applyAll(AllReduce.of(Reduction.SUM), x, x.times(x), vector(ops));
                try (Session s = r.open(g)) {
                    for (int step = 0; step < 5; step++) {
                        float mine = r.number() + step, sum = 0, squares = 0;
                        for (int q = 0; q < size; q++) {
                            sum += q + step;
                            squares += (q + step) * (q + step);
                        }
                        try (Tensor fed = Tensor.of(Shape.of(2), mine, 1)) {
                            List<Tensor> out = s.feed(x.edge(), fed)
                                    .fetch(
                                            y.get(0).edge(),
                                            y.get(1).edge(),
                                            y.get(2).edge(),
                                            x.edge())
                                    .run();
                            assertArrayEquals(
                                    new float[] {sum, size}, out.get(0).floats());
                            assertArrayEquals(
                                    new float[] {squares, size}, out.get(1).floats());
                            assertEquals(0, out.get(2).size());
                            assertArrayEquals(new float[] {mine, 1}, out.get(3).floats());
                            out.forEach(Tensor::close);
                        }
                    }
                }
                return null;
            });
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = DType.class,
            names = {"F16", "BF16", "F32", "F64", "I8", "U8", "I32", "I64", "BOOL"})
    void everyDtypeIsReduced(DType dtype) {
        try (Ranks ranks = new Ranks(2)) {
            ranks.run(r -> {
                Graph g = new Graph();
                Value x = Ops.in(g).constant(DType.I32, r.number()).cast(dtype);
                Value y = Value.apply(AllReduce.of(Reduction.MAX), x).cast(DType.F32);
                try (Session s = r.open(g)) {
                    assertArrayEquals(new float[] {1}, floats(s, y));
                }
                return null;
            });
        }
    }

    @Test
    void aValueThatOthersReadIsNotWrittenOver() {
        try (Ranks ranks = new Ranks(2)) {
            ranks.run(r -> {
                Graph g = new Graph();
                Ops ops = Ops.in(g);
                Value x = ops.placeholder("x", DType.F32, Shape.of(-1)).times(2);
                Value sum = Value.apply(AllReduce.of(Reduction.SUM), x);
                Value both = sum.plus(x);
                try (Session s = r.open(g);
                        Tensor fed = Tensor.of(Shape.of(1), r.number() + 1f)) {
                    for (int step = 0; step < 3; step++) {
                        List<Tensor> out =
                                s.feed(g.edge("x:0"), fed).fetch(both.edge()).run();
                        assertArrayEquals(
                                new float[] {6 + 2 * (r.number() + 1)},
                                out.get(0).floats());
                        out.forEach(Tensor::close);
                    }
                }
                return null;
            });
        }
    }

    @Test
    void opsMeetByTheirKeysInOrdersThatDiffer() {
        try (Ranks ranks = new Ranks(3)) {
            ranks.run(r -> {
                Graph g = new Graph();
                Ops ops = Ops.in(g);
                float[] got = new float[8];
                Value[] y = new Value[got.length];
                for (int i = 0; i < y.length; i++) {
                    int k = (i * 3 + r.number()) % y.length;
                    y[k] = Value.apply(AllReduce.of(Reduction.MEAN).withKey("k" + k), vector(ops, k));
                }
                Value all = y[0];
                for (int i = 1; i < y.length; i++) all = all.times(10).plus(y[i]);
                try (Session s = r.open(g)) {
                    assertArrayEquals(new float[] {1234567}, floats(s, all));
                }
                return null;
            });
        }
    }

    @Test
    void anOpInALoopMeetsTheSameIteration() {
        try (Ranks ranks = new Ranks(2)) {
            ranks.run(r -> {
                Graph g = new Graph();
                Ops ops = Ops.in(g);
                List<Value> end = ops.whileLoop(
                        v -> v.get(0).less(ops.constant(4)),
                        v -> List.of(v.get(0).plus(1), Value.apply(AllReduce.of(Reduction.SUM), v.get(1))),
                        List.of(ops.constant(0), ops.constant(1f)));
                try (Session s = r.open(g)) {
                    assertArrayEquals(new float[] {16}, floats(s, end.get(1)));
                }
                return null;
            });
        }
    }

    @Test
    void aReducedPrecisionOnTheWireIsTheGroups() {
        try (Ranks ranks = new Ranks(2)) {
            ranks.run(r -> {
                Graph g = new Graph();
                Value x = vector(Ops.in(g), 1.00390625f, 3);
                AllReduce op = AllReduce.of(Reduction.SUM).withWire(WireFormat.BF16);
                try (Session s = r.open(g)) {
                    assertArrayEquals(new float[] {2, 6}, floats(s, Value.apply(op, x)));
                }
                return null;
            });
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void scatteredPiecesAndGatheredRowsAreThoseOfTheWhole(int size) {
        try (Ranks ranks = new Ranks(size)) {
            ranks.run(r -> {
                Graph g = new Graph();
                Ops ops = Ops.in(g);
                float[] ten = new float[10];
                for (int i = 0; i < ten.length; i++) ten[i] = i * (r.number() + 1);
                Value x = ops.constant(Tensor.of(Shape.of(5, 2), ten));
                Value piece = Value.apply(ReduceScatter.of(Reduction.SUM), x, rows(ops));
                List<Value> all = Value.applyAll(AllGather.anyRows(), piece);
                List<Value> even = Value.applyAll(AllGather.even(), x);
                Value none = Value.applyAll(AllGather.anyRows(), ops.constant(Tensor.zeros(DType.F32, Shape.of(3, 0))))
                        .get(0);
                float factor = size * (size + 1) / 2f;
                float[] sum = new float[10];
                for (int i = 0; i < sum.length; i++) sum[i] = i * factor;
                try (Session s = r.open(g)) {
                    long mine = 5 / size + (r.number() < 5 % size ? 1 : 0);
                    List<Tensor> out = s.fetch(
                                    piece.edge(),
                                    all.get(0).edge(),
                                    all.get(1).edge(),
                                    even.get(0).edge(),
                                    none.edge())
                            .run();
                    assertEquals(Shape.of(mine, 2), out.get(0).shape());
                    assertEquals(Shape.of(5, 2), out.get(1).shape());
                    assertArrayEquals(sum, out.get(1).floats());
                    assertEquals(mine, out.get(2).longs()[r.number()]);
                    assertEquals(Shape.of(5 * size, 2), out.get(3).shape());
                    assertEquals(9 * size, out.get(3).getDouble(10 * size - 1));
                    assertEquals(Shape.of(3 * size, 0), out.get(4).shape());
                    out.forEach(Tensor::close);
                }
                return null;
            });
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void theRootsValueGoesToAllAndTheirSumToTheRoot(int size) {
        try (Ranks ranks = new Ranks(size)) {
            ranks.run(r -> {
                Graph g = new Graph();
                int root = size - 1;
                Value x = vector(Ops.in(g), r.number(), 7);
                Value y = Value.apply(Broadcast.from(root), x);
                Value sum = Value.apply(Reduce.to(root, Reduction.SUM), x);
                try (Session s = r.open(g)) {
                    assertArrayEquals(new float[] {root, 7}, floats(s, y));
                    float[] wanted = r.number() == root ? new float[] {size * root / 2f, 7 * size} : new float[] {0, 0};
                    assertArrayEquals(wanted, floats(s, sum));
                }
                return null;
            });
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void piecesOfAnySizeGoToTheirRanks(int size) {
        try (Ranks ranks = new Ranks(size)) {
            ranks.run(r -> {
                Graph g = new Graph();
                Ops ops = Ops.in(g);
                long[] sends = new long[size];
                for (int q = 0; q < size; q++) sends[q] = (r.number() + q) % 3;
                float[] mine = new float[(int) Arrays.stream(sends).sum()];
                Arrays.fill(mine, r.number());
                List<Value> y = Value.applyAll(new AllToAll(), vector(ops, mine), rows(ops, sends));
                float[] even = new float[2 * size];
                for (int i = 0; i < even.length; i++) even[i] = 10 * r.number() + i / 2;
                Value z = Value.applyAll(new AllToAll(), vector(ops, even), rows(ops))
                        .get(0);
                try (Session s = r.open(g)) {
                    List<Tensor> out =
                            s.fetch(y.get(0).edge(), y.get(1).edge(), z.edge()).run();
                    int at = 0;
                    for (int p = 0; p < size; p++) {
                        assertEquals((p + r.number()) % 3, out.get(1).longs()[p]);
                        for (int i = 0; i < (p + r.number()) % 3; i++)
                            assertEquals(p, out.get(0).getDouble(at++));
                        assertEquals(10 * p + r.number(), out.get(2).getDouble(2 * p));
                    }
                    assertEquals(at, out.get(0).size());
                    out.forEach(Tensor::close);
                }
                return null;
            });
        }
    }

    @Test
    void aTensorGoesAroundFromRankToRank() {
        try (Ranks ranks = new Ranks(3)) {
            ranks.run(r -> {
                Graph g = new Graph();
                Value x = vector(Ops.in(g), r.number());
                Value sent = Value.apply(RankSend.to((r.number() + 1) % 3, "shift"), x);
                Value came = Value.apply(RankRecv.from((r.number() + 2) % 3, "shift"), x);
                try (Session s = r.open(g)) {
                    for (int step = 0; step < 3; step++)
                        assertArrayEquals(new float[] {(r.number() + 2) % 3}, floats(s, came.plus(sent)));
                }
                return null;
            });
        }
    }

    @Test
    void namedGroupsHaveTheirOwnRanks() {
        try (Ranks ranks = new Ranks(4)) {
            ranks.run(r -> {
                int half = r.number() / 2;
                var low = r.communicator().world().subgroup(0, 1);
                var high = r.communicator().world().subgroup(2, 3);
                r.groups().with("half", half == 0 ? low : high);
                Graph g = new Graph();
                Value y = Value.apply(AllReduce.of(Reduction.SUM).withGroup("half"), vector(Ops.in(g), r.number()));
                try (Session s = r.open(g)) {
                    assertArrayEquals(new float[] {half == 0 ? 1 : 5}, floats(s, y));
                }
                return null;
            });
        }
    }

    @Test
    void aSessionWithoutGroupsSaysWhatToDo() {
        Graph g = new Graph();
        Value y = Value.apply(AllReduce.of(Reduction.SUM), vector(Ops.in(g), 1));
        try (Session s = Session.open(g, EngineOptions.defaults().withThreads(1))) {
            OxbowException e = assertThrows(OxbowException.class, () -> floats(s, y));
            assertEquals(FAILED_PRECONDITION, e.code());
            assertTrue(
                    e.getMessage()
                            .contains("AllReduce: needs a Groups, which the session has not: open it with "
                                    + "SessionOptions.withService(Groups.class, ...)"),
                    e::getMessage);
        }
    }

    @Test
    void aShapeThatDiffersFailsTheStepOnEveryRankByTheGroupsError() {
        try (Ranks ranks = new Ranks(2)) {
            ranks.run(r -> {
                Graph g = new Graph();
                Value y = Value.apply(
                        AllReduce.of(Reduction.SUM).withKey("grads"), vector(Ops.in(g), new float[3 + r.number()]));
                try (Session s = r.open(g)) {
                    OxbowException e = assertThrows(OxbowException.class, () -> floats(s, y));
                    assertEquals(INVALID_ARGUMENT, e.code(), e::getMessage);
                    assertTrue(e.getMessage().contains("all-reduce 'grads'"), e::getMessage);
                    assertTrue(e.getMessage().contains("f32[3]"), e::getMessage);
                    assertTrue(e.getMessage().contains("f32[4]"), e::getMessage);
                    assertTrue(e.getMessage().contains("node AllReduce"), e::getMessage);
                }
                return null;
            });
        }
    }

    @Test
    void aStepThatRunsOutOfTimeEndsItsCollectiveEverywhere() {
        try (Ranks ranks = new Ranks(2)) {
            List<OxbowException> errors = ranks.run(r -> {
                Graph g = new Graph();
                String key = r.number() == 0 ? "a" : "b";
                Value y = Value.apply(AllReduce.of(Reduction.SUM).withKey(key), vector(Ops.in(g), 1));
                try (Session s = r.open(g)) {
                    RunOptions options =
                            r.number() == 0 ? RunOptions.timeout(Duration.ofMillis(50)) : RunOptions.none();
                    return assertThrows(
                            OxbowException.class,
                            () -> s.fetch(y.edge()).options(options).run());
                }
            });
            assertEquals(DEADLINE_EXCEEDED, errors.get(0).code(), errors.get(0)::getMessage);
            assertEquals(ABORTED, errors.get(1).code(), errors.get(1)::getMessage);
            assertTrue(errors.get(1).getMessage().contains("rank 0"), errors.get(1)::getMessage);
        }
    }

    @Test
    void anInterruptedRunEndsWithItsStep() {
        try (Ranks ranks = new Ranks(2)) {
            ranks.run(r -> {
                if (r.number() == 1) return null;
                Graph g = new Graph();
                Value y = Value.apply(AllReduce.of(Reduction.SUM), vector(Ops.in(g), 1));
                Thread me = Thread.currentThread();
                try (Session s = r.open(g)) {
                    Thread.ofPlatform().start(() -> {
                        while (me.getState() == Thread.State.RUNNABLE) Thread.onSpinWait();
                        me.interrupt();
                    });
                    OxbowException e = assertThrows(
                            OxbowException.class, () -> s.fetch(y.edge()).run());
                    assertEquals(CANCELLED, e.code(), e::getMessage);
                    assertTrue(Thread.interrupted());
                }
                return null;
            });
        }
    }

    @Test
    void wrongInputsAreNamedWhenTheNodeIsMade() {
        Ops ops = Ops.in(new Graph());
        OxbowException e =
                assertThrows(OxbowException.class, () -> Value.apply(AllReduce.of(Reduction.AND), ops.constant(1f)));
        assertTrue(e.getMessage().contains("AllReduce: and is not defined for f32[]"), e::getMessage);
        e = assertThrows(
                OxbowException.class, () -> Value.apply(ReduceScatter.of(Reduction.SUM), ops.constant(1f), rows(ops)));
        assertTrue(e.getMessage().contains("needs a tensor with a first dimension, got f32[]"), e::getMessage);
        e = assertThrows(OxbowException.class, () -> Value.apply(RankSend.to(1, ""), ops.constant(1f)));
        assertTrue(e.getMessage().contains("RankSend: needs a key"), e::getMessage);
    }
}
