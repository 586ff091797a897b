package dev.oxbow.ops.lookup;

import dev.oxbow.graph.Effects;
import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import java.util.List;

/** Fills a table that is filled once from the lines of a text file. */
@Signature(
        "InitializeTableFromTextFileV2(table_handle: resource, filename: string) -> () {key_index: int >= -2; value_index: int >= -2; vocab_size: int = -1 >= -1; delimiter: string = \"\\t\"; offset: int = 0} stateful")
public record InitializeTableFromTextFileV2(int keyIndex, int valueIndex, long vocabSize, String delimiter, long offset)
        implements NotDifferentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return List.of();
    }

    @Override
    public Effects effects() {
        return Effects.WRITES;
    }

    @Override
    public Kernel cpu() {
        return c -> TextFile.initialise(c, keyIndex, valueIndex, vocabSize, delimiter, offset);
    }
}
