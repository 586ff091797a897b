package dev.oxbow.interop;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.TensorType;
import dev.oxbow.graph.core.Enter;
import dev.oxbow.graph.core.Exit;
import dev.oxbow.graph.core.LoopCond;
import dev.oxbow.graph.core.Merge;
import dev.oxbow.graph.core.NextIteration;
import dev.oxbow.graph.core.Switch;
import dev.oxbow.ops.Ops;
import dev.oxbow.ops.Value;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * A graph of 5 to 50 ops drawn by seed from many families, with values kept small so that both sides agree to rounding.
 * Every third has state or control flow: variables of both kinds, branches and loops of both kinds, queues, functions, a fed intermediate value.
 */
final class RandomGraph {
    private static final List<String> UNARY = List.of(
            "Tanh",
            "Sigmoid",
            "Neg",
            "Abs",
            "Square",
            "Relu",
            "Softplus",
            "Sin",
            "Cos",
            "Erf",
            "Softsign",
            "Elu",
            "Atan",
            "Relu6",
            "Selu");
    private static final List<String> BINARY =
            List.of("AddV2", "Sub", "Mul", "Maximum", "Minimum", "SquaredDifference", "Atan2");
    private static final List<String> REDUCTIONS = List.of("Sum", "Mean", "Max", "Min", "EuclideanNorm");
    private static final List<String> COMPARISONS = List.of("Less", "LessEqual", "Greater", "GreaterEqual");

    private final Random random;
    private final DType dtype;
    final Graph graph = new Graph();
    final Map<String, Tensor> feeds = new LinkedHashMap<>();
    final List<String> initialisers = new ArrayList<>();
    final List<String> fetches = new ArrayList<>();
    private final List<Value> values = new ArrayList<>();
    private final Ops ops = Ops.in(graph);

    RandomGraph(long seed) {
        random = new Random(seed);
        dtype = random.nextInt(3) == 0 ? DType.F64 : DType.F32;
        for (int i = 0; i < 2; i++) {
            Shape shape = shape();
            Value x = ops.placeholder("x" + i, dtype, random.nextBoolean() ? shape : Shape.ofRank(shape.rank()));
            feeds.put(x.edge().name(), tensor(shape));
            remember(Value.apply(Ops.named("Identity", Map.of()), x), shape);
        }
        remember(ops.constant(tensor(Shape.of(3, 4))), Shape.of(3, 4));
        int size = 5 + random.nextInt(46);
        boolean special = seed % 3 == 0;
        while (graph.size() < size) {
            if (special && random.nextInt(6) == 0) special();
            else plain();
        }
        if (special) special();
        for (int i = Math.max(0, values.size() - 4); i < values.size(); i++)
            fetches.add(values.get(i).edge().name());
        if (special && random.nextInt(3) == 0) feedIntermediate();
    }

    /** Shapes as they will be at run time, by edge: static ones may be open. */
    private final Map<Edge, Shape> shapes = new LinkedHashMap<>();

    private void remember(Value v, Shape shape) {
        values.add(v);
        shapes.put(v.edge(), shape);
    }

    private Value pick() {
        return values.get(random.nextInt(values.size()));
    }

    private Shape shapeOf(Value v) {
        return shapes.get(v.edge());
    }

    private Shape shape() {
        long[] dims = new long[1 + random.nextInt(3)];
        Arrays.setAll(dims, i -> 1 + random.nextInt(4));
        return Shape.of(dims);
    }

    private Tensor tensor(Shape shape) {
        Tensor t = Tensor.allocate(dtype, shape);
        for (long i = 0; i < t.size(); i++) t.set(i, random.nextGaussian());
        return t;
    }

    private Value apply(String op, Map<String, Object> attributes, Value... inputs) {
        return Value.applyAll(Ops.named(op, attributes), inputs).get(0);
    }

    private static <T> T any(List<T> list, Random random) {
        return list.get(random.nextInt(list.size()));
    }

    private Value ints(long... v) {
        int[] x = new int[v.length];
        Arrays.setAll(x, i -> (int) v[i]);
        return ops.constant(Tensor.of(Shape.of(x.length), x));
    }

    private void plain() {
        Value x = pick();
        Shape s = shapeOf(x);
        switch (random.nextInt(12)) {
            case 0, 1 -> remember(apply(any(UNARY, random), Map.of(), x), s);
            case 2, 3 -> binary(x, s);
            case 4 -> reduce(x, s);
            case 5 -> transpose(x, s);
            case 6 ->
                remember(apply("Reshape", Map.of(), x, ints(-1, s.dim(-1))), Shape.of(s.size() / s.dim(-1), s.dim(-1)));
            case 7 -> slice(x, s);
            case 8 -> concat(x, s);
            case 9 -> product(x, s);
            case 10 -> select(x, s);
            default -> rows(x, s);
        }
    }

    private void binary(Value x, Shape s) {
        Value y = pick();
        Shape both = Shape.broadcast(s, shapeOf(y));
        if (both == null || both.size() > 500) {
            y = ops.constant(tensor(Shape.of(s.dim(-1))));
            both = s;
        }
        Value z = apply(any(BINARY, random), Map.of(), x, y);
        remember(apply("Tanh", Map.of(), z), both);
    }

    private void reduce(Value x, Shape s) {
        int axis = random.nextInt(s.rank());
        boolean keep = s.rank() == 1 || random.nextBoolean();
        Value y = apply(
                any(REDUCTIONS, random),
                Map.of("keep_dims", keep),
                x,
                ints(axis - (random.nextBoolean() ? s.rank() : 0)));
        remember(y, keep ? s.withDim(axis, 1) : s.withoutDim(axis));
    }

    private void transpose(Value x, Shape s) {
        List<Long> order = new ArrayList<>();
        for (long i = 0; i < s.rank(); i++) order.add(i);
        Collections.shuffle(order, random);
        long[] dims = order.stream().mapToLong(i -> s.dim(i.intValue())).toArray();
        remember(
                apply(
                        "Transpose",
                        Map.of(),
                        x,
                        ints(order.stream().mapToLong(Long::longValue).toArray())),
                Shape.of(dims));
    }

    private void slice(Value x, Shape s) {
        long[] begin = new long[s.rank()], size = new long[s.rank()];
        for (int i = 0; i < begin.length; i++) {
            begin[i] = random.nextInt((int) s.dim(i));
            size[i] = 1 + random.nextInt((int) (s.dim(i) - begin[i]));
        }
        if (random.nextBoolean()) {
            remember(apply("Slice", Map.of(), x, ints(begin), ints(size)), Shape.of(size));
            return;
        }
        long[] end = new long[begin.length], step = new long[begin.length];
        for (int i = 0; i < end.length; i++) end[i] = begin[i] + size[i];
        Arrays.fill(step, 1);
        remember(apply("StridedSlice", Map.of(), x, ints(begin), ints(end), ints(step)), Shape.of(size));
    }

    private void concat(Value x, Shape s) {
        int axis = random.nextInt(s.rank());
        if (random.nextBoolean()) {
            Value y = apply("ConcatV2", Map.of(), x, x, ops.constant(DType.I32, axis));
            remember(y, s.withDim(axis, 2 * s.dim(axis)));
        } else {
            long[] pads = new long[2 * s.rank()];
            pads[2 * axis + random.nextInt(2)] = 1;
            Value p = ints(pads).reshape(s.rank(), 2);
            remember(apply("Pad", Map.of(), x, p), s.withDim(axis, s.dim(axis) + 1));
        }
    }

    private void product(Value x, Shape s) {
        Value m = x;
        if (s.rank() != 2) m = apply("Reshape", Map.of(), x, ints(-1, s.dim(-1)));
        long rows = s.size() / s.dim(-1), inner = s.dim(-1), columns = 1 + random.nextInt(4);
        boolean transposed = random.nextBoolean();
        Value w = ops.constant(tensor(transposed ? Shape.of(columns, inner) : Shape.of(inner, columns)));
        Value y = apply("MatMul", Map.of("transpose_b", transposed), m, w);
        switch (random.nextInt(3)) {
            case 0 -> y = apply("Softmax", Map.of(), y);
            case 1 -> y = apply("BiasAdd", Map.of(), y, ops.constant(tensor(Shape.of(columns))));
            default -> y = apply("Tanh", Map.of(), y);
        }
        remember(y, Shape.of(rows, columns));
    }

    private void select(Value x, Shape s) {
        Value condition = apply(any(COMPARISONS, random), Map.of(), x, ops.constant(dtype, 0.1234567));
        Value y = apply("SelectV2", Map.of(), condition, x, apply("Neg", Map.of(), x));
        if (random.nextBoolean())
            y = apply("Cast", Map.of("DstT", dtype), apply("Cast", Map.of("DstT", DType.I32), condition))
                    .plus(y);
        remember(y, s);
    }

    private void rows(Value x, Shape s) {
        long n = 1 + random.nextInt(4);
        long[] index = new long[(int) n];
        Arrays.setAll(index, i -> random.nextInt((int) s.dim(0)));
        if (random.nextBoolean()) {
            remember(apply("GatherV2", Map.of(), x, ints(index), ops.constant(DType.I32, 0)), s.withDim(0, n));
        } else {
            long[] times = new long[s.rank()];
            Arrays.fill(times, 1);
            times[0] = 2;
            remember(apply("Tile", Map.of(), x, ints(times)), s.withDim(0, 2 * s.dim(0)));
        }
    }

    private void special() {
        Value x = pick();
        Shape s = shapeOf(x);
        switch (random.nextInt(8)) {
            case 5 -> remember(functionalBranch(x), s);
            case 6 -> remember(functionalLoop(x), s);
            case 7 -> remember(function(x, s), s);
            case 0 -> resourceVariable(x, s);
            case 1 -> refVariable(x, s);
            case 2 -> branch(x, s);
            case 3 -> loop(x, s);
            default -> queue(x, s);
        }
    }

    private void resourceVariable(Value x, Shape s) {
        Op handle = Ops.named("VarHandleOp", Map.of("dtype", dtype, "shape", s, "shared_name", graph.unique("v")));
        Edge h = graph.add(handle, List.of()).edge(0);
        Node init = graph.add(
                Ops.named("AssignVariableOp", Map.of()),
                List.of(h, ops.constant(tensor(s)).edge()));
        initialisers.add(init.name());
        Node add = graph.add(Ops.named("AssignAddVariableOp", Map.of()), List.of(h, x.edge()));
        try (var _ = graph.after(add)) {
            Edge read = graph.add(Ops.named("ReadVariableOp", Map.of("dtype", dtype)), List.of(h))
                    .edge(0);
            remember(apply("Tanh", Map.of(), Value.of(read)), s);
        }
    }

    private void refVariable(Value x, Shape s) {
        Edge ref = graph.add(Ops.named("VariableV2", Map.of("dtype", dtype, "shape", s)), List.of())
                .edge(0);
        Node init = graph.add(
                Ops.named("Assign", Map.of()),
                List.of(ref, ops.constant(tensor(s)).edge()));
        initialisers.add(init.name());
        Node sub = graph.add(Ops.named("AssignSub", Map.of()), List.of(ref, x.edge()));
        Value y = Value.of(
                graph.add(Ops.named("Identity", Map.of()), List.of(sub.edge(0))).edge(0));
        remember(apply("Sigmoid", Map.of(), y), s);
    }

    private void branch(Value x, Shape s) {
        Value pred = apply("Greater", Map.of(), x.sum(), ops.constant(dtype, 0.01));
        Node split = graph.add(new Switch(), List.of(x.edge(), pred.edge()));
        Value no = apply("Tanh", Map.of(), Value.of(split.edge(0))),
                yes = apply("Square", Map.of(), Value.of(split.edge(1)));
        yes = apply("Sigmoid", Map.of(), yes);
        remember(Value.of(graph.add(new Merge(), List.of(no.edge(), yes.edge())).edge(0)), s);
    }

    private void loop(Value x, Shape s) {
        String frame = graph.unique("loop");
        Value limit = ops.constant(DType.I32, 1 + random.nextInt(5));
        Node i = graph.add(
                new Enter(frame, false, 10), List.of(ops.constant(DType.I32, 0).edge()));
        Node v = graph.add(new Enter(frame, false, 10), List.of(x.edge()));
        Node n = graph.add(new Enter(frame, true, 10), List.of(limit.edge()));
        Node c = graph.add(new Enter(frame, true, 10), List.of(x.edge()));
        Node mi = graph.add(new Merge(), Arrays.asList(i.edge(0), null)),
                mv = graph.add(new Merge(), Arrays.asList(v.edge(0), null));
        Value go = Value.of(graph.add(
                        new LoopCond(),
                        List.of(apply("Less", Map.of(), Value.of(mi.edge(0)), Value.of(n.edge(0)))
                                .edge()))
                .edge(0));
        Node si = graph.add(new Switch(), List.of(mi.edge(0), go.edge())),
                sv = graph.add(new Switch(), List.of(mv.edge(0), go.edge()));
        Value one;
        try (var _ = graph.after(si)) {
            one = ops.constant(DType.I32, 1);
        }
        Value ni = apply("AddV2", Map.of(), Value.of(si.edge(1)), one);
        Value nv = apply("Tanh", Map.of(), apply("AddV2", Map.of(), Value.of(sv.edge(1)), Value.of(c.edge(0))));
        graph.connectBack(
                mi, 1, graph.add(new NextIteration(), List.of(ni.edge())).edge(0));
        graph.connectBack(
                mv, 1, graph.add(new NextIteration(), List.of(nv.edge())).edge(0));
        remember(Value.of(graph.add(new Exit(), List.of(sv.edge(0))).edge(0)), s);
    }

    private Value functionalBranch(Value x) {
        Value pred = apply("Greater", Map.of(), x.sum(), ops.constant(dtype, 0.01));
        return ops.cond(pred, () -> List.of(x.square().sigmoid()), () -> List.of(x.tanh()))
                .get(0);
    }

    private Value functionalLoop(Value x) {
        Value limit = ops.constant(1 + random.nextInt(5));
        List<Value> out = ops.whileLoop(
                v -> v.get(0).less(limit),
                v -> List.of(v.get(0).plus(1), v.get(1).plus(x).tanh()),
                List.of(ops.constant(0), x));
        return out.get(1);
    }

    private Value function(Value x, Shape s) {
        var type = new TensorType(dtype, s);
        var f = ops.function(
                graph.functions().unique("f"),
                List.of(type),
                v -> List.of(v.get(0).sin().times(v.get(0).cos())));
        return ops.call(f, x).get(0);
    }

    private void queue(Value x, Shape s) {
        Op q = Ops.named(
                "FIFOQueueV2",
                Map.of(
                        "component_types",
                        List.of(dtype),
                        "shapes",
                        List.of(s),
                        "capacity",
                        4L,
                        "shared_name",
                        graph.unique("q")));
        Edge h = graph.add(q, List.of()).edge(0);
        Node enqueue = graph.add(Ops.named("QueueEnqueueV2", Map.of()), List.of(h, x.edge()));
        try (var _ = graph.after(enqueue)) {
            remember(
                    Value.of(graph.add(
                                    Ops.named("QueueDequeueV2", Map.of("component_types", List.of(dtype))), List.of(h))
                            .edge(0)),
                    s);
        }
    }

    /** Feeds a value in the middle, which cuts off what is above it. */
    private void feedIntermediate() {
        Value v = values.get(3 + random.nextInt(values.size() - 3));
        // TensorFlow refuses to fetch what is fed
        if (!fetches.contains(v.edge().name())) feeds.put(v.edge().name(), tensor(shapeOf(v)));
    }
}
