package dev.oxbow.ops.nn;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/** The best class of each time, without blanks. */
@Signature(
        "CTCGreedyDecoder(inputs: T, sequence_length: int32) -> (decoded_indices: int64, decoded_values: int64, decoded_shape: int64, log_probability: T) {merge_repeated: bool = false; blank_index: int = -1; T: type in [FLOAT DOUBLE] = FLOAT}")
public record CTCGreedyDecoder(boolean mergeRepeated, long blankIndex) implements NotDifferentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        CtcInputs.check(c.shape(0), c.shape(1));
        return CtcDecoded.types(
                1, c.dtype(0), c.shape(0).rank() == 3 ? c.shape(0).dim(1) : -1);
    }

    @Override
    public Kernel cpu() {
        return c -> {
            CtcInputs x = CtcInputs.of(c, 1);
            long blank = blankIndex < 0 ? x.classes() + blankIndex : blankIndex;
            require(
                    blank >= 0 && blank < x.classes(),
                    INVALID_ARGUMENT,
                    "blank_index expected to be between -num_classes (%d) and num_classes (%d), got %d",
                    -x.classes(),
                    x.classes(),
                    blankIndex);
            Tensor probability = c.output(3);
            List<int[]> rows = new ArrayList<>();
            for (int b = 0; b < x.batch(); b++) {
                IntStream.Builder labels = IntStream.builder();
                int last = -1;
                double sum = 0;
                for (int t = 0; t < x.lengths()[b]; t++) {
                    int best = 0;
                    for (int k = 1; k < x.classes(); k++) if (x.score(t, b, k) > x.score(t, b, best)) best = k;
                    sum -= x.score(t, b, best);
                    if (best != blank && !(mergeRepeated && best == last)) labels.add(best);
                    last = best;
                }
                probability.set(b, sum);
                rows.add(labels.build().toArray());
            }
            CtcDecoded.give(c, 0, 1, rows);
        };
    }
}
