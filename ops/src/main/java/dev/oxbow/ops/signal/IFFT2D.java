package dev.oxbow.ops.signal;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.numeric.Fourier;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import java.util.List;

/** Inverse discrete Fourier transform over the last two axes, divided by the size. */
@Signature("IFFT2D(input: Tcomplex) -> (output: Tcomplex) {Tcomplex: type in [COMPLEX64 COMPLEX128] = COMPLEX64}")
public record IFFT2D() implements Differentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return Transforms.complex(c, 2);
    }

    @Override
    public Kernel cpu() {
        return c -> Fourier.complex(c.input(0), 2, true, c.output(0), c.parallel());
    }

    /** {@code dx = fft(dy) / n}. */
    @Override
    public List<Value> gradient(GradientContext g) {
        return List.of(Value.apply(new FFT2D(), g.gradient(0)).dividedBy(Transforms.size(g.gradient(0), 2)));
    }
}
