package dev.oxbow.graph.wire;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.wire.proto.FunctionDef;
import dev.oxbow.wire.proto.GraphDef;
import dev.oxbow.wire.proto.NodeDef;
import dev.oxbow.wire.proto.VersionDef;
import java.util.List;

/** The versions of GraphDefs: who may read one, and what old ones mean. */
final class Versions {

    /** The version whose rules our graphs follow, and that we read up to. */
    static final int CURRENT = 1882;

    /** In producers up to this one a Placeholder of unknown shape has the shape of a scalar. */
    private static final int SCALARS_ARE_UNKNOWN = 21;

    private Versions() {}

    /** The graph as a producer of today would write it; refused when it says that we cannot read it. */
    static GraphDef current(GraphDef def) {
        VersionDef v = def.getVersions();
        require(
                v.getMinConsumer() <= CURRENT,
                INVALID_ARGUMENT,
                "GraphDef min consumer version %d above current version %d: it wants a newer reader",
                v.getMinConsumer(),
                CURRENT);
        require(
                !v.getBadConsumersList().contains(CURRENT),
                INVALID_ARGUMENT,
                "GraphDef disallows consumer version %d: its producer, version %d, knows that it would be read wrongly",
                CURRENT,
                v.getProducer());
        int producer = def.hasVersions() ? v.getProducer() : def.getVersion();
        return producer > SCALARS_ARE_UNKNOWN ? def : withoutScalars(def);
    }

    private static GraphDef withoutScalars(GraphDef def) {
        GraphDef.Builder b = def.toBuilder();
        withoutScalars(def.getNodeList(), b::setNode);
        List<FunctionDef> functions = def.getLibrary().getFunctionList();
        for (int i = 0; i < functions.size(); i++) {
            FunctionDef.Builder f = functions.get(i).toBuilder();
            withoutScalars(functions.get(i).getNodeDefList(), f::setNodeDef);
            b.getLibraryBuilder().setFunction(i, f);
        }
        return b.build();
    }

    private interface Replacement {
        void set(int position, NodeDef node);
    }

    private static void withoutScalars(List<NodeDef> nodes, Replacement to) {
        for (int i = 0; i < nodes.size(); i++) {
            NodeDef n = nodes.get(i);
            if (!n.getOp().equals("Placeholder") || !n.containsAttr("shape")) continue;
            if (n.getAttrOrThrow("shape").hasShape()
                    && n.getAttrOrThrow("shape").getShape().getDimCount() == 0)
                to.set(i, n.toBuilder().removeAttr("shape").build());
        }
    }
}
