package dev.oxbow.ops.signal;

import dev.oxbow.graph.Attr;
import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.numeric.Fourier;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import dev.oxbow.tensor.DType;
import java.util.Arrays;
import java.util.List;

/** Real values of size fft_length from the first half of their transform over the last two axes. */
@Signature(
        "IRFFT2D(input: Tcomplex, fft_length: int32) -> (output: Treal) {Treal: type in [FLOAT DOUBLE] = FLOAT; Tcomplex: type in [COMPLEX64 COMPLEX128] = COMPLEX64}")
public record IRFFT2D(@Attr("Treal") DType treal) implements Differentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return Transforms.toReal(c, 2);
    }

    @Override
    public Kernel cpu() {
        return c -> Fourier.toReal(c.input(0), Transforms.lengths(c, true), c.output(0), c.parallel());
    }

    /** {@code dx = rfft(dy) / n}, doubled where an element stands for its mirror image too. */
    @Override
    public List<Value> gradient(GradientContext g) {
        Value dy = g.gradient(0), half = Value.apply(new RFFT2D(g.input(0).dtype()), dy, g.input(1));
        Value mask = Transforms.mirrored(g.input(1), half).cast(half.dtype());
        return Arrays.asList(half.times(mask).dividedBy(Transforms.size(dy, 2).cast(half.dtype())), null);
    }
}
