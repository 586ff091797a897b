package dev.oxbow.parallel;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.ops.state.VarHandleOp;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Variables that one op takes and that must live together: a parameter and the slots of its optimizer. */
final class Families {

    /*
     * The whole graph says which those are, since a run that sets start values sees each by itself.
     */

    /** By the name of a variable, another one that it lives with; those that stand for a family have none. */
    private final Map<String, String> families = new HashMap<>();

    private int seen;

    /** Sees what has been added to a graph; gives the handles among it. */
    List<Node> learn(Graph graph) {
        List<Node> handles = new ArrayList<>();
        for (; seen < graph.size(); seen++) {
            String first = null;
            if (graph.node(seen).op() instanceof VarHandleOp) handles.add(graph.node(seen));
            for (Edge e : graph.node(seen).inputs()) {
                if (e == null || !(e.node().op() instanceof VarHandleOp)) continue;
                String family = of(e.node());
                if (first == null) first = family;
                else if (!first.equals(family)) families.put(family, first);
            }
        }
        return handles;
    }

    /** The name of the variable that stands for the family of the one behind a handle. */
    String of(Node handle) {
        String f = name(handle);
        while (families.containsKey(f)) f = families.get(f);
        return f;
    }

    /** The name of the variable behind a handle. */
    static String name(Node handle) {
        VarHandleOp v = (VarHandleOp) handle.op();
        return v.sharedName().isEmpty() ? handle.name() : v.sharedName();
    }
}
