package dev.oxbow.ops.io;

import dev.oxbow.graph.OpProvider;
import java.util.List;

/** Files and checkpoints: the list of this package's ops. */
public final class IoOps implements OpProvider {
    @Override
    public List<String> ops() {
        return List.of(
                "MatchingFiles",
                "MergeV2Checkpoints",
                "ReadFile",
                "RestoreV2",
                "SaveV2",
                "ShardedFilename",
                "ShardedFilespec",
                "Timestamp",
                "WriteFile");
    }
}
