package dev.oxbow.testing.samples;

import static dev.oxbow.tensor.DType.BF16;
import static dev.oxbow.tensor.DType.C64;
import static dev.oxbow.tensor.DType.F16;
import static dev.oxbow.tensor.DType.F32;
import static dev.oxbow.tensor.DType.F64;
import static dev.oxbow.tensor.DType.I16;
import static dev.oxbow.tensor.DType.I32;
import static dev.oxbow.tensor.DType.I64;
import static dev.oxbow.tensor.DType.I8;
import static dev.oxbow.tensor.DType.U8;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Evaluation;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.core.Placeholder;
import dev.oxbow.ops.nn.AvgPool;
import dev.oxbow.ops.nn.AvgPool3D;
import dev.oxbow.ops.nn.AvgPool3DGrad;
import dev.oxbow.ops.nn.AvgPoolGrad;
import dev.oxbow.ops.nn.BatchNormWithGlobalNormalization;
import dev.oxbow.ops.nn.BatchNormWithGlobalNormalizationGrad;
import dev.oxbow.ops.nn.BiasAdd;
import dev.oxbow.ops.nn.BiasAddGrad;
import dev.oxbow.ops.nn.BiasAddV1;
import dev.oxbow.ops.nn.BlockLSTM;
import dev.oxbow.ops.nn.BlockLSTMGrad;
import dev.oxbow.ops.nn.BlockLSTMGradV2;
import dev.oxbow.ops.nn.BlockLSTMV2;
import dev.oxbow.ops.nn.Conv2D;
import dev.oxbow.ops.nn.Conv2DBackpropFilter;
import dev.oxbow.ops.nn.Conv2DBackpropFilterV2;
import dev.oxbow.ops.nn.Conv2DBackpropInput;
import dev.oxbow.ops.nn.Conv2DBackpropInputV2;
import dev.oxbow.ops.nn.Conv3D;
import dev.oxbow.ops.nn.Conv3DBackpropFilter;
import dev.oxbow.ops.nn.Conv3DBackpropFilterV2;
import dev.oxbow.ops.nn.Conv3DBackpropInput;
import dev.oxbow.ops.nn.Conv3DBackpropInputV2;
import dev.oxbow.ops.nn.DepthwiseConv2dNative;
import dev.oxbow.ops.nn.DepthwiseConv2dNativeBackpropFilter;
import dev.oxbow.ops.nn.DepthwiseConv2dNativeBackpropInput;
import dev.oxbow.ops.nn.Dilation2D;
import dev.oxbow.ops.nn.Dilation2DBackpropFilter;
import dev.oxbow.ops.nn.Dilation2DBackpropInput;
import dev.oxbow.ops.nn.FractionalAvgPool;
import dev.oxbow.ops.nn.FractionalAvgPoolGrad;
import dev.oxbow.ops.nn.FractionalMaxPool;
import dev.oxbow.ops.nn.FractionalMaxPoolGrad;
import dev.oxbow.ops.nn.FusedBatchNorm;
import dev.oxbow.ops.nn.FusedBatchNormGrad;
import dev.oxbow.ops.nn.FusedBatchNormGradV2;
import dev.oxbow.ops.nn.FusedBatchNormGradV3;
import dev.oxbow.ops.nn.FusedBatchNormV2;
import dev.oxbow.ops.nn.FusedBatchNormV3;
import dev.oxbow.ops.nn.GRUBlockCell;
import dev.oxbow.ops.nn.GRUBlockCellGrad;
import dev.oxbow.ops.nn.LRN;
import dev.oxbow.ops.nn.LRNGrad;
import dev.oxbow.ops.nn.LSTMBlockCell;
import dev.oxbow.ops.nn.LSTMBlockCellGrad;
import dev.oxbow.ops.nn.LogSoftmax;
import dev.oxbow.ops.nn.MaxPool;
import dev.oxbow.ops.nn.MaxPool3D;
import dev.oxbow.ops.nn.MaxPool3DGrad;
import dev.oxbow.ops.nn.MaxPool3DGradGrad;
import dev.oxbow.ops.nn.MaxPoolGrad;
import dev.oxbow.ops.nn.MaxPoolGradGrad;
import dev.oxbow.ops.nn.MaxPoolGradGradV2;
import dev.oxbow.ops.nn.MaxPoolGradGradWithArgmax;
import dev.oxbow.ops.nn.MaxPoolGradV2;
import dev.oxbow.ops.nn.MaxPoolGradWithArgmax;
import dev.oxbow.ops.nn.MaxPoolV2;
import dev.oxbow.ops.nn.MaxPoolWithArgmax;
import dev.oxbow.ops.nn.Softmax;
import dev.oxbow.ops.nn.SoftmaxCrossEntropyWithLogits;
import dev.oxbow.ops.nn.SparseSoftmaxCrossEntropyWithLogits;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Samples of convolutions, pools, normalisations, losses and recurrent blocks. */
public final class NnSamples extends SampleFamily {
    private static final String NHWC = "NHWC";
    private static final String NDHWC = "NDHWC";

    @Override
    public String name() {
        return "nn";
    }

    @Override
    protected void define() {
        convolutions();
        volumes();
        maxPools();
        averagePools();
        fractions();
        biases();
        losses();
        normalisations();
        dilations();
        recurrences();
    }

    private static List<Long> l(long... values) {
        return Arrays.stream(values).boxed().toList();
    }

    private void convolutions() {
        List<Long> one = l(1, 1, 1, 1), none = List.of();
        for (String padding : new String[] {"SAME", "VALID", "EXPLICIT"}) {
            List<Long> explicit = padding.equals("EXPLICIT") ? l(0, 0, 1, 0, 2, 1, 0, 0) : none;
            for (List<Long> strides : List.of(one, l(1, 2, 1, 1), l(1, 2, 2, 1))) {
                for (List<Long> dilations : List.of(one, l(1, 2, 1, 1))) {
                    boolean spaced = !dilations.equals(one);
                    if (spaced && !strides.equals(one)) continue;
                    Tensor x = floats(1, 1, 5, 4, 2), f = floats(2, 2, 3, 2, 2);
                    var op = new Conv2D(strides, padding, explicit, NHWC, dilations);
                    sample(op, x, f);
                    if (spaced) continue;
                    Tensor dy = like(op, 3, x, f);
                    sample(
                            new Conv2DBackpropInput(strides, padding, explicit, NHWC, dilations),
                            ints(1, 5, 4, 2),
                            f,
                            dy);
                    sample(
                            new Conv2DBackpropFilter(strides, padding, explicit, NHWC, dilations),
                            x,
                            ints(2, 3, 2, 2),
                            dy);
                    if (strides.get(1) > strides.get(2)) continue;
                    var deep = new DepthwiseConv2dNative(strides, padding, explicit, NHWC, dilations);
                    sample(deep, x, f);
                    Tensor deepDy = like(deep, 4, x, f);
                    sample(
                            new DepthwiseConv2dNativeBackpropInput(strides, padding, explicit, NHWC, dilations),
                            ints(1, 5, 4, 2),
                            f,
                            deepDy);
                    sample(
                            new DepthwiseConv2dNativeBackpropFilter(strides, padding, explicit, NHWC, dilations),
                            x,
                            ints(2, 3, 2, 2),
                            deepDy);
                }
            }
        }
        for (DType t : new DType[] {F16, BF16, F64}) {
            sampleWithoutGradient(
                    new Conv2D(one, "SAME"), random(t, -2, 2, 5, 1, 3, 3, 2), random(t, -2, 2, 6, 2, 2, 2, 1));
            sampleWithoutGradient(
                    new DepthwiseConv2dNative(one, "SAME"),
                    random(t, -2, 2, 7, 1, 3, 3, 2),
                    random(t, -2, 2, 8, 2, 2, 2, 1));
        }
        sample(new Conv2D(one, "VALID"), floats(9, 0, 3, 3, 2), floats(10, 2, 2, 2, 1));
        sample(new Conv2D(one, "VALID"), floats(11, 1, 1, 1, 1), floats(12, 1, 1, 1, 1));
        sample(new Conv2D(one, "VALID"), floats(13, 2, 2, 2, 3), floats(14, 1, 1, 3, 2));
        sampleUnanswered(
                new Conv2DBackpropInputV2(one, "SAME", none, NHWC, one),
                floats(15, 1, 3, 3, 2),
                floats(16, 2, 2, 2, 1),
                floats(17, 1, 3, 3, 1));
        sampleUnanswered(
                new Conv2DBackpropFilterV2(one, "SAME", none, NHWC, one),
                floats(15, 1, 3, 3, 2),
                floats(16, 2, 2, 2, 1),
                floats(17, 1, 3, 3, 1));
    }

    /** Values in the shape of an op's first output. */
    private static Tensor like(Op op, long seed, Tensor... inputs) {
        Tensor y = Evaluation.run(op, "like", List.of(inputs)).get(0);
        return random(y.dtype(), -2, 2, seed, y.shape().dims());
    }

    private void volumes() {
        for (String padding : new String[] {"SAME", "VALID"}) {
            for (List<Long> strides : List.of(l(1, 1, 1, 1, 1), l(1, 2, 1, 2, 1))) {
                List<Long> one = l(1, 1, 1, 1, 1);
                Tensor x = floats(20, 1, 3, 2, 3, 2), f = floats(21, 2, 1, 2, 2, 1);
                var op = new Conv3D(strides, padding, NDHWC, one);
                sample(op, x, f);
                Tensor dy = like(op, 22, x, f);
                sample(new Conv3DBackpropInputV2(strides, padding, NDHWC, one), ints(1, 3, 2, 3, 2), f, dy);
                sample(new Conv3DBackpropFilterV2(strides, padding, NDHWC, one), x, ints(2, 1, 2, 2, 1), dy);
                sampleUnanswered(new Conv3DBackpropInput(strides, padding, one), x, f, dy);
                sampleUnanswered(new Conv3DBackpropFilter(strides, padding, one), x, f, dy);
                List<Long> k = l(1, 2, 2, 2, 1);
                sample(new MaxPool3D(k, strides, padding, NDHWC), x);
                sample(new AvgPool3D(k, strides, padding, NDHWC), x);
                Tensor y = Evaluation.run(new MaxPool3D(k, strides, padding, NDHWC), "y", List.of(x))
                        .get(0);
                Tensor d = random(F32, -2, 2, 23, y.shape().dims());
                int[] last = {2}, only = {0};
                samplePart(new MaxPool3DGrad(k, strides, padding, NDHWC), last, only, x, y, d);
                sampleWithoutGradient(
                        new MaxPool3DGradGrad(k, strides, padding, NDHWC), x, y, floats(24, 1, 3, 2, 3, 2));
                sample(new AvgPool3DGrad(k, strides, padding, NDHWC), ints(1, 3, 2, 3, 2), d);
            }
        }
    }

    private void maxPools() {
        for (String padding : new String[] {"SAME", "VALID", "EXPLICIT"}) {
            List<Long> explicit = padding.equals("EXPLICIT") ? l(0, 0, 1, 0, 0, 1, 0, 0) : List.of();
            for (List<Long> k : List.of(l(1, 2, 2, 1), l(1, 3, 2, 1))) {
                for (List<Long> strides : List.of(l(1, 1, 1, 1), l(1, 2, 2, 1))) {
                    Tensor x = floats(30, 1, 5, 4, 2);
                    var pool = new MaxPool(k, strides, padding, explicit, NHWC);
                    sample(pool, x);
                    Tensor y = Evaluation.run(pool, "y", List.of(x)).get(0), dy = like(pool, 31, x);
                    int[] last = {2}, only = {0};
                    if (!explicit.isEmpty()) {
                        sampleWithoutGradient(new MaxPoolGrad(k, strides, padding, explicit, NHWC), x, y, dy);
                        continue;
                    }
                    samplePart(new MaxPoolGrad(k, strides, padding, explicit, NHWC), last, only, x, y, dy);
                    samplePart(
                            new MaxPoolGradGrad(k, strides, padding, NHWC), last, only, x, y, floats(32, 1, 5, 4, 2));
                    Tensor ki = ints(k.stream().mapToInt(Long::intValue).toArray()),
                            si = ints(strides.stream().mapToInt(Long::intValue).toArray());
                    sample(new MaxPoolV2(padding, NHWC), x, ki, si);
                    samplePart(new MaxPoolGradV2(padding, NHWC), last, only, x, y, dy, ki, si);
                    samplePart(new MaxPoolGradGradV2(padding, NHWC), last, only, x, y, floats(33, 1, 5, 4, 2), ki, si);
                    for (boolean batch : new boolean[] {false, true}) {
                        Tensor two = floats(34, 2, 5, 4, 1);
                        var with = new MaxPoolWithArgmax(k, strides, I64, padding, batch);
                        samplePart(with, new int[] {0}, only, two);
                        List<Tensor> found = Evaluation.run(with, "y", List.of(two));
                        Tensor d = random(F32, -2, 2, 35, found.get(0).shape().dims());
                        sampleWithoutGradient(
                                new MaxPoolGradWithArgmax(k, strides, padding, batch), two, d, found.get(1));
                        sampleUnanswered(
                                new MaxPoolGradGradWithArgmax(k, strides, padding, batch), two, two, found.get(1));
                    }
                }
            }
        }
        for (DType t : new DType[] {F16, BF16, F64, I32, I64, U8, I16, I8})
            sampleWithoutGradient(new MaxPool(l(1, 2, 2, 1), l(1, 2, 2, 1), "SAME"), random(t, 0, 99, 36, 1, 3, 3, 1));
        sampleWithoutGradient(new MaxPool(l(1, 1, 1, 2), l(1, 1, 1, 2), "VALID"), floats(37, 2, 2, 2, 4));
        sampleWithoutGradient(
                new MaxPoolWithArgmax(l(1, 2, 2, 1), l(1, 2, 2, 1), I32, "VALID", false), floats(38, 1, 4, 4, 1));
        sampleWithoutGradient(new MaxPool(l(1, 2, 2, 1), l(1, 2, 2, 1), "VALID"), floats(39, 0, 4, 4, 1));
    }

    private void averagePools() {
        for (String padding : new String[] {"SAME", "VALID"}) {
            for (List<Long> k : List.of(l(1, 2, 2, 1), l(1, 3, 2, 1))) {
                for (List<Long> strides : List.of(l(1, 1, 1, 1), l(1, 2, 2, 1))) {
                    var pool = new AvgPool(k, strides, padding);
                    Tensor x = floats(40, 2, 5, 4, 1);
                    sample(pool, x);
                    sample(new AvgPoolGrad(k, strides, padding, NHWC), ints(2, 5, 4, 1), like(pool, 41, x));
                }
            }
        }
        for (DType t : new DType[] {F16, BF16, F64})
            sampleWithoutGradient(new AvgPool(l(1, 2, 2, 1), l(1, 1, 1, 1), "SAME"), random(t, 0, 9, 42, 1, 3, 3, 1));
    }

    private void fractions() {
        List<Float> ratio = List.of(1f, 1.4f, 1.7f, 1f);
        Tensor x = floats(45, 1, 7, 6, 1);
        for (boolean pseudo : new boolean[] {false, true}) {
            for (boolean overlapping : new boolean[] {false, true}) {
                var max = new FractionalMaxPool(ratio, pseudo, overlapping, true, 11, 12);
                var mean = new FractionalAvgPool(ratio, pseudo, overlapping, true, 13, 14);
                samplePart(max, new int[] {0}, new int[] {0}, x);
                samplePart(mean, new int[] {0}, new int[] {0}, x);
                List<Tensor> y = Evaluation.run(max, "y", List.of(x));
                Tensor dy = random(F32, -2, 2, 46, y.get(0).shape().dims());
                sampleWithoutGradient(new FractionalMaxPoolGrad(overlapping), x, y.get(0), dy, y.get(1), y.get(2));
                sampleWithoutGradient(
                        new FractionalAvgPoolGrad(overlapping),
                        Tensor.of(Shape.of(4), 1L, 7L, 6L, 1L),
                        dy,
                        y.get(1),
                        y.get(2));
            }
        }
    }

    private void biases() {
        for (String format : new String[] {NHWC, "NCHW"}) {
            boolean first = format.equals("NCHW");
            for (long[] dims : new long[][] {{2, 3}, {2, 3, 4}, {2, 3, 2, 3}, {1, 3, 2, 2, 3}}) {
                if (first && dims.length == 2) continue;
                long channels = dims[first ? 1 : dims.length - 1];
                sample(new BiasAdd(format), floats(50, dims), floats(51, channels));
                if (!first || dims.length == 4) sample(new BiasAddGrad(format), floats(52, dims));
            }
        }
        for (DType t : new DType[] {F16, BF16, F64, I32, I64, C64})
            sampleWithoutGradient(new BiasAdd(), random(t, 0, 9, 53, 2, 3), random(t, 0, 9, 54, 3));
        sample(new BiasAddV1(), floats(55, 2, 3), floats(56, 3));
        sample(new BiasAdd(), floats(55, 0, 3), floats(56, 3));
        sample(new BiasAddGrad(NHWC), floats(55, 0, 3));
    }

    private void losses() {
        for (long[] dims : new long[][] {{4}, {2, 3}, {2, 2, 3}, {0, 3}, {3, 1}}) {
            sample(new Softmax(), doubles(60, dims));
            sample(new LogSoftmax(), doubles(61, dims));
        }
        for (DType t : new DType[] {F16, BF16, F32}) {
            sampleWithoutGradient(new Softmax(), random(t, -5, 5, 62, 3, 4));
            sampleWithoutGradient(new LogSoftmax(), random(t, -5, 5, 63, 3, 4));
            sampleWithoutGradient(
                    new SoftmaxCrossEntropyWithLogits(), random(t, -2, 2, 64, 3, 4), random(t, 0, 1, 65, 3, 4));
            sampleWithoutGradient(new SparseSoftmaxCrossEntropyWithLogits(), random(t, -2, 2, 66, 3, 4), ints(0, 3, 1));
        }
        Tensor x = doubles(67, 3, 4),
                labels = Tensor.of(Shape.of(3, 4), 0.1, 0.2, 0.3, 0.4, 0, 1, 0, 0, 0.5, 0, 0, 0.5);
        samplePart(new SoftmaxCrossEntropyWithLogits(), new int[] {0}, new int[] {0, 1}, x, labels);
        sampleWithoutGradient(new SoftmaxCrossEntropyWithLogits(), x, random(F64, 0, 1, 69, 1, 4));
        sampleWithoutGradient(new SoftmaxCrossEntropyWithLogits(), doubles(70, 0, 4), doubles(71, 0, 4));
        sample(new SparseSoftmaxCrossEntropyWithLogits(), x, Tensor.of(Shape.of(3), 2L, 0L, 3L));
        sampleWithoutGradient(new SparseSoftmaxCrossEntropyWithLogits(), x, ints(2, 4, 3));
    }

    private void normalisations() {
        Tensor x = floats(80, 2, 2, 3, 2), scale = random(F32, 0.5, 2, 81, 2), offset = floats(82, 2);
        Tensor mean = floats(83, 2),
                variance = random(F32, 0.5, 2, 84, 2),
                none = floats(85, 0),
                dy = floats(86, 2, 2, 3, 2);
        int[] inputs = {0, 1, 2};
        for (boolean training : new boolean[] {false, true}) {
            Tensor m = training ? none : mean, v = training ? none : variance;
            normalisation(new FusedBatchNorm(0.01f, 1, NHWC, training), x, scale, offset, m, v);
            normalisation(new FusedBatchNormV2(0.01f, 1, NHWC, training), x, scale, offset, m, v);
            normalisation(new FusedBatchNormV3(0.01f, 1, NHWC, training), x, scale, offset, m, v);
            normalisation(
                    new FusedBatchNormV3(0.01f, 1, "NCHW", training), floats(87, 2, 2, 2, 3), scale, offset, m, v);
            Op[] gradients = {
                new FusedBatchNormGrad(0.01f, NHWC, training),
                new FusedBatchNormGradV2(0.01f, NHWC, training),
                new FusedBatchNormGradV3(0.01f, NHWC, training)
            };
            for (int i = 0; i < 3; i++) {
                Tensor[] in = {dy, x, scale, mean, variance, floats(88)};
                Tensor[] used = Arrays.copyOf(in, i < 2 ? 5 : 6);
                if (training) sampleWithoutGradient(gradients[i], used);
                else samplePart(gradients[i], inputs, inputs, used);
            }
        }
        secondGradient(dy, x, scale, offset, none);
        sampleFirst(
                5,
                new FusedBatchNormV3(0.01f, 0.3f, NHWC, true),
                new int[0],
                new int[0],
                x,
                scale,
                offset,
                mean,
                variance);
        sampleFirst(
                5,
                new FusedBatchNormV3(0.01f, 1, NHWC, true),
                new int[0],
                new int[0],
                random(F16, -2, 2, 89, 1, 2, 2, 2),
                scale,
                offset,
                none,
                none);
        for (boolean scaled : new boolean[] {false, true}) {
            sampleUnanswered(new BatchNormWithGlobalNormalization(0.01f, scaled), x, mean, variance, offset, scale);
            sampleUnanswered(new BatchNormWithGlobalNormalizationGrad(0.01f, scaled), x, mean, variance, scale, dy);
        }
        for (long radius : new long[] {1, 5}) {
            Tensor image = floats(90, 1, 2, 2, 5);
            var lrn = new LRN(radius, 1.5f, 0.3f, 0.7f);
            sample(lrn, image);
            Tensor y = Evaluation.run(lrn, "y", List.of(image)).get(0);
            sampleWithoutGradient(new LRNGrad(radius, 1.5f, 0.3f, 0.7f), floats(91, 1, 2, 2, 5), image, y);
        }
    }

    /** The gradient op with the statistics of its own input, as it is used: its gradient takes that into account. */
    private void secondGradient(Tensor dy, Tensor x, Tensor scale, Tensor offset, Tensor none) {
        program("FusedBatchNormGradV3", p -> {
            Edge[] in = new Edge[3];
            Map<String, Tensor> feeds = new LinkedHashMap<>();
            Tensor[] values = {dy, x, scale};
            for (int i = 0; i < 3; i++) {
                in[i] = p.add(new Placeholder(F32, values[i].shape())).edge(0);
                feeds.put(in[i].name(), values[i]);
            }
            Edge empty = p.constant(none);
            Node norm =
                    p.add(new FusedBatchNormV3(0.01f, 1, NHWC, true), in[1], in[2], p.constant(offset), empty, empty);
            Node d = p.add(
                    new FusedBatchNormGradV3(0.01f, NHWC, true),
                    in[0],
                    in[1],
                    in[2],
                    norm.edge(3),
                    norm.edge(4),
                    norm.edge(5));
            List<Edge> outputs = List.of(d.edge(0), d.edge(1), d.edge(2));
            p.run(feeds, outputs);
            p.gradient(List.of(in), outputs);
        });
    }

    private void normalisation(Op op, Tensor x, Tensor scale, Tensor offset, Tensor mean, Tensor variance) {
        sampleFirst(mean.size() > 0 ? 3 : 5, op, new int[] {0, 1, 2}, new int[] {0}, x, scale, offset, mean, variance);
    }

    private void dilations() {
        for (String padding : new String[] {"SAME", "VALID"}) {
            for (List<Long> strides : List.of(l(1, 1, 1, 1), l(1, 2, 1, 1))) {
                for (List<Long> rates : List.of(l(1, 1, 1, 1), l(1, 1, 2, 1))) {
                    Tensor x = floats(100, 1, 4, 4, 2), f = floats(101, 2, 2, 2);
                    var op = new Dilation2D(strides, rates, padding);
                    sample(op, x, f);
                    Tensor dy = like(op, 102, x, f);
                    sampleWithoutGradient(new Dilation2DBackpropInput(strides, rates, padding), x, f, dy);
                    sampleWithoutGradient(new Dilation2DBackpropFilter(strides, rates, padding), x, f, dy);
                }
            }
        }
    }

    private void recurrences() {
        int batch = 2, inputs = 3, cells = 2, time = 4;
        Tensor x = floats(110, batch, inputs), cs = floats(111, batch, cells), h = floats(112, batch, cells);
        Tensor w = floats(113, inputs + cells, 4 * cells), b = floats(114, 4 * cells);
        Tensor wci = floats(115, cells), wcf = floats(116, cells), wco = floats(117, cells);
        Tensor all = floats(118, time, batch, inputs);
        for (boolean peephole : new boolean[] {false, true}) {
            for (float clip : new float[] {-1, 0.8f}) {
                var cell = new LSTMBlockCell(0.7f, clip, peephole);
                sampleWithoutGradient(cell, x, cs, h, w, wci, wcf, wco, b);
                List<Tensor> y = Evaluation.run(cell, "y", List.of(x, cs, h, w, wci, wcf, wco, b));
                sampleWithoutGradient(
                        new LSTMBlockCellGrad(peephole),
                        x,
                        cs,
                        h,
                        w,
                        wci,
                        wcf,
                        wco,
                        b,
                        y.get(0),
                        y.get(1),
                        y.get(2),
                        y.get(3),
                        y.get(4),
                        y.get(5),
                        floats(119, batch, cells),
                        floats(120, batch, cells));
            }
            for (boolean second : new boolean[] {false, true}) {
                Op block = second ? new BlockLSTMV2(-1, peephole) : new BlockLSTM(0.7f, -1, peephole);
                Tensor length = Tensor.scalar(4L);
                int[] from = peephole ? new int[] {1, 2, 3, 4, 5, 6, 7, 8} : new int[] {1, 2, 3, 4, 8};
                samplePart(block, from, new int[] {1, 6}, length, all, cs, h, w, wci, wcf, wco, b);
                List<Tensor> in = new ArrayList<>(List.of(length, all, cs, h, w, wci, wcf, wco, b));
                in.addAll(Evaluation.run(block, "y", in));
                in.add(floats(121, time, batch, cells));
                in.add(floats(122, time, batch, cells));
                sampleWithoutGradient(
                        second ? new BlockLSTMGradV2(peephole) : new BlockLSTMGrad(peephole),
                        in.toArray(Tensor[]::new));
            }
        }
        Tensor wRu = floats(123, inputs + cells, 2 * cells), wC = floats(124, inputs + cells, cells);
        Tensor bRu = floats(125, 2 * cells), bC = floats(126, cells);
        sampleWithoutGradient(new GRUBlockCell(), x, h, wRu, wC, bRu, bC);
        List<Tensor> y = Evaluation.run(new GRUBlockCell(), "y", List.of(x, h, wRu, wC, bRu, bC));
        sampleWithoutGradient(
                new GRUBlockCellGrad(),
                x,
                h,
                wRu,
                wC,
                bRu,
                bC,
                y.get(0),
                y.get(1),
                y.get(2),
                floats(127, batch, cells));
    }
}
