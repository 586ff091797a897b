package dev.oxbow.ops.math;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.Attr;
import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Arguments;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.tensor.Counts;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;

/** Floats as quantised integers between limits, and the limits that the levels really have. */
@Signature(
        "QuantizeV2(input: float, min_range: float, max_range: float) -> (output: T, output_min: float, output_max: float) {T: type in [QUANTISED]; mode: string in [\"MIN_COMBINED\" \"MIN_FIRST\" \"SCALED\"] = \"MIN_COMBINED\"; round_mode: string in [\"HALF_AWAY_FROM_ZERO\" \"HALF_TO_EVEN\"] = \"HALF_AWAY_FROM_ZERO\"; narrow_range: bool = false; axis: int = -1; ensure_minimum_range: float = 0.01}")
public record QuantizeV2(
        @Attr("T") DType type, String mode, String roundMode, boolean narrowRange, int axis, float ensureMinimumRange)
        implements NotDifferentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        Quantizing.limits(c, axis, 0, 1);
        List<TensorType> types = new ArrayList<>();
        types.add(new TensorType(type, c.shape(0)));
        for (int i = 1; i < 3; i++) {
            if (axis < 0) Arguments.scalar("min_range and max_range", c.shape(i));
            types.add(new TensorType(DType.F32, c.shape(i)));
        }
        return types;
    }

    @Override
    public Kernel cpu() {
        return c -> {
            Tensor x = c.input(0), y = c.output(0);
            int channels = axis < 0 ? 1 : Counts.toInt(x.shape().dim(axis));
            long inner = axis < 0 ? 1 : x.shape().size(axis + 1, x.shape().rank());
            QuantizedLevels[] levels = Counts.array(channels, QuantizedLevels[]::new);
            for (int k = 0; k < channels; k++) {
                float min = (float) c.input(1).getDouble(k),
                        max = (float) c.input(2).getDouble(k);
                require(min <= max, INVALID_ARGUMENT, "max_range must be >= min_range: %s < %s", max, min);
                float low = Math.min(0, min);
                float least = Math.max(1, Math.max(Math.abs(min), Math.abs(max))) * ensureMinimumRange;
                float high = Math.max(0, Math.max(max, low + least));
                levels[k] = QuantizedLevels.of(type, mode, low, high, narrowRange);
                c.output(1).set(k, levels[k].low());
                c.output(2).set(k, levels[k].high());
            }
            boolean even = roundMode.equals("HALF_TO_EVEN");
            for (long i = 0; i < x.size(); i++)
                y.setLong(i, levels[(int) (i / inner % channels)].quantise((float) x.getDouble(i), even));
        };
    }
}
