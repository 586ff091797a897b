package dev.oxbow.parallel;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.state.VarHandleOp;
import dev.oxbow.tensor.Shape;
import dev.oxbow.wire.TensorSlice;
import java.util.ArrayList;
import java.util.Collections;
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

    /** The container of variables that differ from rank to rank; assigning one never brings the first rank's value. */
    public static final String OF_RANKS = "ranks";

    /** What a tensor is for. */
    public enum Role {
        /** What training is for. */
        PARAMETER,
        /** What an optimizer keeps for a parameter. */
        SLOT,
        /** What a rank has not sent of a parameter's gradient yet. */
        RESIDUAL,
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

    /**
     * The same and, where the plan's wire format keeps what it does not send, those residuals. Each rank has its own, so the
     * whole tensor has one more dimension, that of the ranks; a rank without one has zeros. In the rank's session it is a
     * variable of this name in container {@link #OF_RANKS}.
     */
    public static List<StateEntry> of(Graph graph, Plan plan, int ranks, int rank) {
        List<StateEntry> all = new ArrayList<>(of(graph));
        if (ranks == 1 || !plan.wire().isTopK()) return all;
        for (StateEntry e : of(graph)) {
            if (e.role != Role.PARAMETER || !Buckets.isCoded(e.type)) continue;
            Shape s = Shape.of(ranks).concat(e.type.shape());
            List<Long> starts = new ArrayList<>(Collections.nCopies(s.rank(), 0L));
            List<Long> lengths = new ArrayList<>(Collections.nCopies(s.rank(), TensorSlice.ALL));
            starts.set(0, (long) rank);
            lengths.set(0, 1L);
            TensorSlice mine = new TensorSlice(starts, lengths);
            all.add(new StateEntry(residual(e.name), e.type.withShape(s), mine, Role.RESIDUAL));
        }
        return all;
    }

    /** The name of the residual of a parameter. */
    static String residual(String parameter) {
        return parameter + "/residual";
    }

    /** Whether a handle is that of a variable which differs from rank to rank. */
    static boolean isOfRanks(Node handle) {
        return handle.op() instanceof VarHandleOp v && v.container().equals(OF_RANKS);
    }

    private static Role first(Role a, Role b) {
        return a == Role.PARAMETER || b == Role.PARAMETER ? Role.PARAMETER : a == Role.VARIABLE ? b : a;
    }
}
