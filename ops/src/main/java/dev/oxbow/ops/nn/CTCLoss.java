package dev.oxbow.ops.nn;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Arguments;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.flow.PreventGradient;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * How improbable sequences of labels are by scores for each time, over all the ways to say them with blanks and repetitions
 * (Graves and others, "Connectionist Temporal Classification"), and its gradient by the scores.
 */
@Signature(
        "CTCLoss(inputs: T, labels_indices: int64, labels_values: int32, sequence_length: int32) -> (loss: T, gradient: T) {preprocess_collapse_repeated: bool = false; ctc_merge_repeated: bool = true; ignore_longer_outputs_than_inputs: bool = false; T: type in [FLOAT DOUBLE] = FLOAT}")
public record CTCLoss(
        boolean preprocessCollapseRepeated, boolean ctcMergeRepeated, boolean ignoreLongerOutputsThanInputs)
        implements Differentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        CtcInputs.check(c.shape(0), c.shape(3));
        Arguments.rank("labels_indices", c.shape(1), 2);
        Arguments.rank("labels_values", c.shape(2), 1);
        Shape x = c.shape(0).rank() == 3 ? c.shape(0) : Shape.ofRank(3);
        return List.of(new TensorType(c.dtype(0), x.slice(1, 2)), new TensorType(c.dtype(0), x));
    }

    @Override
    public Kernel cpu() {
        return c -> {
            CtcInputs x = CtcInputs.of(c, 3);
            List<List<Integer>> labels = labels(c, x.batch());
            Tensor loss = c.output(0), gradient = c.output(1);
            for (long i = 0; i < gradient.size(); i++) gradient.set(i, 0);
            for (int b = 0; b < x.batch(); b++) {
                List<Integer> wanted = labels.get(b);
                int[] said = said(x, b, wanted);
                loss.set(b, 0);
                if (x.lengths()[b] == 0 || ignoreLongerOutputsThanInputs && wanted.size() > x.lengths()[b]) continue;
                loss.set(b, CtcPaths.loss(x, b, said, ctcMergeRepeated, gradient));
            }
        };
    }

    private static List<List<Integer>> labels(KernelContext c, int batch) {
        Tensor indices = c.input(1), values = c.input(2);
        require(
                indices.shape().rank() == 2
                        && indices.shape().dim(1) == 2
                        && values.shape().rank() == 1
                        && indices.shape().dim(0) == values.size(),
                INVALID_ARGUMENT,
                "labels_indices must be [n, 2] and labels_values [n], got %s and %s",
                indices.shape(),
                values.shape());
        List<List<Integer>> rows = new ArrayList<>();
        for (int b = 0; b < batch; b++) rows.add(new ArrayList<>());
        for (long k = 0; k < values.size(); k++) {
            long b = indices.getLong(2 * k);
            require(
                    b >= 0 && b < batch,
                    INVALID_ARGUMENT,
                    "labels batch index must be between 0 and %d but saw: %d",
                    batch,
                    b);
            rows.get((int) b).add((int) values.getLong(k));
        }
        return rows;
    }

    /** The labels that are to be said, up to the first one that is a blank. */
    private int[] said(CtcInputs x, int b, List<Integer> wanted) {
        int[] all = new int[wanted.size()];
        int n = 0;
        boolean ended = false;
        for (int i = 0; i < wanted.size(); i++) {
            int label = wanted.get(i);
            if (i > 0 && preprocessCollapseRepeated && label == wanted.get(i - 1)) continue;
            if (label >= x.classes() - 1) {
                ended = true;
                continue;
            }
            require(
                    !ended,
                    INVALID_ARGUMENT,
                    "Saw a non-null label (index >= num_classes - 1) following a null label, batch: %d num_classes: %d"
                            + " labels: %s",
                    b,
                    x.classes(),
                    wanted);
            require(
                    label >= 0,
                    INVALID_ARGUMENT,
                    "All labels must be nonnegative integers, batch: %d labels: %s",
                    b,
                    wanted);
            all[n++] = label;
        }
        require(
                ignoreLongerOutputsThanInputs || wanted.size() <= x.lengths()[b],
                INVALID_ARGUMENT,
                "Not enough time for target transition sequence (required: %d, available: %d) in row %d. You can turn this"
                        + " error into a warning by using the flag ignore_longer_outputs_than_inputs",
                wanted.size(),
                x.lengths()[b],
                b);
        return Arrays.copyOf(all, n);
    }

    /** {@code dx = dloss * gradient}; there is no second derivative. */
    @Override
    public List<Value> gradient(GradientContext g) {
        Value own = Value.apply(
                new PreventGradient("Currently there is no way to take the second derivative of ctc_loss"),
                g.output(1));
        return Arrays.asList(g.gradient(0).expandDims(-1).times(own), null, null, null);
    }
}
