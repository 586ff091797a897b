package dev.oxbow.collective.ops;

import dev.oxbow.graph.OpProvider;
import java.util.List;

/** The list of collective ops. */
public final class CollectiveOps implements OpProvider {

    @Override
    public List<String> ops() {
        return List.of(
                "AllGather",
                "AllReduce",
                "AllToAll",
                "Broadcast",
                "RankRecv",
                "RankSend",
                "Reduce",
                "ReduceScatter",
                "TopKAllReduce",
                "ViewAll",
                "ViewAllEnd");
    }
}
