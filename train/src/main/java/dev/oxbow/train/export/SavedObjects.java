package dev.oxbow.train.export;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;

import com.google.protobuf.InvalidProtocolBufferException;
import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.core.PartitionedCall;
import dev.oxbow.graph.core.StatefulPartitionedCall;
import dev.oxbow.ops.state.VarHandleOp;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Tensor;
import dev.oxbow.wire.CheckpointReader;
import dev.oxbow.wire.proto.SavedConcreteFunction;
import dev.oxbow.wire.proto.SavedObject;
import dev.oxbow.wire.proto.SavedObjectGraph;
import dev.oxbow.wire.proto.TrackableObjectGraph;
import dev.oxbow.wire.proto.TrackableObjectGraph.TrackableObject;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * The objects of TensorFlow 2 behind the variables of a graph. A function of a SavedModel takes objects behind its own
 * arguments; the nodes of the graph that call it have handles there. Objects have their values in the checkpoint by the
 * way that leads to them from the root. Nodes that restore and save the graph as TensorFlow 1 did may miss variables, and
 * do where a model holds some of them twice, as those of Keras 3 do.
 */
final class SavedObjects {
    private static final String OBJECTS = "_CHECKPOINTABLE_OBJECT_GRAPH";

    private SavedObjects() {}

    /** The keys in a checkpoint of the variables that calls in a graph take, by the nodes of their handles. */
    static Map<Node, String> keys(Graph graph, SavedObjectGraph objects, Path prefix) {
        Map<Integer, String> keys = ofObjects(objects, prefix);
        Map<Node, String> found = new TreeMap<>((a, b) -> a.name().compareTo(b.name()));
        for (Node n : graph.nodes()) {
            String function = switch (n.op()) {
                case StatefulPartitionedCall c -> c.f().name();
                case PartitionedCall c -> c.f().name();
                default -> null;
            };
            SavedConcreteFunction f =
                    function == null ? null : objects.getConcreteFunctionsMap().get(function);
            if (f == null) continue;
            int first = n.inputCount() - f.getBoundInputsCount();
            for (int i = 0; first >= 0 && i < f.getBoundInputsCount(); i++) {
                Edge handle = n.input(first + i);
                String key = keys.get(f.getBoundInputs(i));
                if (key != null && handle.node().op() instanceof VarHandleOp) found.put(handle.node(), key);
            }
        }
        return found;
    }

    /** The key of each variable's value, by the number of its object. */
    private static Map<Integer, String> ofObjects(SavedObjectGraph objects, Path prefix) {
        Map<Integer, String> keys = new HashMap<>();
        if (objects.getNodesCount() == 0) return keys;
        TrackableObjectGraph kept;
        try (CheckpointReader r = CheckpointReader.open(prefix)) {
            if (!r.contains(OBJECTS)) return keys;
            try (Tensor t = r.read(OBJECTS)) {
                kept = TrackableObjectGraph.parseFrom((byte[]) t.objects()[0]);
            }
        } catch (InvalidProtocolBufferException e) {
            throw new OxbowException(INVALID_ARGUMENT, "SavedModel: the objects in " + prefix + " are damaged", e);
        }
        walk(objects, 0, kept, 0, keys, new HashSet<>());
        return keys;
    }

    private static void walk(
            SavedObjectGraph objects,
            int object,
            TrackableObjectGraph kept,
            int at,
            Map<Integer, String> keys,
            Set<Integer> met) {
        if (object >= objects.getNodesCount() || at >= kept.getNodesCount() || !met.add(object)) return;
        SavedObject o = objects.getNodes(object);
        TrackableObject k = kept.getNodes(at);
        if (o.hasVariable() && k.getAttributesCount() > 0)
            keys.put(object, k.getAttributes(0).getCheckpointKey());
        Map<String, Integer> children = new HashMap<>();
        k.getChildrenList().forEach(c -> children.put(c.getLocalName(), c.getNodeId()));
        o.getChildrenList().forEach(c -> {
            Integer child = children.get(c.getLocalName());
            if (child != null) walk(objects, c.getNodeId(), kept, child, keys, met);
        });
    }
}
