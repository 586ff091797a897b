package dev.oxbow.testing.gradients;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.oxbow.graph.OpDefinition;
import dev.oxbow.graph.OpRegistry;
import dev.oxbow.graph.core.CoreOp;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.NotDifferentiable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

/** Our gradients beside those that TensorFlow registers, which {@code testing/record/gradients.py} lists. */
final class GradientListTest {
    private static final Path THEIRS = Path.of("src/test/answers/gradients.txt");

    /** Registered there as a function that gives none. */
    private static final Set<String> NONE_THERE_TOO =
            Set.of("ArgMax", "ArgMin", "Ceil", "Floor", "FloorDiv", "Rint", "Round", "TruncateDiv");

    /** Registered there as a function that raises an error. */
    private static final Set<String> REFUSED_THERE_TOO =
            Set.of("SparseDenseCwiseAdd", "SparseSparseMaximum", "SparseSparseMinimum");

    @Test
    void whatHasAGradientInTensorFlowHasOneHere() throws IOException {
        Set<String> missing = theirs("yes", type -> !Differentiable.class.isAssignableFrom(type));
        missing.removeAll(NONE_THERE_TOO);
        missing.removeAll(REFUSED_THERE_TOO);
        assertEquals(Set.of(), missing);
    }

    @Test
    void whereTensorFlowEndsPathsTheyEndHereOrGoOn() throws IOException {
        assertEquals(
                Set.of(),
                theirs(
                        "none",
                        type -> !NotDifferentiable.class.isAssignableFrom(type)
                                && !Differentiable.class.isAssignableFrom(type)));
    }

    /** Ops of TensorFlow's list that are here, with this word there, and ours are such. */
    private static Set<String> theirs(String word, Predicate<Class<?>> ours) throws IOException {
        Set<String> found = new TreeSet<>();
        for (String line : Files.readAllLines(THEIRS)) {
            String[] words = line.split(" ");
            OpDefinition here = OpRegistry.get().definition(words[0]);
            if (here == null || !words[1].equals(word) || CoreOp.class.isAssignableFrom(here.type())) continue;
            if (ours.test(here.type())) found.add(words[0]);
        }
        return found;
    }
}
