package dev.oxbow.ops.quantised;

import dev.oxbow.graph.Signature;
import dev.oxbow.tensor.Tensor;
import java.util.List;

/** The greatest level of each window. */
@Signature(
        "QuantizedMaxPool(input: T, min_input: float, max_input: float) -> (output: T, min_output: float, max_output: float) {T: type in [QUANTISED]; ksize: list(int); strides: list(int); padding: string in [\"SAME\" \"VALID\"]}")
public record QuantizedMaxPool(List<Long> ksize, List<Long> strides, String padding) implements LevelPool {

    @Override
    public void slide(LevelWindow window, Tensor x, Tensor y) {
        window.greatest(x, y);
    }
}
