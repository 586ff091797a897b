package dev.oxbow.benchmarks;

import dev.oxbow.graph.Node;
import dev.oxbow.ops.Parameter;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.gradient.Minimiser;
import dev.oxbow.ops.nn.BiasAdd;
import dev.oxbow.ops.nn.Conv2D;
import dev.oxbow.ops.nn.FusedBatchNormV3;
import dev.oxbow.ops.nn.MaxPool;
import dev.oxbow.ops.nn.SparseSoftmaxCrossEntropyWithLogits;
import dev.oxbow.ops.state.AssignVariableOp;
import dev.oxbow.ops.state.ResourceApplyMomentum;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;

/** ResNet-50 (He et al., 2015) in torchvision's form, with channels last, trained by descent with momentum. */
final class ResNet50 {
    private static final double RATE = 0.01;
    private static final double MOMENTUM = 0.9;
    private static final List<Long> ONE = List.of(1L, 1L, 1L, 1L);

    private final CardModel model = new CardModel();
    private final int batch;
    private final int size;
    private final List<Node> updates = new ArrayList<>();
    private final List<Parameter> trained = new ArrayList<>(), statistics = new ArrayList<>();

    private ResNet50(int batch, int size) {
        this.batch = batch;
        this.size = size;
    }

    /** For square images of so many pixels a side. */
    static CardModel of(int batch, int size) {
        return new ResNet50(batch, size).built();
    }

    private Value trained(String name, float value, long channels) {
        Parameter p = model.parameter(name, () -> filled(value, channels), channels);
        trained.add(p);
        return p.value();
    }

    private static Tensor filled(float value, long... shape) {
        Tensor t = Tensor.zeros(DType.F32, Shape.of(shape));
        for (long i = 0; value != 0 && i < t.size(); i++) t.set(i, value);
        return t;
    }

    /** Values that are made as [a, b, rows, columns], as [rows, columns, b, a]. */
    private static Tensor turned(Tensor t, int... order) {
        long[] from = t.shape().dims(),
                to = new long[4],
                strides = {from[1] * from[2] * from[3], from[2] * from[3], from[3], 1};
        for (int d = 0; d < 4; d++) to[d] = from[order[d]];
        Tensor y = Tensor.allocate(t.dtype(), Shape.of(to));
        long at = 0;
        for (long i = 0; i < to[0]; i++)
            for (long j = 0; j < to[1]; j++)
                for (long k = 0; k < to[2]; k++)
                    for (long l = 0; l < to[3]; l++)
                        y.set(
                                at++,
                                t.getDouble(i * strides[order[0]]
                                        + j * strides[order[1]]
                                        + k * strides[order[2]]
                                        + l * strides[order[3]]));
        t.close();
        return y;
    }

    private Value conv(Value x, String name, long in, long out, long kernel, long stride) {
        double deviation = Math.sqrt(2.0 / (out * kernel * kernel));
        Parameter w = model.parameter(
                name,
                () -> turned(
                        StartValues.normal("resnet50." + name, deviation, DType.F32, out, in, kernel, kernel),
                        2,
                        3,
                        1,
                        0),
                kernel,
                kernel,
                in,
                out);
        trained.add(w);
        long p = kernel / 2;
        List<Long> paddings = List.of(0L, 0L, p, p, p, p, 0L, 0L), steps = List.of(1L, stride, stride, 1L);
        return Value.apply(new Conv2D(steps, "EXPLICIT", paddings, "NHWC", ONE), x, w.value());
    }

    private Value norm(Value x, String name, long channels) {
        Value scale = trained(name + ".weight", 1, channels), offset = trained(name + ".bias", 0, channels);
        Parameter mean = model.parameter(name + ".running_mean", () -> filled(0, channels), channels);
        Parameter variance = model.parameter(name + ".running_var", () -> filled(1, channels), channels);
        statistics.addAll(List.of(mean, variance));
        List<Value> made = Value.applyAll(
                new FusedBatchNormV3(1e-5f, 0.1f, "NHWC", true), x, scale, offset, mean.value(), variance.value());
        updates.add(Minimiser.update(new AssignVariableOp(false), mean.handle(), made.get(1)));
        updates.add(Minimiser.update(new AssignVariableOp(false), variance.handle(), made.get(2)));
        return made.get(0);
    }

    private Value block(Value x, String name, long in, long width, long stride) {
        long out = 4 * width;
        Value h = norm(conv(x, name + ".conv1.weight", in, width, 1, 1), name + ".bn1", width)
                .relu();
        h = norm(conv(h, name + ".conv2.weight", width, width, 3, stride), name + ".bn2", width)
                .relu();
        h = norm(conv(h, name + ".conv3.weight", width, out, 1, 1), name + ".bn3", out);
        Value past = x;
        if (stride != 1 || in != out)
            past = norm(conv(x, name + ".downsample.0.weight", in, out, 1, stride), name + ".downsample.1", out);
        return h.plus(past).relu();
    }

    private CardModel built() {
        Value x = model.input(
                "x",
                DType.F32,
                () -> turned(StartValues.normal("resnet50.x", 1, DType.F32, batch, 3, size, size), 0, 2, 3, 1),
                batch,
                size,
                size,
                3);
        Value y = model.input("y", DType.I32, () -> StartValues.wholeNumbers("resnet50.y", 1000, batch), batch);
        Value h = norm(conv(x, "conv1.weight", 3, 64, 7, 2), "bn1", 64).relu();
        h = Value.apply(
                new MaxPool(
                        List.of(1L, 3L, 3L, 1L),
                        List.of(1L, 2L, 2L, 1L),
                        "EXPLICIT",
                        List.of(0L, 0L, 1L, 1L, 1L, 1L, 0L, 0L),
                        "NHWC"),
                h);
        int[] blocks = {3, 4, 6, 3};
        long in = 64;
        for (int s = 0; s < 4; s++)
            for (int i = 0; i < blocks[s]; i++) {
                long width = 64L << s;
                h = block(h, "layer" + (s + 1) + "." + i, in, width, i == 0 && s > 0 ? 2 : 1);
                in = 4 * width;
            }
        Parameter w = model.parameter(
                "fc.weight",
                () -> turned(StartValues.normal("resnet50.fc.weight", 0.01, DType.F32, 1000, 2048, 1, 1), 2, 3, 1, 0)
                        .view(Shape.of(2048, 1000)),
                2048,
                1000);
        trained.add(w);
        Value logits =
                Value.apply(new BiasAdd("NHWC"), h.mean(false, 1, 2).matMul(w.value()), trained("fc.bias", 0, 1000));
        Value loss = Value.applyAll(new SparseSoftmaxCrossEntropyWithLogits(), logits, y)
                .get(0)
                .mean();
        descend(loss);
        return model;
    }

    private void descend(Value loss) {
        List<Value> gradients = Minimiser.gradients(loss, trained);
        List<Parameter> slots = new ArrayList<>();
        for (int i = 0; i < trained.size(); i++) {
            Parameter p = trained.get(i);
            Value v = p.value();
            Parameter m = Parameter.of(p.name() + "/momentum", model.ops.constant(Tensor.zeros(DType.F32, v.shape())));
            slots.add(m);
            updates.add(Minimiser.update(
                    new ResourceApplyMomentum(false),
                    p.handle(),
                    m.handle(),
                    v.constantLike(RATE),
                    gradients.get(i),
                    v.constantLike(MOMENTUM)));
        }
        model.train(loss, slots, updates);
    }
}
