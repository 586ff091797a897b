package dev.oxbow.testing.session;

import dev.oxbow.graph.FunctionRef;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.TensorType;
import dev.oxbow.graph.core.PartitionedCall;
import dev.oxbow.graph.core.While;
import dev.oxbow.ops.ControlFlow;
import dev.oxbow.ops.Ops;
import dev.oxbow.ops.Value;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;

/** Graphs whose runs do not end by themselves, one for each way to go round. */
enum Endless {
    FRAME {
        @Override
        Value in(Graph g) {
            return loop(g, ControlFlow.Form.SWITCHES);
        }
    },
    INLINED {
        @Override
        Value in(Graph g) {
            return loop(g, ControlFlow.Form.FUNCTIONS);
        }
    },
    /** A While whose body contains it, and so is not inlined. */
    CALLED_WHILE {
        @Override
        Value in(Graph g) {
            Ops ops = Ops.in(g);
            return calledWhile(g, start(ops), v -> v.greaterEqual(ops.constant(0f)));
        }
    },
    FOR {
        @Override
        Value in(Graph g) {
            Ops ops = Ops.in(g);
            ops.function(
                    "body",
                    List.of(new TensorType(DType.I32, Shape.SCALAR), SCALAR),
                    v -> List.of(v.get(1).plus(1)));
            return Value.apply(
                    Ops.named("For", Map.of("body", new FunctionRef("body"))),
                    ops.constant(DType.I32, 0),
                    ops.constant(DType.I32, Integer.MAX_VALUE),
                    ops.constant(DType.I32, 1),
                    start(ops));
        }
    },
    /** A tree of calls that no machine reaches the end of, 60 deep. */
    CALLS {
        @Override
        Value in(Graph g) {
            Ops ops = Ops.in(g);
            ops.function(
                    "tree",
                    List.of(SCALAR),
                    v -> ops.cond(
                            v.get(0).greaterEqual(ops.constant(60f)),
                            () -> List.of(v.get(0)),
                            () -> List.of(call("tree", v.get(0).plus(1))
                                    .plus(call("tree", v.get(0).plus(2))))));
            return call("tree", start(ops));
        }
    },
    /** Nothing but values that go round. */
    EMPTY {
        @Override
        Value in(Graph g) {
            Ops ops = Ops.in(g);
            return ops.whileLoop(
                            ControlFlow.Form.SWITCHES,
                            v -> v.get(1),
                            v -> v,
                            List.of(start(ops), ops.placeholder("y", DType.BOOL, Shape.SCALAR)))
                    .get(0);
        }
    };

    private static final TensorType SCALAR = new TensorType(DType.F32, Shape.SCALAR);

    /** Adds the graph, with a placeholder {@code x} that is to be fed 0. */
    abstract Value in(Graph g);

    private static Value start(Ops ops) {
        return ops.placeholder("x", DType.F32, Shape.SCALAR);
    }

    private static Value loop(Graph g, ControlFlow.Form form) {
        Ops ops = Ops.in(g);
        return ops.whileLoop(
                        form,
                        v -> v.get(0).greaterEqual(ops.constant(0f)),
                        v -> List.of(v.get(0).plus(1)),
                        List.of(start(ops)))
                .get(0);
    }

    /** Counts from {@code x} by a While whose body contains it, so that one of the two is not inlined. */
    static Value calledWhile(Graph g, Value x, UnaryOperator<Value> goesOn) {
        Ops ops = Ops.in(g);
        List<TensorType> types = List.of(SCALAR, new TensorType(DType.BOOL, Shape.SCALAR));
        ops.function("goes_on", types, v -> List.of(goesOn.apply(v.get(0))));
        While again = new While(new FunctionRef("goes_on"), new FunctionRef("inner"), List.of(), 1);
        Op not = Ops.named("LogicalNot", Map.of());
        ops.function(
                "inner",
                types,
                v -> ops.cond(
                        v.get(1),
                        () -> Value.applyAll(again, v.get(0), Value.apply(not, v.get(1))),
                        () -> List.of(v.get(0).plus(1), v.get(1))));
        Value yes = ops.constant(0f).less(ops.constant(1f));
        return Value.applyAll(again, x, yes).get(0);
    }

    static Value call(String function, Value x) {
        return Value.apply(new PartitionedCall(List.of(DType.F32), new FunctionRef(function)), x);
    }
}
