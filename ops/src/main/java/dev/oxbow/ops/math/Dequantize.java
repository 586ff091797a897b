package dev.oxbow.ops.math;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.tensor.Counts;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Tensor;
import java.util.List;

/** Quantised integers between limits as floats. */
@Signature(
        "Dequantize(input: T, min_range: float, max_range: float) -> (output: dtype) {T: type in [QUANTISED]; mode: string in [\"MIN_COMBINED\" \"MIN_FIRST\" \"SCALED\"] = \"MIN_COMBINED\"; narrow_range: bool = false; axis: int = -1; dtype: type in [BFLOAT16 FLOAT] = FLOAT}")
public record Dequantize(String mode, boolean narrowRange, int axis, DType dtype) implements Op {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        Quantizing.limits(c, axis, 0, 1);
        return List.of(new TensorType(dtype, c.shape(0)));
    }

    @Override
    public Kernel cpu() {
        return c -> {
            Tensor x = c.input(0);
            int channels = axis < 0 ? 1 : Counts.toInt(x.shape().dim(axis));
            long inner = axis < 0 ? 1 : x.shape().size(axis + 1, x.shape().rank());
            QuantizedLevels[] levels = Counts.array(channels, QuantizedLevels[]::new);
            for (int k = 0; k < channels; k++)
                levels[k] = new QuantizedLevels(
                        x.dtype(),
                        mode,
                        (float) c.input(1).getDouble(k),
                        (float) c.input(2).getDouble(k),
                        narrowRange);
            for (long i = 0; i < x.size(); i++)
                c.output(0).set(i, levels[(int) (i / inner % channels)].dequantise(x.getLong(i)));
        };
    }
}
