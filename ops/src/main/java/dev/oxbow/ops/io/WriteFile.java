package dev.oxbow.ops.io;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Arguments;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.ops.Stateful.Changing;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Writes a file, and the directories above it. */
@Signature("WriteFile(filename: string, contents: string) -> () stateful")
public record WriteFile() implements NotDifferentiable, Changing {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        c.scalar(0);
        c.scalar(1);
        return List.of();
    }

    @Override
    public Kernel cpu() {
        return c -> {
            String file = FileNames.scalar(c, 0, "filename");
            Path path = Arguments.path(file);
            try {
                if (path.getParent() != null) Files.createDirectories(path.getParent());
                Files.write(path, (byte[]) c.input(1).objects()[0]);
            } catch (IOException e) {
                throw Arguments.failed(file, e);
            }
        };
    }
}
