package dev.oxbow.graph.pass;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Effects;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.Rewrite;
import dev.oxbow.graph.Services;
import dev.oxbow.graph.Subgraph;
import dev.oxbow.graph.TensorType;
import dev.oxbow.graph.core.Const;
import dev.oxbow.graph.core.CoreOp;
import dev.oxbow.graph.core.Identity;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Common subexpression elimination: pure nodes with equal ops, inputs, control inputs and device become one. */
public final class Deduplicate implements Rewrite {
    /**
     * Constants up to so many bytes are compared by what they hold, larger ones by their memory. In four training graphs of
     * TensorFlow (GPT, MobileNet, LSTM, wide-and-deep) 922 constants of at most 3.5 KB are 147 different ones, and none of
     * the 42 larger ones, weights and tables of up to 6.4 MB, is there twice.
     */
    private static final long COMPARED = 1 << 12;

    private record Key(Object op, List<Edge> inputs, Set<Node> controls, String device, List<String> colocations) {}

    /** What a constant holds. */
    private record Content(TensorType type, ByteBuffer bytes) {}

    private final boolean placed;

    public Deduplicate() {
        this(true);
    }

    /** Constants that are equal but not the same stay apart before nodes are {@code placed}: one for all would be sent to other devices. */
    public Deduplicate(boolean placed) {
        this.placed = placed;
    }

    @Override
    public String name() {
        return "deduplicate";
    }

    @Override
    public String purpose() {
        return "merge equal pure nodes";
    }

    @Override
    public Subgraph run(Subgraph s, Services services) {
        Map<Key, Node> seen = new HashMap<>();
        Set<Node> roots = new HashSet<>(s.roots());
        return Rewriter.each(s, (w, n) -> {
            if (roots.contains(n) || !isPure(n)) {
                w.copy(n);
                return;
            }
            Key key = new Key(what(n.op()), w.inputs(n), Set.copyOf(w.controls(n)), n.device(), n.colocations());
            Node same = seen.get(key);
            if (same != null) w.replace(n, same);
            else seen.put(key, w.copy(n));
        });
    }

    /** What tells an op from others: TensorFlow's gradients have many constants of their own that are equal. */
    private Object what(Op op) {
        if (!placed
                || !(op instanceof Const c)
                || c.value().dtype().isObject()
                || c.value().byteSize() > COMPARED) return op;
        return new Content(TensorType.of(c.value()), ByteBuffer.wrap(c.value().bytes()));
    }

    private static boolean isPure(Node n) {
        if (n.op() instanceof CoreOp && !(n.op() instanceof Const) && !(n.op() instanceof Identity)) return false;
        if (n.op().effects() != Effects.NONE || n.op().waits()) return false;
        for (int i = 0; i < n.inputCount(); i++) if (n.input(i).type().isRef()) return false;
        for (TensorType t : n.outputs()) if (t.isHandle()) return false;
        return true;
    }
}
