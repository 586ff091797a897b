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

/** The first half of the transform over the last three axes of real values, cut or filled with zeros to fft_length. */
@Signature(
        "RFFT3D(input: Treal, fft_length: int32) -> (output: Tcomplex) {Treal: type in [FLOAT DOUBLE] = FLOAT; Tcomplex: type in [COMPLEX64 COMPLEX128] = COMPLEX64}")
public record RFFT3D(@Attr("Tcomplex") DType tcomplex) implements Differentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return Transforms.fromReal(c, 3);
    }

    @Override
    public Kernel cpu() {
        return c -> Fourier.fromReal(c.input(0), Transforms.lengths(c, false), c.output(0), c.parallel());
    }

    /** {@code dx} = the real part of {@code n ifft(dy)}, {@code dy} filled with zeros; for inputs of size fft_length. */
    @Override
    public List<Value> gradient(GradientContext g) {
        Value whole = Transforms.filled(g.gradient(0), g.input(0));
        Value dx = Value.apply(new IFFT3D(), whole).times(Transforms.size(whole, 3));
        return Arrays.asList(dx.real(), null);
    }
}
