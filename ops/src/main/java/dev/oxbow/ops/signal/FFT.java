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

/** Discrete Fourier transform over the last axis. */
@Signature("FFT(input: Tcomplex) -> (output: Tcomplex) {Tcomplex: type in [COMPLEX64 COMPLEX128] = COMPLEX64}")
public record FFT() implements Differentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return Transforms.complex(c, 1);
    }

    @Override
    public Kernel cpu() {
        return c -> Fourier.complex(c.input(0), 1, false, c.output(0), c.parallel());
    }

    /** {@code dx = n ifft(dy)}. */
    @Override
    public List<Value> gradient(GradientContext g) {
        return List.of(Value.apply(new IFFT(), g.gradient(0)).times(Transforms.size(g.gradient(0), 1)));
    }
}
