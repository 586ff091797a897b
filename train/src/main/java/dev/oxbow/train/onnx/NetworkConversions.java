package dev.oxbow.train.onnx;

import static dev.oxbow.tensor.ErrorCode.UNIMPLEMENTED;
import static dev.oxbow.tensor.OxbowException.require;
import static dev.oxbow.train.onnx.Emitter.attribute;
import static dev.oxbow.train.onnx.Emitter.constant;

import dev.oxbow.graph.Node;
import dev.oxbow.graph.core.Const;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.wire.onnx.AttributeProto;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;

/** Products, reductions, convolutions, pools and normalisations. ONNX has the channels first, so images are turned on their way. */
final class NetworkConversions {
    static final Map<String, Conversion> ALL = new HashMap<>();

    static {
        ALL.put("ArgMax", (n, to) -> place(n, to, "ArgMax"));
        ALL.put("ArgMin", (n, to) -> place(n, to, "ArgMin"));
        ALL.put("AvgPool", (n, to) -> pool(n, to, "AveragePool"));
        ALL.put("AvgPool3D", (n, to) -> pool(n, to, "AveragePool"));
        ALL.put("BatchMatMul", (n, to) -> product(n, to, "adj_x", "adj_y"));
        ALL.put("BatchMatMulV2", (n, to) -> product(n, to, "adj_x", "adj_y"));
        ALL.put("Conv2D", (n, to) -> convolution(n, to, false));
        ALL.put("Conv2DBackpropInput", NetworkConversions::transposed);
        ALL.put("Conv3D", (n, to) -> convolution(n, to, false));
        ALL.put("Conv3DBackpropInputV2", NetworkConversions::transposed);
        ALL.put("DepthwiseConv2dNative", (n, to) -> convolution(n, to, true));
        ALL.put("FusedBatchNormV3", NetworkConversions::batchNorm);
        ALL.put(
                "LogSoftmax",
                (n, to) -> to.put(n.edge(0), to.add("LogSoftmax", List.of(to.inputs(n)), attribute("axis", -1))));
        ALL.put("MatMul", (n, to) -> product(n, to, "transpose_a", "transpose_b"));
        ALL.put("Max", (n, to) -> reduction(n, to, "ReduceMax"));
        ALL.put("MaxPool", (n, to) -> pool(n, to, "MaxPool"));
        ALL.put("MaxPool3D", (n, to) -> pool(n, to, "MaxPool"));
        ALL.put("Mean", (n, to) -> reduction(n, to, "ReduceMean"));
        ALL.put("Min", (n, to) -> reduction(n, to, "ReduceMin"));
        ALL.put("Prod", (n, to) -> reduction(n, to, "ReduceProd"));
        ALL.put(
                "Softmax",
                (n, to) -> to.put(n.edge(0), to.add("Softmax", List.of(to.inputs(n)), attribute("axis", -1))));
        ALL.put("Sum", (n, to) -> reduction(n, to, "ReduceSum"));
    }

    private NetworkConversions() {}

    private static void product(Node n, Emitter to, String first, String second) {
        String[] in = to.inputs(n);
        String[] flags = {first, second};
        for (int i = 0; i < 2; i++) {
            if (!(Boolean) n.attributes().get(flags[i])) continue;
            int rank = n.input(i).type().shape().rank();
            long[] order = LongStream.range(0, rank).toArray();
            order[rank - 1] = rank - 2;
            order[rank - 2] = rank - 1;
            in[i] = to.transposed(in[i], order);
        }
        to.put(n.edge(0), to.add("MatMul", List.of(in)));
    }

    private static void reduction(Node n, Emitter to, String type) {
        long keep = (Boolean) n.attributes().get("keep_dims") ? 1 : 0;
        String axes = n.input(1).node().op() instanceof Const c
                ? to.ints(Emitter.longs(c.value()))
                : to.reshaped(to.sizes(n.input(1)), -1);
        to.put(
                n.edge(0),
                to.add(
                        type,
                        List.of(to.name(n.input(0)), axes),
                        attribute("keepdims", keep),
                        attribute("noop_with_empty_axes", 1)));
    }

    private static void place(Node n, Emitter to, String type) {
        String at = to.add(
                type,
                List.of(to.name(n.input(0))),
                attribute("axis", constant(n, 1).getLong(0)),
                attribute("keepdims", 0));
        DType wanted = n.output(0).dtype();
        to.put(n.edge(0), wanted == DType.I64 ? at : to.cast(at, wanted));
    }

    private static void batchNorm(Node n, Emitter to) {
        require(
                !(Boolean) n.attributes().get("is_training"),
                UNIMPLEMENTED,
                "onnx: batch normalisation by the moments of a batch (node %s)",
                n.name());
        Layout layout = Layout.of(n, n.input(0).type().shape());
        String[] in = to.inputs(n);
        in[0] = layout.first(to, in[0]);
        float epsilon = (Float) n.attributes().get("epsilon");
        to.put(n.edge(0), layout.back(to, to.add("BatchNormalization", List.of(in), attribute("epsilon", epsilon))));
    }

    /** Where the channels are, and the sizes between batch and channels, -1 where unknown. */
    private record Layout(boolean last, long[] sizes) {

        static Layout of(Node n, Shape x) {
            boolean last = n.attributes().get("data_format").toString().endsWith("C");
            long[] sizes = new long[x.rank() - 2];
            for (int i = 0; i < sizes.length; i++) sizes[i] = x.dim(i + (last ? 1 : 2));
            return new Layout(last, sizes);
        }

        int spatial() {
            return sizes.length;
        }

        String first(Emitter to, String x) {
            if (!last) return x;
            long[] order = LongStream.range(-1, spatial() + 1).toArray();
            order[0] = 0;
            order[1] = spatial() + 1;
            for (int i = 0; i < spatial(); i++) order[i + 2] = i + 1;
            return to.transposed(x, order);
        }

        String back(Emitter to, String y) {
            if (!last) return y;
            long[] order = LongStream.range(1, spatial() + 3).toArray();
            order[0] = 0;
            order[spatial() + 1] = 1;
            return to.transposed(y, order);
        }

        /** What a list of all axes says of the axes between batch and channels. */
        long[] own(Object list) {
            List<?> all = (List<?>) list;
            long[] own = new long[spatial()];
            for (int i = 0; i < own.length; i++)
                own[i] = all.isEmpty() ? 1 : ((Number) all.get(i + (last ? 1 : 2))).longValue();
            return own;
        }

        /** Zeros around an image: all befores, then all afters. */
        AttributeProto pads(Node n, long[] window, long[] strides, long[] dilations) {
            long[] pads = new long[2 * spatial()];
            String padding = n.attributes().get("padding").toString();
            if (padding.equals("EXPLICIT")) {
                List<?> given = (List<?>) n.attributes().get("explicit_paddings");
                for (int i = 0; i < pads.length; i++)
                    pads[i / 2 + (i % 2) * spatial()] = ((Number) given.get(i + (last ? 2 : 4))).longValue();
            }
            for (int i = 0; i < spatial() && padding.equals("SAME"); i++) {
                if (sizes[i] < 0) return attribute("auto_pad", "SAME_UPPER");
                long out = Math.ceilDiv(sizes[i], strides[i]);
                long all = Math.max((out - 1) * strides[i] + (window[i] - 1) * dilations[i] + 1 - sizes[i], 0);
                pads[i] = all / 2;
                pads[i + spatial()] = all - all / 2;
            }
            return attribute("pads", pads);
        }
    }

    private static void convolution(Node n, Emitter to, boolean depthwise) {
        Shape x = n.input(0).type().shape(), kernel = n.input(1).type().shape();
        Layout layout = Layout.of(n, x);
        int spatial = layout.spatial();
        long[] window = kernel.slice(0, spatial).dims();
        long[] strides = layout.own(n.attributes().get("strides"));
        long[] dilations = layout.own(n.attributes().get("dilations"));
        long channels = x.dim(layout.last ? spatial + 1 : 1);
        String w = to.name(n.input(1));
        if (depthwise) {
            w = to.transposed(w, 2, 3, 0, 1);
            w = to.reshaped(w, channels * kernel.dim(3), 1, window[0], window[1]);
        } else {
            w = to.transposed(w, kernelFirst(spatial));
        }
        String y = to.add(
                "Conv",
                List.of(layout.first(to, to.name(n.input(0))), w),
                attribute("kernel_shape", window),
                attribute("strides", strides),
                attribute("dilations", dilations),
                attribute("group", depthwise ? channels : channels / kernel.dim(spatial)),
                layout.pads(n, window, strides, dilations));
        to.put(n.edge(0), layout.back(to, y));
    }

    /** From {@code [window, in, out]} to {@code [out, in, window]}. */
    private static long[] kernelFirst(int spatial) {
        long[] order = new long[spatial + 2];
        order[0] = spatial + 1;
        order[1] = spatial;
        for (int i = 0; i < spatial; i++) order[i + 2] = i;
        return order;
    }

    /** The gradient of a convolution as a layer; its kernel is [window, out, in]. */
    private static void transposed(Node n, Emitter to) {
        Shape kernel = n.input(1).type().shape();
        Layout small = Layout.of(n, n.input(2).type().shape());
        int spatial = small.spatial();
        long[] window = kernel.slice(0, spatial).dims(),
                strides = small.own(n.attributes().get("strides"));
        long[] dilations = small.own(n.attributes().get("dilations"));
        long[] pads = new long[2 * spatial], more = new long[spatial], sizes = sizes(n, small);
        for (int i = 0; i < spatial; i++) {
            long full = (small.sizes[i] - 1) * strides[i] + (window[i] - 1) * dilations[i] + 1;
            pads[i] = Math.max(full - sizes[i], 0) / 2;
            pads[i + spatial] = Math.max(full - sizes[i], 0) - pads[i];
            more[i] = Math.max(sizes[i] - full, 0);
        }
        String y = to.add(
                "ConvTranspose",
                List.of(small.first(to, to.name(n.input(2))), to.transposed(to.name(n.input(1)), kernelFirst(spatial))),
                attribute("kernel_shape", window),
                attribute("strides", strides),
                attribute("dilations", dilations),
                attribute("pads", pads),
                attribute("output_padding", more));
        to.put(n.edge(0), small.back(to, y));
    }

    /** The sizes of the larger image, which are constants, together or one by one. */
    private static long[] sizes(Node n, Layout small) {
        Shape inferred = n.output(0).shape();
        long[] sizes = new long[small.spatial()];
        for (int i = 0; i < sizes.length; i++) {
            int axis = i + (small.last ? 1 : 2);
            Node given = n.input(0).node();
            boolean packed = given.op().signature().name().equals("Pack")
                    && given.input(axis).node().op() instanceof Const;
            if (inferred.isRankKnown() && inferred.dim(axis) >= 0) sizes[i] = inferred.dim(axis);
            else if (packed) sizes[i] = constant(given, axis).getLong(0);
            else sizes[i] = constant(n, 0).getLong(axis);
            require(
                    small.sizes[i] >= 0,
                    UNIMPLEMENTED,
                    "onnx: a transposed convolution of images of unknown size (node %s)",
                    n.name());
        }
        return sizes;
    }

    private static void pool(Node n, Emitter to, String type) {
        Layout layout = Layout.of(n, n.input(0).type().shape());
        long[] window = layout.own(n.attributes().get("ksize")),
                strides = layout.own(n.attributes().get("strides")),
                ones = LongStream.generate(() -> 1).limit(layout.spatial()).toArray();
        List<AttributeProto> attributes = new ArrayList<>(List.of(
                attribute("kernel_shape", window),
                attribute("strides", strides),
                layout.pads(n, window, strides, ones)));
        if (type.equals("AveragePool")) attributes.add(attribute("count_include_pad", 0));
        List<String> in = List.of(layout.first(to, to.name(n.input(0))));
        to.put(n.edge(0), layout.back(to, to.add(type, in, attributes.toArray(AttributeProto[]::new))));
    }
}
