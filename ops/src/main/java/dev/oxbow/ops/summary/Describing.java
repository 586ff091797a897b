package dev.oxbow.ops.summary;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import dev.oxbow.wire.proto.Summary;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** An op whose output is the bytes of a summary. */
interface Describing extends NotDifferentiable {

    Summary summary(KernelContext c);

    @Override
    default List<TensorType> infer(InferenceContext c) {
        return List.of(new TensorType(DType.STRING, Shape.SCALAR));
    }

    @Override
    default Kernel cpu() {
        return c -> c.output(0).objects()[0] = summary(c).toByteArray();
    }

    static Summary of(Summary.Value value) {
        return Summary.newBuilder().addValue(value).build();
    }

    /** The one string of an input, as text. */
    static String text(KernelContext c, int i, String what) {
        return new String(bytes(c, i, what), StandardCharsets.UTF_8);
    }

    static byte[] bytes(KernelContext c, int i, String what) {
        Tensor t = c.input(i);
        require(t.size() == 1, INVALID_ARGUMENT, "%s must be scalar, got shape %s", what, t.shape());
        return (byte[]) t.objects()[0];
    }
}
