package dev.oxbow.ops.io;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Arguments;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.ops.Stateful.Changing;
import dev.oxbow.wire.CheckpointWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Makes one checkpoint of several. */
@Signature(
        "MergeV2Checkpoints(checkpoint_prefixes: string, destination_prefix: string) -> () {delete_old_dirs: bool = true; allow_missing_files: bool = false} stateful")
public record MergeV2Checkpoints(boolean deleteOldDirs, boolean allowMissingFiles)
        implements NotDifferentiable, Changing {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return List.of();
    }

    @Override
    public Kernel cpu() {
        return c -> {
            List<Path> prefixes = new ArrayList<>();
            for (long i = 0; i < c.input(0).size(); i++) prefixes.add(Arguments.path(FileNames.text(c.input(0), i)));
            Path destination = Arguments.path(FileNames.scalar(c, 1, "destination_prefix"));
            CheckpointWriter.merge(prefixes, destination, deleteOldDirs, allowMissingFiles);
        };
    }
}
