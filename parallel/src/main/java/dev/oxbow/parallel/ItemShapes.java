package dev.oxbow.parallel;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.Rewrite;
import dev.oxbow.graph.Services;
import dev.oxbow.graph.Subgraph;
import dev.oxbow.graph.TensorType;
import dev.oxbow.graph.pass.Rewriter;
import dev.oxbow.ops.flow.TensorListGetItem;
import dev.oxbow.ops.flow.TensorListPopBack;
import dev.oxbow.ops.flow.TensorListPushBack;
import dev.oxbow.ops.flow.TensorListSetItem;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Lets what is taken from a list have the shape of all that was ever put into it. */
final class ItemShapes implements Rewrite {

    @Override
    public String name() {
        return "item-shapes";
    }

    @Override
    public String purpose() {
        return "know the shapes of what loops keep in lists";
    }

    @Override
    public Subgraph run(Subgraph s, Services services) {
        int[] lists = new int[s.graph().size()];
        for (int i = 0; i < lists.length; i++) lists[i] = i;
        for (Node n : s.graph().nodes()) {
            if (n.outputs().stream().noneMatch(t -> t.dtype() == DType.VARIANT)) continue;
            for (Edge e : n.inputs())
                if (e.type().dtype() == DType.VARIANT)
                    join(lists, n.id(), e.node().id());
        }
        Map<Integer, Shape> items = new HashMap<>();
        for (Node n : s.graph().nodes()) {
            int item = n.op() instanceof TensorListPushBack ? 1 : n.op() instanceof TensorListSetItem ? 2 : -1;
            if (item < 0) continue;
            Shape shape = n.input(item).type().shape();
            items.merge(find(lists, n.id()), shape, (a, b) -> a.equals(b) ? a : Shape.UNKNOWN);
        }
        return Rewriter.each(s, (w, n) -> {
            int item = n.op() instanceof TensorListPopBack ? 1 : n.op() instanceof TensorListGetItem ? 0 : -1;
            Shape shape =
                    item < 0 ? null : items.get(find(lists, n.input(0).node().id()));
            if (shape == null
                    || !shape.isFullyKnown()
                    || !shape.isCompatibleWith(n.output(item).shape())) {
                w.copy(n);
                return;
            }
            List<TensorType> outputs = new ArrayList<>(n.outputs());
            outputs.set(item, outputs.get(item).withShape(shape));
            w.copyAs(n, outputs);
        });
    }

    private static void join(int[] lists, int a, int b) {
        lists[find(lists, a)] = find(lists, b);
    }

    private static int find(int[] lists, int i) {
        while (lists[i] != i) i = lists[i] = lists[lists[i]];
        return i;
    }
}
