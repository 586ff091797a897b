package dev.oxbow.testing.samples;

import static dev.oxbow.tensor.DType.F32;
import static dev.oxbow.tensor.DType.F64;

import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.List;

/** Connectionist temporal classification: losses and decoders. */
public final class CtcSamples extends SampleFamily {

    @Override
    public String name() {
        return "ctc";
    }

    @Override
    protected void define() {
        Tensor lengths = ints(5, 3), places = Tensor.of(Shape.of(5, 2), 0L, 0L, 0L, 1L, 0L, 2L, 1L, 0L, 1L, 1L);
        for (DType dtype : List.of(F32, F64)) {
            Tensor scores = random(dtype, -2, 2, 81, 6, 2, 4);
            for (boolean merged : new boolean[] {false, true}) {
                sample(named("CTCGreedyDecoder", "merge_repeated", merged), scores, lengths);
                sample(
                        named("CTCBeamSearchDecoder", "beam_width", 7L, "top_paths", 3L, "merge_repeated", merged),
                        scores,
                        lengths);
            }
        }
        sample(named("CTCGreedyDecoder", "blank_index", 0L), random(F32, -1, 1, 82, 4, 1, 3), ints(4));
        sample(
                named("CTCBeamSearchDecoder", "beam_width", 100L, "top_paths", 1L),
                random(F32, -3, 3, 83, 12, 3, 6),
                ints(12, 0, 7));
        Tensor scores = random(F64, -2, 2, 84, 6, 2, 4);
        for (boolean collapsed : new boolean[] {false, true})
            for (boolean merged : new boolean[] {false, true})
                samplePart(
                        named("CTCLoss", "preprocess_collapse_repeated", collapsed, "ctc_merge_repeated", merged),
                        new int[] {0},
                        new int[] {0},
                        scores,
                        places,
                        ints(1, 1, 0, 2, 0),
                        lengths);
        samplePart(
                named("CTCLoss"),
                new int[] {},
                new int[] {},
                random(F32, -2, 2, 85, 5, 2, 3),
                places,
                ints(0, 1, 0, 1, 2),
                ints(5, 4));
        samplePart(
                named("CTCLoss", "ignore_longer_outputs_than_inputs", true),
                new int[] {},
                new int[] {},
                random(F32, -2, 2, 86, 5, 2, 4),
                places,
                ints(0, 1, 0, 1, 2),
                ints(2, 0));
        samplePart(
                named("CTCLoss"),
                new int[] {},
                new int[] {},
                random(F32, -2, 2, 87, 5, 2, 4),
                places,
                ints(0, 1, 0, 1, 2),
                ints(2, 2));
    }
}
