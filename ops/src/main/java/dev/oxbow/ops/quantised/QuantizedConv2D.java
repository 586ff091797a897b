package dev.oxbow.ops.quantised;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.Attr;
import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.numeric.Conv;
import dev.oxbow.kernels.numeric.Padding;
import dev.oxbow.kernels.numeric.Window;
import dev.oxbow.ops.nn.Conv2D;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.List;

/** Convolution of levels, each counted from the one that stands for zero, in 32 bits. */
@Signature(
        "QuantizedConv2D(input: Tinput, filter: Tfilter, min_input: float, max_input: float, min_filter: float, max_filter: float) -> (output: out_type, min_output: float, max_output: float) {Tinput: type in [QUANTISED]; Tfilter: type in [QUANTISED]; out_type: type in [QUANTISED] = QINT32; strides: list(int); padding: string in [\"SAME\" \"VALID\"]; dilations: list(int) = list { i: 1 i: 1 i: 1 i: 1 }}")
public record QuantizedConv2D(@Attr("out_type") DType outType, List<Long> strides, String padding, List<Long> dilations)
        implements Ranged {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        Ranged.limits(c, 2, 6);
        Shape y = new Conv2D(strides, padding, List.of(), "NHWC", dilations)
                .infer(c)
                .get(0)
                .shape();
        return Ranged.types(c, y);
    }

    @Override
    public Kernel cpu() {
        require(
                strides.get(0) == 1 && strides.get(3) == 1,
                INVALID_ARGUMENT,
                "Current implementation does not yet support strides in the batch and depth dimensions, got %s",
                strides);
        long[] step = {strides.get(1), strides.get(2)}, dilation = {dilations.get(1), dilations.get(2)};
        Padding p = padding.equals("SAME") ? Padding.SAME : Padding.VALID;
        return c -> {
            Levels x = Levels.of(c.input(0), c, 2), f = Levels.of(c.input(1), c, 4);
            Shape filter = c.input(1).shape();
            Window w =
                    Window.of(c.input(0).shape(), false, new long[] {filter.dim(0), filter.dim(1)}, step, dilation, p);
            Tensor images = Ranged.centred(c, 0, x), taps = Ranged.centred(c, 1, f);
            Tensor sums = c.temporary(DType.I32, c.output(0).shape());
            Conv.forward(images, taps, w, sums, c.scratch(), c.parallel());
            Ranged.put(sums, c.output(0));
            for (Tensor t : List.of(images, taps, sums)) t.release();
            Ranged.give(c, Levels.ofProducts(x, f, outType));
        };
    }
}
