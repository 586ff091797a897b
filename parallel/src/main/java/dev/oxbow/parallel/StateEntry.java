package dev.oxbow.parallel;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.state.VarHandleOp;
import dev.oxbow.wire.TensorSlice;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * One piece of what training keeps between steps, by the same name under every plan: {@code conv1/kernel}, {@code
 * conv1/kernel/adam/m}.
 *
 * @param type of the whole tensor
 * @param slice the part of it that this process keeps
 */
public record StateEntry(String name, TensorType type, TensorSlice slice, Role role) {

    /** What a tensor is for. */
    public enum Role {
        /** What training is for. */
        PARAMETER,
        /** What an optimizer keeps for a parameter. */
        SLOT,
        /** Anything else that lives in a variable. */
        VARIABLE
    }

    /** The variables of a graph, in its order. Under data parallelism every process keeps the whole of each. */
    public static List<StateEntry> of(Graph graph) {
        Map<Node, Role> roles = new LinkedHashMap<>();
        for (Node n : graph.nodes()) {
            if (n.op() instanceof VarHandleOp) roles.putIfAbsent(n, Role.VARIABLE);
            if (!n.op().signature().name().contains("Apply")) continue;
            for (int i = 0; i < n.inputCount(); i++) {
                Edge e = n.input(i);
                if (e.node().op() instanceof VarHandleOp)
                    roles.merge(e.node(), i == 0 ? Role.PARAMETER : Role.SLOT, StateEntry::first);
            }
        }
        List<StateEntry> all = new ArrayList<>();
        roles.forEach((n, role) -> {
            VarHandleOp op = (VarHandleOp) n.op();
            TensorType type = new TensorType(op.dtype(), op.shape());
            String name = op.sharedName().isEmpty() ? n.name() : op.sharedName();
            all.add(new StateEntry(name, type, TensorSlice.full(op.shape().rank()), role));
        });
        return all;
    }

    private static Role first(Role a, Role b) {
        return a == Role.PARAMETER || b == Role.PARAMETER ? Role.PARAMETER : a == Role.VARIABLE ? b : a;
    }
}
