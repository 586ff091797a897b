package dev.oxbow.ops.quantised;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.Attr;
import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.tensor.Counts;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Tensor;
import java.util.List;

/** {@code (t - m) / sqrt(v + epsilon) * gamma + beta} of levels, in whole numbers of 32 bits that reach to 2^20. */
@Signature(
        "QuantizedBatchNormWithGlobalNormalization(t: Tinput, t_min: float, t_max: float, m: Tinput, m_min: float, m_max: float, v: Tinput, v_min: float, v_max: float, beta: Tinput, beta_min: float, beta_max: float, gamma: Tinput, gamma_min: float, gamma_max: float) -> (result: out_type, result_min: float, result_max: float) {Tinput: type in [QUANTISED]; out_type: type in [QUANTISED]; variance_epsilon: float; scale_after_normalization: bool}")
public record QuantizedBatchNormWithGlobalNormalization(
        @Attr("out_type") DType outType, float varianceEpsilon, boolean scaleAfterNormalization) implements Ranged {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        c.rank(0, 4);
        for (int i = 0; i < 15; i += 3) {
            Ranged.limits(c, i + 1, i + 3);
            if (i > 0) c.vector(i, c.shape(0).dim(-1));
        }
        return Ranged.types(c, c.shape(0));
    }

    @Override
    public Kernel cpu() {
        return c -> {
            Levels to = new Levels(outType, -(1 << 20), 1 << 20), of = Levels.of(c.input(0), c, 1);
            Tensor x = c.input(0), y = c.output(0);
            int depth = Counts.toInt(c.input(3).size());
            int[] scales = new int[depth], offsets = new int[depth];
            for (int k = 0; k < depth; k++) {
                float mean = number(c, 3, k), variance = number(c, 6, k), beta = number(c, 9, k);
                float scale = (float) (1f / Math.sqrt(variance + varianceEpsilon));
                if (scaleAfterNormalization) scale *= number(c, 12, k);
                scales[k] = (int) to.quantise(scale);
                offsets[k] = (int) to.quantise(-mean * scale + beta);
            }
            int one = (int) to.quantise(1);
            require(
                    one != 0 || y.size() == 0,
                    INVALID_ARGUMENT,
                    "no level of the output stands for 1: its limits are too wide");
            for (long i = 0; i < y.size(); i++) {
                int k = (int) (i % depth), level = (int) to.quantise(of.number(x.getLong(i)));
                y.setLong(i, level * scales[k] / one + offsets[k]);
            }
            Ranged.give(c, to);
        };
    }

    private static float number(KernelContext c, int i, int k) {
        return Levels.of(c.input(i), c, i + 1).number(c.input(i).getLong(k));
    }
}
