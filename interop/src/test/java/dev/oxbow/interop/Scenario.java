package dev.oxbow.interop;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.oxbow.graph.Function;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.ControlFlow.Form;
import dev.oxbow.ops.Ops;
import dev.oxbow.ops.Parameter;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.queue.FIFOQueueV2;
import dev.oxbow.ops.queue.QueueDequeueV2;
import dev.oxbow.ops.queue.QueueEnqueueV2;
import dev.oxbow.ops.state.AssignAddVariableOp;
import dev.oxbow.ops.text.StringJoin;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A graph over two tasks, what is run of it, and what comes out, checked by hand. */
enum Scenario {
    FEEDS {
        @Override
        Case build(Graph g, Ops ops, String unique) {
            Value x = ops.placeholder("x", DType.F32, Shape.of(3)), a, b;
            try (var _ = g.device(ONE)) {
                a = x.times(2);
            }
            try (var _ = g.device(ZERO)) {
                b = a.plus(x);
            }
            Tensor fed = Tensor.of(Shape.of(3), 1f, 2f, -4f);
            return new Case(List.of(new Run(
                    Map.of("x:0", fed),
                    List.of(a, b),
                    List.of(),
                    List.of(List.of(2f, 4f, -8f), List.of(3f, 6f, -12f)))));
        }
    },

    VARIABLES_ON_BOTH_TASKS {
        @Override
        Case build(Graph g, Ops ops, String unique) {
            Parameter v, w;
            Value add;
            String update;
            try (var _ = g.device(ZERO)) {
                v = Parameter.of(unique + "v", ops.constant(10f));
            }
            try (var _ = g.device(ONE)) {
                w = Parameter.of(unique + "w", ops.constant(1f));
            }
            try (var _ = g.device(ONE)) {
                add = v.value().plus(w.value());
                update = g.add(
                                new AssignAddVariableOp(),
                                List.of(w.handle().edge(), v.value().edge()))
                        .name();
            }
            return new Case(List.of(
                    new Run(
                            Map.of(),
                            List.of(),
                            List.of(v.initialiser().name(), w.initialiser().name()),
                            List.of()),
                    new Run(Map.of(), List.of(add), List.of(), List.of(List.of(11f))),
                    new Run(Map.of(), List.of(), List.of(update), List.of()),
                    new Run(Map.of(), List.of(), List.of(update), List.of()),
                    new Run(Map.of(), List.of(add, w.value()), List.of(), List.of(List.of(31f), List.of(21f)))));
        }
    },

    A_DEAD_BRANCH_ACROSS_TASKS {
        @Override
        Case build(Graph g, Ops ops, String unique) {
            Value p = ops.placeholder("p", DType.BOOL, Shape.SCALAR), x = ops.placeholder("x", DType.F32, Shape.SCALAR);
            Value y = ops.cond(
                            Form.SWITCHES,
                            p,
                            () -> {
                                try (var _ = g.device(ONE)) {
                                    return List.of(x.times(3));
                                }
                            },
                            () -> {
                                try (var _ = g.device(ZERO)) {
                                    return List.of(x.minus(1));
                                }
                            })
                    .getFirst();
            Value z;
            try (var _ = g.device(ONE)) {
                z = y.times(10);
            }
            Tensor five = Tensor.scalar(5f);
            return new Case(List.of(
                    new Run(
                            Map.of("p:0", Tensor.scalar(true), "x:0", five),
                            List.of(z),
                            List.of(),
                            List.of(List.of(150f))),
                    new Run(
                            Map.of("p:0", Tensor.scalar(false), "x:0", five),
                            List.of(z, y),
                            List.of(),
                            List.of(List.of(40f), List.of(4f)))));
        }
    },

    A_WHILE_LOOP_ACROSS_TASKS {
        @Override
        Case build(Graph g, Ops ops, String unique) {
            return loop(g, ops, 25);
        }
    },

    A_LONG_WHILE_LOOP_ACROSS_TASKS {
        @Override
        Case build(Graph g, Ops ops, String unique) {
            return loop(g, ops, 10_000);
        }
    },

    A_QUEUE {
        @Override
        Case build(Graph g, Ops ops, String unique) {
            Value x = ops.placeholder("x", DType.F32, Shape.SCALAR), got;
            String put;
            try (var _ = g.device(ONE)) {
                var op = new FIFOQueueV2(List.of(DType.F32), List.of(Shape.SCALAR), 10, "", unique + "q");
                Value queue = ops.add(op).getFirst();
                put = g.add(new QueueEnqueueV2(-1), List.of(queue.edge(), x.edge()))
                        .name();
                got = ops.add(new QueueDequeueV2(List.of(DType.F32), -1), queue).getFirst();
            }
            Value twice;
            try (var _ = g.device(ZERO)) {
                twice = got.times(2);
            }
            return new Case(List.of(
                    new Run(Map.of("x:0", Tensor.scalar(7f)), List.of(), List.of(put), List.of()),
                    new Run(Map.of("x:0", Tensor.scalar(8f)), List.of(), List.of(put), List.of()),
                    new Run(Map.of(), List.of(twice), List.of(), List.of(List.of(14f))),
                    new Run(Map.of(), List.of(twice), List.of(), List.of(List.of(16f)))));
        }
    },

    A_FUNCTION {
        @Override
        Case build(Graph g, Ops ops, String unique) {
            Function f = ops.function(
                    "affine",
                    List.of(TensorType.of(DType.F32), TensorType.of(DType.F32)),
                    a -> List.of(a.get(0).times(a.get(1)).plus(1), a.get(0).minus(a.get(1))));
            Value x = ops.placeholder("x", DType.F32, Shape.SCALAR), y;
            List<Value> called;
            try (var _ = g.device(ZERO)) {
                y = x.plus(1);
            }
            try (var _ = g.device(ONE)) {
                called = ops.call(f, x, y);
            }
            Value sum;
            try (var _ = g.device(ZERO)) {
                sum = called.get(0).plus(called.get(1));
            }
            return new Case(List.of(new Run(
                    Map.of("x:0", Tensor.scalar(4f)),
                    List.of(sum, called.get(0)),
                    List.of(),
                    List.of(List.of(20f), List.of(21f)))));
        }
    },

    STRINGS {
        @Override
        Case build(Graph g, Ops ops, String unique) {
            Value a, b, joined;
            try (var _ = g.device(ONE)) {
                a = ops.constant(Tensor.ofObjects(DType.STRING, Shape.of(2), "left".getBytes(UTF_8), new byte[0]));
                b = ops.add(new StringJoin("-"), a, a).getFirst();
            }
            try (var _ = g.device(ZERO)) {
                joined = ops.add(new StringJoin("/"), a, b).getFirst();
            }
            return new Case(
                    List.of(new Run(Map.of(), List.of(joined), List.of(), List.of(List.of("left/left-left", "/-")))));
        }
    };

    static final String ZERO = "/job:worker/task:0";
    static final String ONE = "/job:worker/task:1";

    /** One run: expected numbers or strings for each fetch. */
    record Run(Map<String, Tensor> feeds, List<Value> fetches, List<String> targets, List<List<?>> expected) {
        List<String> names() {
            return fetches.stream().map(v -> v.edge().name()).toList();
        }
    }

    record Case(List<Run> runs) {}

    abstract Case build(Graph g, Ops ops, String unique);

    /** Counts on one task and sums on the other. */
    private static Case loop(Graph g, Ops ops, int iterations) {
        Value n = ops.placeholder("n", DType.F32, Shape.SCALAR);
        List<Value> end = ops.whileLoop(
                Form.SWITCHES,
                v -> {
                    try (var _ = g.device(ZERO)) {
                        return v.get(0).less(n);
                    }
                },
                v -> {
                    List<Value> next = new ArrayList<>();
                    try (var _ = g.device(ZERO)) {
                        next.add(v.get(0).plus(1));
                    }
                    try (var _ = g.device(ONE)) {
                        next.add(v.get(1).plus(v.get(0)));
                    }
                    return next;
                },
                List.of(ops.constant(0f), ops.constant(0f)));
        Value sum;
        try (var _ = g.device(ZERO)) {
            sum = end.get(1).plus(0);
        }
        float expected = 0; // floats lose the last digits of a long sum, here as there
        for (int i = 0; i < iterations; i++) expected += i;
        return new Case(List.of(new Run(
                Map.of("n:0", Tensor.scalar((float) iterations)),
                List.of(sum),
                List.of(),
                List.of(List.of(expected)))));
    }
}
