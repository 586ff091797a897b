package dev.oxbow.ops.quantised;

import dev.oxbow.graph.OpProvider;
import java.util.List;

/** Arithmetic on levels between limits: the list of this package's ops. */
public final class QuantisedOps implements OpProvider {
    @Override
    public List<String> ops() {
        return List.of(
                "QuantizeDownAndShrinkRange",
                "QuantizedAdd",
                "QuantizedAvgPool",
                "QuantizedBatchNormWithGlobalNormalization",
                "QuantizedBiasAdd",
                "QuantizedConcat",
                "QuantizedConcatV2",
                "QuantizedConv2D",
                "QuantizedInstanceNorm",
                "QuantizedMatMul",
                "QuantizedMaxPool",
                "QuantizedMul",
                "QuantizedRelu",
                "QuantizedRelu6",
                "QuantizedReluX",
                "QuantizedReshape",
                "QuantizedResizeBilinear",
                "RequantizationRange",
                "Requantize");
    }
}
