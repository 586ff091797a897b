package dev.oxbow.ops.signal;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.numeric.Fourier;
import dev.oxbow.ops.NotDifferentiable;
import java.util.List;

/** {@code IFFT} under its first name. */
@Signature("BatchIFFT(input: complex64) -> (output: complex64)")
public record BatchIFFT() implements NotDifferentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return Transforms.complex(c, 1);
    }

    @Override
    public Kernel cpu() {
        return c -> Fourier.complex(c.input(0), 1, true, c.output(0), c.parallel());
    }
}
