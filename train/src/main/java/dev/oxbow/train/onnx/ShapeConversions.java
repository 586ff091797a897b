package dev.oxbow.train.onnx;

import static dev.oxbow.tensor.ErrorCode.UNIMPLEMENTED;
import static dev.oxbow.tensor.OxbowException.require;
import static dev.oxbow.train.onnx.Emitter.attribute;
import static dev.oxbow.train.onnx.Emitter.constant;
import static dev.oxbow.train.onnx.Emitter.longs;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.core.Const;
import dev.oxbow.tensor.DType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Ops that move elements, and sizes. Those of ONNX are always i64. */
final class ShapeConversions {
    static final Map<String, Conversion> ALL = new HashMap<>();

    static {
        ALL.put(
                "BroadcastTo",
                (n, to) -> to.put(n.edge(0), to.add("Expand", List.of(to.name(n.input(0)), to.sizes(n.input(1))))));
        ALL.put("ConcatV2", ShapeConversions::concat);
        ALL.put("EnsureShape", (n, to) -> to.put(n.edge(0), to.name(n.input(0))));
        ALL.put(
                "ExpandDims",
                (n, to) -> to.put(
                        n.edge(0),
                        unsqueezed(to, to.name(n.input(0)), constant(n, 1).getLong(0))));
        ALL.put(
                "Fill",
                (n, to) -> to.put(n.edge(0), to.add("Expand", List.of(to.name(n.input(1)), to.sizes(n.input(0))))));
        ALL.put("GatherV2", ShapeConversions::gather);
        ALL.put("OneHot", ShapeConversions::oneHot);
        ALL.put("Pack", ShapeConversions::pack);
        ALL.put("Pad", ShapeConversions::pad);
        ALL.put("PadV2", ShapeConversions::pad);
        ALL.put("Range", (n, to) -> to.put(n.edge(0), to.add("Range", List.of(to.inputs(n)))));
        ALL.put("Reshape", ShapeConversions::reshape);
        ALL.put("ReverseV2", ShapeConversions::reverse);
        ALL.put(
                "Shape",
                (n, to) -> to.put(
                        n.edge(0),
                        sized(
                                to,
                                to.add("Shape", List.of(to.inputs(n))),
                                n.output(0).dtype())));
        ALL.put(
                "Size",
                (n, to) -> to.put(
                        n.edge(0),
                        sized(
                                to,
                                to.add("Size", List.of(to.inputs(n))),
                                n.output(0).dtype())));
        ALL.put("Slice", ShapeConversions::slice);
        ALL.put("Split", (n, to) -> split(n, to, n.input(1), constant(n, 0).getLong(0), null));
        ALL.put("SplitV", (n, to) -> split(n, to, n.input(0), constant(n, 2).getLong(0), n.input(1)));
        ALL.put("Squeeze", ShapeConversions::squeeze);
        ALL.put("StridedSlice", ShapeConversions::stridedSlice);
        ALL.put(
                "Tile",
                (n, to) -> to.put(n.edge(0), to.add("Tile", List.of(to.name(n.input(0)), to.sizes(n.input(1))))));
        ALL.put("Transpose", (n, to) -> to.put(n.edge(0), to.transposed(to.name(n.input(0)), longs(constant(n, 1)))));
        ALL.put("Unpack", ShapeConversions::unpack);
        ALL.put(
                "ZerosLike",
                (n, to) -> to.put(
                        n.edge(0),
                        to.add(
                                "Expand",
                                List.of(to.scalar(n.output(0).dtype(), 0), to.add("Shape", List.of(to.inputs(n)))))));
    }

    private ShapeConversions() {}

    private static String sized(Emitter to, String sizes, DType wanted) {
        return wanted == DType.I64 ? sizes : to.cast(sizes, wanted);
    }

    static String unsqueezed(Emitter to, String x, long axis) {
        return to.add("Unsqueeze", List.of(x, to.ints(axis)));
    }

    private static void concat(Node n, Emitter to) {
        int last = n.inputCount() - 1;
        List<String> parts = Arrays.asList(to.inputs(n)).subList(0, last);
        to.put(
                n.edge(0),
                to.add("Concat", parts, attribute("axis", constant(n, last).getLong(0))));
    }

    private static void gather(Node n, Emitter to) {
        long batch = ((Number) n.attributes().get("batch_dims")).longValue();
        require(batch == 0, UNIMPLEMENTED, "onnx: GatherV2 with batch_dims %d (node %s)", batch, n.name());
        List<String> in = List.of(to.name(n.input(0)), to.name(n.input(1)));
        to.put(n.edge(0), to.add("Gather", in, attribute("axis", constant(n, 2).getLong(0))));
    }

    private static void oneHot(Node n, Emitter to) {
        String indices = to.cast(to.name(n.input(0)), DType.I64), depth = to.cast(to.name(n.input(1)), DType.I64);
        List<String> values = new ArrayList<>();
        for (int i : new int[] {3, 2}) values.add(unsqueezed(to, to.cast(to.name(n.input(i)), DType.F32), 0));
        String both = to.add("Concat", values, attribute("axis", 0));
        long axis = ((Number) n.attributes().get("axis")).longValue();
        String hot = to.add("OneHot", List.of(indices, depth, both), attribute("axis", axis));
        DType wanted = n.output(0).dtype();
        to.put(n.edge(0), wanted == DType.F32 ? hot : to.cast(hot, wanted));
    }

    private static void pack(Node n, Emitter to) {
        long axis = ((Number) n.attributes().get("axis")).longValue();
        List<String> parts = new ArrayList<>();
        for (String x : to.inputs(n)) parts.add(unsqueezed(to, x, axis));
        to.put(n.edge(0), to.add("Concat", parts, attribute("axis", axis)));
    }

    private static void unpack(Node n, Emitter to) {
        long axis = ((Number) n.attributes().get("axis")).longValue();
        split(n, to, n.input(0), axis, null);
        for (int i = 0; i < n.outputCount(); i++)
            to.put(n.edge(i), to.add("Squeeze", List.of(to.name(n.edge(i)), to.ints(axis))));
    }

    /** Pairs (before, after) of each axis become all befores, then all afters. */
    private static void pad(Node n, Emitter to) {
        long[] pairs = longs(constant(n, 1)), pads = new long[pairs.length];
        for (int i = 0; i < pairs.length; i++) pads[i / 2 + (i % 2) * pairs.length / 2] = pairs[i];
        List<String> in = new ArrayList<>(List.of(to.name(n.input(0)), to.ints(pads)));
        if (n.inputCount() > 2) in.add(to.name(n.input(2)));
        to.put(n.edge(0), to.add("Pad", in));
    }

    /** A size of 0 is one, not that of the input. */
    private static void reshape(Node n, Emitter to) {
        boolean empty = n.input(1).node().op() instanceof Const c
                && Arrays.stream(longs(c.value())).anyMatch(d -> d == 0);
        List<String> in = List.of(to.name(n.input(0)), to.sizes(n.input(1)));
        to.put(n.edge(0), empty ? to.add("Reshape", in, attribute("allowzero", 1)) : to.add("Reshape", in));
    }

    private static void reverse(Node n, Emitter to) {
        long[] axes = longs(constant(n, 1)), starts = new long[axes.length], ends = new long[axes.length];
        Arrays.fill(starts, -1);
        Arrays.fill(ends, Long.MIN_VALUE + 1);
        List<String> in = List.of(to.name(n.input(0)), to.ints(starts), to.ints(ends), to.ints(axes), to.ints(starts));
        to.put(n.edge(0), to.add("Slice", in));
    }

    private static void slice(Node n, Emitter to) {
        long[] sizes = longs(constant(n, 2));
        List<String> in = new ArrayList<>(List.of(to.name(n.input(0)), to.sizes(n.input(1))));
        if (n.input(1).node().op() instanceof Const c) {
            long[] ends = longs(c.value());
            for (int i = 0; i < ends.length; i++) ends[i] = sizes[i] < 0 ? Long.MAX_VALUE : ends[i] + sizes[i];
            in.add(to.ints(ends));
        } else {
            boolean whole = Arrays.stream(sizes).anyMatch(s -> s < 0);
            require(!whole, UNIMPLEMENTED, "onnx: Slice up to the end from a computed place (node %s)", n.name());
            in.add(to.add("Add", List.of(in.get(1), to.ints(sizes))));
        }
        to.put(n.edge(0), to.add("Slice", in));
    }

    private static void split(Node n, Emitter to, Edge value, long axis, Edge sizes) {
        List<String> in = new ArrayList<>(List.of(to.name(value)));
        if (sizes != null) in.add(to.sizes(sizes));
        List<String> parts = sizes != null
                ? to.addAll(n.outputCount(), "Split", in, attribute("axis", axis))
                : to.addAll(
                        n.outputCount(),
                        "Split",
                        in,
                        attribute("axis", axis),
                        attribute("num_outputs", n.outputCount()));
        for (int i = 0; i < parts.size(); i++) to.put(n.edge(i), parts.get(i));
    }

    private static void squeeze(Node n, Emitter to) {
        List<?> dims = (List<?>) n.attributes().get("squeeze_dims");
        List<String> in = new ArrayList<>(List.of(to.inputs(n)));
        long[] axes = dims.stream().mapToLong(d -> ((Number) d).longValue()).toArray();
        if (axes.length > 0) in.add(to.ints(axes));
        to.put(n.edge(0), to.add("Squeeze", in));
    }

    private static void stridedSlice(Node n, Emitter to) {
        Map<String, Object> a = n.attributes();
        int begins = number(a, "begin_mask"), ends = number(a, "end_mask"), shrinks = number(a, "shrink_axis_mask");
        require(
                number(a, "ellipsis_mask") == 0 && number(a, "new_axis_mask") == 0,
                UNIMPLEMENTED,
                "onnx: StridedSlice with an ellipsis or a new axis (node %s)",
                n.name());
        long[] from = longs(constant(n, 1)), until = longs(constant(n, 2)), steps = longs(constant(n, 3));
        long[] axes = new long[from.length];
        List<Long> dropped = new ArrayList<>();
        for (int i = 0; i < from.length; i++) {
            axes[i] = i;
            boolean back = steps[i] < 0;
            if ((begins >> i & 1) != 0) from[i] = back ? Long.MAX_VALUE : 0;
            if ((ends >> i & 1) != 0) until[i] = back ? Long.MIN_VALUE + 1 : Long.MAX_VALUE;
            if ((shrinks >> i & 1) == 0) continue;
            until[i] = from[i] == -1 ? Long.MAX_VALUE : from[i] + 1;
            steps[i] = 1;
            dropped.add((long) i);
        }
        List<String> in = List.of(to.name(n.input(0)), to.ints(from), to.ints(until), to.ints(axes), to.ints(steps));
        String y = to.add("Slice", in);
        long[] gone = dropped.stream().mapToLong(Long::longValue).toArray();
        to.put(n.edge(0), gone.length == 0 ? y : to.add("Squeeze", List.of(y, to.ints(gone))));
    }

    private static int number(Map<String, Object> attributes, String name) {
        return ((Number) attributes.get(name)).intValue();
    }
}
