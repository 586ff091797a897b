package dev.oxbow.ops.lookup;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.ops.Stateful.Opening;
import dev.oxbow.tensor.Counts;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Where each word of a new vocabulary is in an old one, -1 where it is not, and how many are there. */
@Signature(
        "GenerateVocabRemapping(new_vocab_file: string, old_vocab_file: string) -> (remapping: int64, num_present: int32) {new_vocab_offset: int >= 0; num_new_vocab: int >= 0; old_vocab_size: int = -1 >= -1}")
public record GenerateVocabRemapping(long newVocabOffset, long numNewVocab, long oldVocabSize)
        implements NotDifferentiable, Opening {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        c.scalar(0);
        c.scalar(1);
        return List.of(new TensorType(DType.I64, Shape.of(numNewVocab)), new TensorType(DType.I32, Shape.SCALAR));
    }

    @Override
    public Kernel cpu() {
        return c -> {
            List<String> words = TextFile.lines(file(c, 0), -1);
            require(
                    Counts.plus(newVocabOffset, numNewVocab) <= words.size(),
                    INVALID_ARGUMENT,
                    "lookup table size must be larger than last new vocab entry's line: %d lines, the last is %d",
                    words.size(),
                    Counts.plus(newVocabOffset, numNewVocab));
            Map<String, Integer> old = new HashMap<>();
            List<String> before = TextFile.lines(file(c, 1), oldVocabSize);
            for (int i = 0; i < before.size(); i++) {
                Integer other = old.putIfAbsent(before.get(i), i);
                require(
                        other == null,
                        INVALID_ARGUMENT,
                        "the old vocabulary has '%s' in lines %d and %d",
                        before.get(i),
                        other,
                        i);
            }
            Tensor y = c.allocate(0, Shape.of(numNewVocab));
            int present = 0;
            for (int i = 0; i < numNewVocab; i++) {
                Integer at = old.get(words.get((int) newVocabOffset + i));
                y.setLong(i, at == null ? -1 : at);
                if (at != null) present++;
            }
            c.allocate(1, Shape.SCALAR).setLong(0, present);
        };
    }

    private static String file(KernelContext c, int i) {
        String name = new String((byte[]) c.input(i).objects()[0], StandardCharsets.UTF_8);
        require(!name.isEmpty(), INVALID_ARGUMENT, "%s cannot be empty", i == 0 ? "new_vocab_file" : "old_vocab_file");
        return name;
    }
}
