package dev.oxbow.graph.pass;

import static dev.oxbow.tensor.ErrorCode.RESOURCE_EXHAUSTED;

import dev.oxbow.graph.Function;
import dev.oxbow.graph.FunctionLibrary;
import dev.oxbow.graph.FunctionRef;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.Subgraph;
import dev.oxbow.tensor.OxbowException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Counts the nodes that {@link Inline} would make of calls, at least, before it makes any. */
final class CalledNodes {

    /*
     * Functions that call the next one twice double at every level, so a body is counted once and its count used again,
     * unless something in it was left because of what is on the stack. Those are walked each time, but no walk is longer
     * than the limit.
     */

    private record Body(int nodes, List<Node> calls) {}

    private final FunctionLibrary functions;
    private final Map<FunctionRef, Body> bodies = new HashMap<>();
    private final Map<FunctionRef, Long> known = new HashMap<>();
    private final ArrayDeque<String> stack = new ArrayDeque<>();
    private long walked;
    private boolean left;

    private CalledNodes(FunctionLibrary functions) {
        this.functions = functions;
    }

    /** Refuses a graph whose calls expand to more nodes than its limits allow. */
    static void check(Subgraph s) {
        var counter = new CalledNodes(s.graph().functions());
        long total = 0;
        for (Node n : s.graph().nodes()) {
            counter.walked = total;
            if (Inline.isCall(n.op())) total = counter.limited(n, total + counter.call(n));
        }
    }

    private long limited(Node n, long nodes) {
        int most = functions.limits().calledNodes();
        if (nodes <= most) return nodes;
        String text = "calls expand to at most %,d nodes, this one makes it %,d or more".formatted(most, nodes);
        throw n.located(new OxbowException(RESOURCE_EXHAUSTED, text));
    }

    private long call(Node n) {
        List<FunctionRef> called = Inline.functions(n.op());
        long nodes = called.size() * (2L + n.inputCount() + n.outputCount());
        walked = limited(n, walked + nodes);
        if (Inline.isLeft(called, stack)) {
            left = true;
            return 1;
        }
        for (FunctionRef f : called) nodes = limited(n, nodes + body(f));
        return nodes;
    }

    private long body(FunctionRef f) {
        Long count = known.get(f);
        if (count != null) return count;
        Body b = bodies.computeIfAbsent(f, this::read);
        boolean outer = left;
        left = false;
        stack.push(f.name());
        long nodes = b.nodes();
        for (Node n : b.calls()) nodes = limited(n, nodes + call(n));
        stack.pop();
        if (!left) known.put(f, nodes);
        left |= outer;
        return nodes;
    }

    private Body read(FunctionRef ref) {
        Function f = functions.get(ref);
        if (f == null) return new Body(0, List.of());
        boolean[] needed = Inline.needed(f);
        int nodes = 0;
        List<Node> calls = new ArrayList<>();
        for (Node n : f.body().nodes()) {
            if (!needed[n.id()]) continue;
            nodes++;
            if (Inline.isCall(n.op())) calls.add(n);
        }
        return new Body(nodes, calls);
    }
}
