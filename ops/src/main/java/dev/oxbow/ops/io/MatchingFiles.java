package dev.oxbow.ops.io;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Arguments;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.ops.Stateful.Asking;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/** The names of files that match patterns with {@code *}, {@code ?} and {@code []}, sorted. */
@Signature("MatchingFiles(pattern: string) -> (filenames: string)")
public record MatchingFiles() implements NotDifferentiable, Asking {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        require(
                c.shape(0).rank() <= 1,
                INVALID_ARGUMENT,
                "Input patterns tensor must be scalar or vector, but had shape: %s",
                c.shape(0));
        return List.of(new TensorType(DType.STRING, Shape.of(-1)));
    }

    @Override
    public Kernel cpu() {
        return c -> {
            Set<String> found = new TreeSet<>();
            for (long i = 0; i < c.input(0).size(); i++) match(FileNames.text(c.input(0), i), found);
            Tensor y = c.allocate(0, Shape.of(found.size()));
            int at = 0;
            for (String f : found) y.objects()[at++] = f.getBytes(StandardCharsets.UTF_8);
        };
    }

    /** The names that match a pattern, sorted. */
    public static Set<String> found(String pattern) {
        Set<String> found = new TreeSet<>();
        match(pattern, found);
        return found;
    }

    /** Only the last directories of a pattern are walked: those after its fixed part. */
    static void match(String pattern, Set<String> found) {
        int wild = pattern.length();
        for (int i = 0; i < pattern.length(); i++) {
            if ("*?[\\".indexOf(pattern.charAt(i)) >= 0) {
                wild = i;
                break;
            }
        }
        if (wild == pattern.length()) {
            if (Files.exists(Arguments.path(pattern))) found.add(pattern);
            return;
        }
        int slash = pattern.lastIndexOf('/', wild);
        Path root = Arguments.path(slash < 0 ? "." : slash == 0 ? "/" : pattern.substring(0, slash));
        int depth = (int) pattern.substring(slash + 1)
                        .chars()
                        .filter(ch -> ch == '/')
                        .count()
                + 1;
        String glob = pattern.substring(slash + 1).replace("{", "\\{").replace("}", "\\}");
        PathMatcher matcher = matcher(glob);
        if (!Files.isDirectory(root)) return;
        try (Stream<Path> all = Files.walk(root, depth)) {
            all.filter(p -> !p.equals(root) && matcher.matches(root.relativize(p)))
                    .forEach(p -> found.add(slash < 0 ? root.relativize(p).toString() : p.toString()));
        } catch (UncheckedIOException e) {
            throw Arguments.failed(pattern, e.getCause());
        } catch (IOException e) {
            throw Arguments.failed(pattern, e);
        }
    }

    private static PathMatcher matcher(String glob) {
        try {
            return FileSystems.getDefault().getPathMatcher("glob:" + glob);
        } catch (IllegalArgumentException e) {
            throw new OxbowException(INVALID_ARGUMENT, "'" + glob + "' is not a pattern of names", e);
        }
    }
}
