package dev.oxbow.testing.samples;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Function;
import dev.oxbow.graph.FunctionRef;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.OpRegistry;
import dev.oxbow.graph.TensorType;
import dev.oxbow.graph.core.Case;
import dev.oxbow.graph.core.ControlTrigger;
import dev.oxbow.graph.core.Enter;
import dev.oxbow.graph.core.Exit;
import dev.oxbow.graph.core.Identity;
import dev.oxbow.graph.core.LoopCond;
import dev.oxbow.graph.core.Merge;
import dev.oxbow.graph.core.NextIteration;
import dev.oxbow.graph.core.NoOp;
import dev.oxbow.graph.core.PartitionedCall;
import dev.oxbow.graph.core.Placeholder;
import dev.oxbow.graph.core.RefEnter;
import dev.oxbow.graph.core.RefExit;
import dev.oxbow.graph.core.RefIdentity;
import dev.oxbow.graph.core.RefMerge;
import dev.oxbow.graph.core.RefNextIteration;
import dev.oxbow.graph.core.RefSwitch;
import dev.oxbow.graph.core.StatelessCase;
import dev.oxbow.graph.core.Switch;
import dev.oxbow.ops.ControlFlow;
import dev.oxbow.ops.Ops;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.math.Less;
import dev.oxbow.ops.state.Assign;
import dev.oxbow.ops.state.VariableV2;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Samples of branches, loops, calls, lists, tensor arrays, stacks, optionals, checks and prints. */
public final class FlowSamples extends SampleFamily {

    @Override
    public String name() {
        return "flow";
    }

    @Override
    protected void define() {
        passing();
        checks();
        branches();
        loops();
        calls();
        lists();
        listsOfParts();
        stacks();
        arrays();
        optionals();
    }

    private static Op op(String name, Object... attributes) {
        Map<String, Object> map = new HashMap<>();
        for (int i = 0; i < attributes.length; i += 2) map.put((String) attributes[i], attributes[i + 1]);
        return OpRegistry.get().definition(name).create(map);
    }

    private static Tensor vector(int... v) {
        return Tensor.of(Shape.of(v.length), v);
    }

    private static Tensor longs(long... v) {
        return Tensor.of(Shape.of(v.length), v);
    }

    private static Edge placeholder(Program p, Tensor like) {
        return p.add(new Placeholder(like.dtype(), like.shape())).edge(0);
    }

    /** One run that feeds {@code x} and whose outputs are checked against differences. */
    private static void check(Program p, Edge x, Tensor value, Edge... fetches) {
        p.run(Map.of(x.name(), value), List.of(fetches));
        p.gradient(
                List.of(x),
                Arrays.stream(fetches)
                        .filter(e -> e.type().dtype().isFloating())
                        .toList());
    }

    private void passing() {
        for (Tensor t :
                List.of(floats(1, 2, 3), doubles(2, 0), vector(1, 2), Tensor.scalar(true), Tensor.scalar("s"))) {
            sample(op("StopGradient"), t);
            sample(new Identity(), t);
        }
        sampleWithoutGradient(op("PreventGradient", "message", "no"), floats(3, 2));
        sample(op("IdentityN"), floats(4, 2), vector(3), doubles(5, 1, 2));
        for (Tensor t : List.of(
                Tensor.scalar(0),
                Tensor.scalar(2.5f),
                Tensor.scalar(""),
                Tensor.scalar("x"),
                floats(1, 0),
                floats(1, 2))) sample(op("ToBool"), t);
        program("NoOp", p -> {
            Node none = p.add(new NoOp()), trigger = p.graph().add(new ControlTrigger(), List.of());
            Edge x = p.constant(floats(1, 2));
            try (Graph.Scope _ = p.graph().after(none, trigger)) {
                p.fetch(p.add(new Identity(), x).edge(0));
            }
        });
    }

    private void checks() {
        for (boolean holds : new boolean[] {true, false}) {
            program("Assert", p -> {
                Edge c = p.constant(Tensor.scalar(holds)), x = p.constant(vector(1, 2, 3, 4));
                Edge s = p.constant(Tensor.scalar("what"));
                p.target(p.add(op("Assert", "summarize", 2L), c, x, s));
            });
        }
        sample(op("Print", "message", "m", "first_n", 0L), floats(1, 2), vector(1));
        program(
                "PrintV2",
                p -> p.target(p.add(op("PrintV2", "output_stream", "log(info)"), p.constant(Tensor.scalar("p")))));
        for (String name : List.of("CheckNumerics", "CheckNumericsV2")) {
            sample(op(name, "message", "m"), floats(1, 2, 2));
            sample(op(name, "message", "m"), random(DType.F64, 0, 1, 3, 0));
            sampleWithoutGradient(op(name, "message", "m"), Tensor.of(Shape.of(2), 1f, Float.NaN));
            sampleWithoutGradient(op(name, "message", "m"), Tensor.of(Shape.of(2), Float.NEGATIVE_INFINITY, 1f));
        }
    }

    private void branches() {
        for (boolean side : new boolean[] {true, false}) {
            for (ControlFlow.Form form : ControlFlow.Form.values()) {
                program(form == ControlFlow.Form.FUNCTIONS ? "StatelessIf" : "Switch", p -> {
                    Tensor at = doubles(7, 2, 2);
                    Value x = Value.of(placeholder(p, at)), pred = Value.of(p.constant(Tensor.scalar(side)));
                    Ops ops = Ops.in(p.graph());
                    Value y = ops.cond(form, pred, () -> List.of(x.exp()), () -> List.of(x.times(x)))
                            .get(0);
                    check(p, x.edge(), at, y.edge());
                });
            }
            program("If", p -> {
                Ops ops = Ops.in(p.graph());
                Value x = Value.of(p.constant(floats(1, 2))), pred = Value.of(p.constant(Tensor.scalar(side ? 1 : 0)));
                Value m = Value.of(p.constant(Tensor.scalar("m")));
                p.fetch(ops.cond(
                                pred,
                                () -> Value.applyAll(op("Print", "message", "", "first_n", 0L), x, m),
                                () -> List.of(x.negated()))
                        .get(0)
                        .edge());
            });
            program("RefSwitch", p -> {
                Node v = p.add(new VariableV2(Shape.of(2), DType.F32, "", "v" + side));
                Node set = p.add(new Assign(true), v.edge(0), p.constant(floats(3, 2)));
                Node s = p.add(new RefSwitch(), v.edge(0), p.constant(Tensor.scalar(side)));
                Node m = p.add(new RefMerge(), s.edge(0), s.edge(1));
                Node i = p.add(new RefIdentity(), m.edge(0));
                p.target(set).fetch(i.edge(0), m.edge(1));
            });
        }
        for (int index : new int[] {0, 1, 2, -1}) {
            for (boolean stateless : new boolean[] {true, false}) {
                program(stateless ? "StatelessCase" : "Case", p -> {
                    Tensor at = doubles(8, 3);
                    Edge x = placeholder(p, at), i = p.constant(Tensor.scalar(index));
                    Ops ops = Ops.in(p.graph());
                    List<TensorType> types = List.of(new TensorType(DType.F64, Shape.of(3)));
                    List<FunctionRef> f = new ArrayList<>();
                    f.add(ref(ops.function("a", types, v -> List.of(v.get(0).sin()))));
                    f.add(ref(
                            ops.function("b", types, v -> List.of(v.get(0).exp().times(v.get(0))))));
                    List<DType> out = List.of(DType.F64);
                    Op op = stateless ? new StatelessCase(out, f, List.of()) : new Case(out, f, List.of());
                    check(p, x, at, p.add(op, i, x).edge(0));
                });
            }
        }
    }

    private static FunctionRef ref(Function f) {
        return new FunctionRef(f.name());
    }

    private void loops() {
        for (int n : new int[] {0, 1, 3}) {
            for (ControlFlow.Form form : ControlFlow.Form.values()) {
                program(form == ControlFlow.Form.FUNCTIONS ? "StatelessWhile" : "Enter", p -> {
                    Tensor at = random(DType.F64, 0.2, 1, 9, 2);
                    Ops ops = Ops.in(p.graph());
                    Value x = Value.of(placeholder(p, at)), zero = ops.constant(DType.I32, 0);
                    List<Value> y = ops.whileLoop(
                            form,
                            v -> v.get(0).less(ops.constant(DType.I32, n)),
                            v -> List.of(v.get(0).plus(1), v.get(1).times(x).sin()),
                            List.of(zero, x));
                    check(p, x.edge(), at, y.get(1).edge(), y.get(0).edge());
                });
            }
        }
        program("While", p -> {
            Ops ops = Ops.in(p.graph());
            Value m = Value.of(p.constant(Tensor.scalar("m")));
            List<Value> y = ops.whileLoop(
                    v -> v.get(0).less(ops.constant(DType.I32, 3)),
                    v -> Value.applyAll(
                            op("Print", "message", "", "first_n", 0L), v.get(0).plus(1), m),
                    List.of(ops.constant(DType.I32, 0)));
            p.fetch(y.get(0).edge());
        });
        program("RefEnter", p -> {
            Node v = p.add(new VariableV2(Shape.SCALAR, DType.I32, "", "loop"));
            Node set = p.add(new Assign(true), v.edge(0), p.constant(Tensor.scalar(0)));
            Edge limit = p.add(new Enter("ref", true, 10), p.constant(Tensor.scalar(3)))
                    .edge(0);
            Edge one = p.add(new Enter("ref", true, 10), p.constant(Tensor.scalar(1)))
                    .edge(0);
            Node enter = p.add(new RefEnter("ref", false, 1), v.edge(0));
            List<Edge> in = new ArrayList<>(List.of(enter.edge(0)));
            in.add(null);
            Node merge = p.graph().add(new RefMerge(), in);
            Node go = p.add(
                    new LoopCond(), p.add(new Less(), merge.edge(0), limit).edge(0));
            Node choice = p.add(new RefSwitch(), merge.edge(0), go.edge(0));
            Node add = p.add(op("AssignAdd"), choice.edge(1), one);
            Node next = p.add(new RefNextIteration(), add.edge(0));
            p.graph().connectBack(merge, 1, next.edge(0));
            Node exit = p.add(new RefExit(), choice.edge(0));
            p.target(set).fetch(exit.edge(0));
        });
        program("NextIteration", p -> {
            Edge enter = p.add(new Enter("count", false, 10), p.constant(Tensor.scalar(0)))
                    .edge(0);
            Edge limit = p.add(new Enter("count", true, 10), p.constant(Tensor.scalar(4)))
                    .edge(0);
            Edge one = p.add(new Enter("count", true, 10), p.constant(Tensor.scalar(1)))
                    .edge(0);
            List<Edge> in = new ArrayList<>(List.of(enter));
            in.add(null);
            Node merge = p.graph().add(new Merge(), in);
            Node go = p.add(
                    new LoopCond(), p.add(new Less(), merge.edge(0), limit).edge(0));
            Node choice = p.add(new Switch(), merge.edge(0), go.edge(0));
            Node sum = p.add(op("AddV2"), choice.edge(1), one);
            p.graph()
                    .connectBack(
                            merge, 1, p.add(new NextIteration(), sum.edge(0)).edge(0));
            p.fetch(p.add(new Exit(), choice.edge(0)).edge(0));
        });
    }

    private void calls() {
        List<TensorType> two = List.of(new TensorType(DType.F64, Shape.of(2)), new TensorType(DType.F64, Shape.of(2)));
        program("PartitionedCall", p -> {
            Tensor at = doubles(11, 2);
            Edge x = placeholder(p, at);
            Function f = Ops.in(p.graph())
                    .function(
                            "f",
                            two,
                            v -> List.of(v.get(0).times(v.get(1)), v.get(1).exp()));
            Node y = p.add(new PartitionedCall(List.of(DType.F64, DType.F64), ref(f)), x, x);
            check(p, x, at, y.edge(0), y.edge(1));
        });
        program("StatefulPartitionedCall", p -> {
            Tensor at = doubles(12, 2);
            Edge x = placeholder(p, at);
            Ops ops = Ops.in(p.graph());
            Function f = ops.function(
                    "g",
                    two,
                    v -> Value.applyAll(
                            op("CheckNumerics", "message", "m"), v.get(0).times(v.get(1))));
            check(p, x, at, ops.call(f, Value.of(x), Value.of(x).sin()).get(0).edge());
        });
        program("SymbolicGradient", p -> {
            Function f =
                    Ops.in(p.graph()).function("h", two, v -> List.of(v.get(0).times(v.get(1))));
            Edge a = p.constant(doubles(13, 2)), b = p.constant(doubles(14, 2)), d = p.constant(doubles(15, 2));
            Node y = p.add(op("SymbolicGradient", "Tout", List.of(DType.F64, DType.F64), "f", ref(f)), a, b, d);
            p.fetch(y.edge(0), y.edge(1));
        });
        program("RemoteCall", p -> {
            Function f =
                    Ops.in(p.graph()).function("r", two, v -> List.of(v.get(0).plus(v.get(1))));
            Edge device = p.constant(Tensor.scalar("/job:localhost/replica:0/task:0/device:CPU:0"));
            Edge a = p.constant(doubles(16, 2)), b = p.constant(doubles(17, 2));
            p.fetch(p.add(op("RemoteCall", "Tout", List.of(DType.F64), "f", ref(f)), device, a, b)
                    .edge(0));
        });
        for (int[] range : new int[][] {{0, 4, 1}, {5, 0, -2}, {3, 3, 1}}) {
            program("For", p -> {
                Function f = Ops.in(p.graph())
                        .function(
                                "body",
                                List.of(
                                        new TensorType(DType.I32, Shape.SCALAR),
                                        new TensorType(DType.F32, Shape.SCALAR)),
                                v -> List.of(v.get(1).plus(v.get(0).cast(DType.F32))));
                Edge[] in = new Edge[4];
                for (int i = 0; i < 3; i++) in[i] = p.constant(Tensor.scalar(range[i]));
                in[3] = p.constant(Tensor.scalar(0.5f));
                p.fetch(p.add(op("For", "body", ref(f)), in).edge(0));
            });
        }
    }

    private static final Object[] FLOAT = {"element_dtype", DType.F64};

    private static Edge shape(Program p, int... dims) {
        return p.constant(vector(dims));
    }

    private static Edge unknown(Program p) {
        return p.constant(Tensor.scalar(-1));
    }

    private static Edge number(Program p, int n) {
        return p.constant(Tensor.scalar(n));
    }

    private void lists() {
        program("TensorListPushBack", p -> {
            Tensor at = doubles(21, 2);
            Edge x = placeholder(p, at);
            Edge l = p.add(op("EmptyTensorList", FLOAT), shape(p, 2), number(p, 3))
                    .edge(0);
            l = p.add(op("TensorListPushBack", FLOAT), l, x).edge(0);
            l = p.add(op("TensorListPushBack", FLOAT), l, x).edge(0);
            Node pop = p.add(op("TensorListPopBack", FLOAT), l, shape(p, 2));
            Edge stack = p.add(
                            op("TensorListStack", "element_dtype", DType.F64, "num_elements", 1L),
                            pop.edge(0),
                            shape(p, -1))
                    .edge(0);
            Edge length = p.add(op("TensorListLength"), l).edge(0);
            check(p, x, at, pop.edge(1), stack, length);
        });
        for (String type : List.of("I32", "I64")) {
            program("TensorListElementShape", p -> {
                Op element = op("TensorListElementShape", "shape_type", DType.valueOf(type));
                Edge a = p.add(op("TensorListReserve", FLOAT), shape(p, 2, -1), number(p, 2))
                        .edge(0);
                Edge b = p.add(op("EmptyTensorList", FLOAT), unknown(p), number(p, -1))
                        .edge(0);
                p.fetch(p.add(element, a).edge(0), p.add(element, b).edge(0));
            });
        }
        program("TensorListSetItem", p -> {
            Tensor at = doubles(22, 3);
            Edge x = placeholder(p, at);
            Edge l = p.add(op("TensorListReserve", FLOAT), shape(p, 3), number(p, 3))
                    .edge(0);
            Op set = op("TensorListSetItem", "element_dtype", DType.F64);
            l = p.add(set, l, number(p, 1), x).edge(0);
            Op grow = op("TensorListSetItem", "element_dtype", DType.F64, "resize_if_index_out_of_bounds", true);
            Edge longer = p.add(grow, l, number(p, 4), x).edge(0);
            Edge one = p.add(op("TensorListGetItem", FLOAT), l, number(p, 1), unknown(p))
                    .edge(0);
            Edge zero = p.add(op("TensorListGetItem", FLOAT), l, number(p, 0), shape(p, 3))
                    .edge(0);
            Edge all = p.add(op("TensorListStack", FLOAT), longer, unknown(p)).edge(0);
            check(p, x, at, one, zero, all);
        });
        for (int bad : new int[] {-1, 3})
            program("TensorListGetItem", p -> {
                Edge l = p.add(op("TensorListReserve", FLOAT), shape(p, 3), number(p, 3))
                        .edge(0);
                p.fetch(p.add(op("TensorListGetItem", FLOAT), l, number(p, bad), unknown(p))
                        .edge(0));
            });
        for (long rows : new long[] {0, 1, 4}) {
            program("TensorListFromTensor", p -> {
                Tensor at = doubles(23, rows, 2);
                Edge x = placeholder(p, at);
                Edge l = p.add(op("TensorListFromTensor"), x, shape(p, 2)).edge(0);
                Edge y = p.add(op("TensorListStack", FLOAT), l, shape(p, 2)).edge(0);
                Edge short2 = p.add(op("TensorListResize"), l, number(p, 2)).edge(0);
                check(
                        p,
                        x,
                        at,
                        y,
                        p.add(op("TensorListStack", FLOAT), short2, shape(p, 2)).edge(0));
            });
        }
        program("TensorListGather", p -> {
            Tensor at = doubles(24, 4, 2);
            Edge x = placeholder(p, at);
            Edge l = p.add(op("TensorListFromTensor"), x, shape(p, 2)).edge(0);
            check(
                    p,
                    x,
                    at,
                    p.add(op("TensorListGather", FLOAT), l, p.constant(vector(2, 0, 2)), shape(p, 2))
                            .edge(0));
        });
    }

    private void listsOfParts() {
        program("TensorListScatter", p -> {
            Tensor at = doubles(25, 2, 3);
            Edge x = placeholder(p, at), where = p.constant(vector(3, 1));
            Edge a = p.add(op("TensorListScatter"), x, where, shape(p, 3)).edge(0);
            Edge b = p.add(op("TensorListScatterV2"), x, where, shape(p, 3), number(p, 5))
                    .edge(0);
            Edge c = p.add(op("TensorListScatterIntoExistingList", FLOAT), b, x, p.constant(vector(0, 1)))
                    .edge(0);
            Op stack = op("TensorListStack", FLOAT);
            check(
                    p,
                    x,
                    at,
                    p.add(stack, a, shape(p, 3)).edge(0),
                    p.add(stack, b, shape(p, 3)).edge(0),
                    p.add(stack, c, shape(p, 3)).edge(0));
        });
        program("TensorListSplit", p -> {
            Tensor at = doubles(26, 5, 2);
            Edge x = placeholder(p, at);
            Edge l = p.add(op("TensorListSplit"), x, shape(p, -1, 2), p.constant(longs(2, 0, 3)))
                    .edge(0);
            Node a = p.add(op("TensorListConcat", "element_dtype", DType.F64, "element_shape", Shape.of(-1, 2)), l);
            Node b = p.add(op("TensorListConcatV2", FLOAT), l, shape(p, -1, 2), p.constant(longs()));
            check(p, x, at, a.edge(0), b.edge(0), a.edge(1), b.edge(1));
        });
        program("TensorListConcatLists", p -> {
            Edge x = p.constant(floats(27, 2, 2)), y = p.constant(floats(28, 1, 2));
            Edge a = p.add(op("TensorListFromTensor"), x, shape(p, 2)).edge(0);
            Edge b = p.add(op("TensorListFromTensor"), y, shape(p, 2)).edge(0);
            Edge c = p.add(op("TensorListConcatLists", "element_dtype", DType.F32), a, b)
                    .edge(0);
            p.fetch(p.add(op("TensorListStack", "element_dtype", DType.F32), c, shape(p, 2))
                    .edge(0));
        });
        program("TensorListPushBackBatch", p -> {
            Edge x = p.constant(vector(1, 2));
            Op empty = op("EmptyTensorList", "element_dtype", DType.I32);
            Edge a = p.add(empty, shape(p), number(p, -1)).edge(0),
                    b = p.add(empty, shape(p), number(p, -1)).edge(0);
            Edge both = p.add(op("Pack"), a, b).edge(0);
            Edge longer = p.add(op("TensorListPushBackBatch", "element_dtype", DType.I32), both, x)
                    .edge(0);
            Node each = p.add(op("Unpack", "num", 2L), longer);
            Op stack = op("TensorListStack", "element_dtype", DType.I32);
            p.fetch(
                    p.add(stack, each.edge(0), shape(p)).edge(0),
                    p.add(stack, each.edge(1), shape(p)).edge(0));
        });
    }

    private void stacks() {
        for (String v : List.of("", "V2")) {
            program("Stack" + v, p -> {
                Op make = op("Stack" + v, "elem_type", DType.F32, "stack_name", "s");
                Edge s = (v.isEmpty() ? p.add(make) : p.add(make, number(p, 2))).edge(0);
                Node a = p.add(op("StackPush" + v), s, p.constant(floats(31, 2)));
                Node b;
                try (Graph.Scope _ = p.graph().after(a)) {
                    b = p.add(op("StackPush" + v), s, p.constant(floats(32, 1, 2)));
                }
                Node pop;
                try (Graph.Scope _ = p.graph().after(b)) {
                    pop = p.add(op("StackPop" + v, "elem_type", DType.F32), s);
                }
                Node close;
                try (Graph.Scope _ = p.graph().after(pop)) {
                    close = p.add(op("StackClose" + v), s);
                }
                p.run(Map.of(), List.of(pop.edge(0), a.edge(0)), close);
            });
        }
    }

    private void arrays() {
        program("TensorArrayV3", p -> {
            Tensor at = doubles(41, 2, 2);
            Edge x = placeholder(p, at);
            Node a = array(p, 2, false);
            Edge flow = p.add(op("TensorArrayWriteV3"), a.edge(0), number(p, 0), x, a.edge(1))
                    .edge(0);
            flow = p.add(op("TensorArrayWriteV3"), a.edge(0), number(p, 1), x, flow)
                    .edge(0);
            Edge read = p.add(op("TensorArrayReadV3", "dtype", DType.F64), a.edge(0), number(p, 1), flow)
                    .edge(0);
            check(
                    p,
                    x,
                    at,
                    read,
                    p.add(op("TensorArraySizeV3"), a.edge(0), flow).edge(0));
        });
        program("TensorArrayScatterV3", p -> {
            Tensor at = doubles(42, 3, 2);
            Edge x = placeholder(p, at), where = p.constant(vector(2, 0, 1)), some = p.constant(vector(0, 2));
            Node a = array(p, 3, false);
            Edge flow = p.add(op("TensorArrayScatterV3"), a.edge(0), where, x, a.edge(1))
                    .edge(0);
            check(
                    p,
                    x,
                    at,
                    p.add(op("TensorArrayGatherV3", "dtype", DType.F64), a.edge(0), some, flow)
                            .edge(0));
        });
        program("TensorArraySplitV3", p -> {
            Tensor at = doubles(43, 4, 2);
            Edge x = placeholder(p, at);
            Node a = array(p, 2, true);
            Edge flow = p.add(op("TensorArraySplitV3"), a.edge(0), x, p.constant(longs(3, 1)), a.edge(1))
                    .edge(0);
            Node all = p.add(op("TensorArrayConcatV3", "dtype", DType.F64), a.edge(0), flow);
            check(p, x, at, all.edge(0), all.edge(1));
        });
        program("TensorArrayGradV3", p -> {
            Node a = array(p, 2, false);
            Node g = p.add(op("TensorArrayGradV3", "source", "s"), a.edge(0), a.edge(1));
            Edge x = p.constant(doubles(44, 2));
            Edge flow = p.add(op("TensorArrayWriteV3"), g.edge(0), number(p, 0), x, a.edge(1))
                    .edge(0);
            flow = p.add(op("TensorArrayWriteV3"), g.edge(0), number(p, 0), x, flow)
                    .edge(0);
            Edge read = p.add(op("TensorArrayReadV3", "dtype", DType.F64), g.edge(0), number(p, 0), flow)
                    .edge(0);
            Node close;
            try (Graph.Scope _ = p.graph().after(read.node())) {
                close = p.add(op("TensorArrayCloseV3"), a.edge(0));
            }
            p.run(Map.of(), List.of(read), close);
        });
        program("TensorArrayGradWithShape", p -> {
            Node a = array(p, 1, false);
            Node g = p.add(op("TensorArrayGradWithShape", "source", "s"), a.edge(0), a.edge(1), shape(p, 2));
            Edge x = p.constant(doubles(45, 2, 2));
            Edge flow = p.add(op("TensorArrayWriteV3"), g.edge(0), number(p, 0), x, g.edge(1))
                    .edge(0);
            p.fetch(p.add(op("TensorArrayReadV3", "dtype", DType.F64), g.edge(0), number(p, 0), flow)
                    .edge(0));
        });
    }

    private static Node array(Program p, int size, boolean dynamic) {
        return p.add(op("TensorArrayV3", "dtype", DType.F64, "dynamic_size", dynamic), number(p, size));
    }

    private void optionals() {
        program("OptionalFromValue", p -> {
            Tensor at = doubles(51, 2);
            Edge x = placeholder(p, at);
            Edge o = p.add(op("OptionalFromValue"), x, p.constant(vector(1))).edge(0);
            Node y = p.add(
                    op(
                            "OptionalGetValue",
                            "output_types",
                            List.of(DType.F64, DType.I32),
                            "output_shapes",
                            List.of(Shape.of(2), Shape.of(1))),
                    o);
            p.run(
                    Map.of(x.name(), at),
                    List.of(
                            y.edge(0),
                            y.edge(1),
                            p.add(op("OptionalHasValue"), o).edge(0)));
        });
        program("OptionalNone", p -> {
            Edge o = p.add(op("OptionalNone")).edge(0);
            p.fetch(p.add(op("OptionalHasValue"), o).edge(0));
        });
    }
}
