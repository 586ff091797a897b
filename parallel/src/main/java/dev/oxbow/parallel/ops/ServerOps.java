package dev.oxbow.parallel.ops;

import dev.oxbow.graph.OpProvider;
import java.util.List;

/** The list of ops by which workers and parameter servers meet, and of updates in steps of their own. */
public final class ServerOps implements OpProvider {

    @Override
    public List<String> ops() {
        return List.of(
                "Absentees",
                "Assemble",
                "CommitPush",
                "ForgetContainer",
                "GateExport",
                "GateImport",
                "GateMembership",
                "GateState",
                "GradientPush",
                "VersionWait",
                "_LateUpdate=LateUpdate",
                "_Piece=Piece",
                "_RowsWithin=RowsWithin",
                "_UpdateWait=UpdateWait");
    }
}
