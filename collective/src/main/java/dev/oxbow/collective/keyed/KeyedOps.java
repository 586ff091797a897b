package dev.oxbow.collective.keyed;

import dev.oxbow.graph.OpProvider;
import java.util.List;

/** TensorFlow's collective ops: the list of this package's ops. */
public final class KeyedOps implements OpProvider {
    @Override
    public List<String> ops() {
        return List.of(
                "CollectiveAllToAllV2",
                "CollectiveAllToAllV3",
                "CollectiveAssignGroupV2",
                "CollectiveBcastRecv",
                "CollectiveBcastRecvV2",
                "CollectiveBcastSend",
                "CollectiveBcastSendV2",
                "CollectiveGather",
                "CollectiveGatherV2",
                "CollectiveInitializeCommunicator",
                "CollectiveReduce",
                "CollectiveReduceScatterV2",
                "CollectiveReduceV2",
                "CollectiveReduceV3");
    }
}
