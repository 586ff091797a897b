package dev.oxbow.ops.nn;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.tensor.Counts;
import java.util.ArrayList;
import java.util.List;

/** The most probable sequences of labels, over all the ways to say them with blanks and repetitions. */
@Signature(
        "CTCBeamSearchDecoder(inputs: T, sequence_length: int32) -> (decoded_indices: top_paths * int64, decoded_values: top_paths * int64, decoded_shape: top_paths * int64, log_probability: T) {beam_width: int >= 1; top_paths: int >= 1; merge_repeated: bool = true; T: type in [FLOAT DOUBLE] = FLOAT}")
public record CTCBeamSearchDecoder(long beamWidth, long topPaths, boolean mergeRepeated) implements NotDifferentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        CtcInputs.check(c.shape(0), c.shape(1));
        require(
                topPaths <= beamWidth,
                INVALID_ARGUMENT,
                "requested more paths than the beam width: top_paths %d > beam_width %d",
                topPaths,
                beamWidth);
        return CtcDecoded.types(
                Counts.toInt(topPaths),
                c.dtype(0),
                c.shape(0).rank() == 3 ? c.shape(0).dim(1) : -1);
    }

    @Override
    public Kernel cpu() {
        return c -> {
            CtcInputs x = CtcInputs.of(c, 1);
            int paths = Counts.toInt(topPaths), width = Counts.toInt(beamWidth);
            List<List<int[]>> rows = new ArrayList<>();
            for (int i = 0; i < paths; i++) rows.add(new ArrayList<>());
            double[] input = new double[x.classes()];
            for (int b = 0; b < x.batch(); b++) {
                CtcBeam beam = new CtcBeam(width, x.classes());
                for (int t = 0; t < x.lengths()[b]; t++) {
                    double norm = x.norm(t, b);
                    for (int k = 0; k < input.length; k++) input[k] = x.score(t, b, k) - norm;
                    beam.step(input);
                }
                require(
                        paths <= beam.size(),
                        INVALID_ARGUMENT,
                        "Less leaves in the beam search than requested: %d for %d paths",
                        beam.size(),
                        paths);
                List<CtcBeam.Path> best = beam.paths(paths, mergeRepeated);
                for (int i = 0; i < paths; i++) {
                    rows.get(i).add(best.get(i).labels());
                    c.output(3 * paths).set((long) b * paths + i, best.get(i).probability());
                }
            }
            for (int i = 0; i < paths; i++) CtcDecoded.give(c, i, paths, rows.get(i));
        };
    }
}
