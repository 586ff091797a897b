package dev.oxbow.ops.gradient;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.TensorType;
import dev.oxbow.graph.core.Arg;
import dev.oxbow.ops.Ops;
import dev.oxbow.ops.Slices;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.array.BroadcastTo;
import dev.oxbow.ops.array.ConcatV2;
import dev.oxbow.ops.flow.EmptyTensorList;
import dev.oxbow.ops.flow.TensorListConcatV2;
import dev.oxbow.ops.flow.TensorListPushBack;
import dev.oxbow.ops.linalg.SumsOfProducts;
import dev.oxbow.ops.math.AddN;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.function.IntFunction;

/** Products that a gradient loop would add to a sum in each iteration: their factors are listed, and multiplied once after it. */
final class LoopProducts {

    /*
     * See SumsOfProducts for why. The lists begin with a matrix of no rows: a loop that never runs gives zeros.
     */

    private static final Shape ANY = Shape.of(-1, -1);

    /** The rows of a factor of all iterations: an argument of the loop, a list, and what each iteration makes of it. */
    private record Rows(int argument, Value pushed, DType dtype) {}

    /** A product in the sum that variable {@code variable} is. */
    private record Product(int variable, Op op, Rows left, Rows right) {}

    private final Graph inner;
    private final BiFunction<String, TensorType, Value> argument;
    private final List<Product> products = new ArrayList<>();
    private final Map<Edge, Integer> uses = new HashMap<>();

    /** Variables that nothing but products is added to. */
    private final BitSet pure = new BitSet();

    /** For a loop whose body is {@code inner}, which gets further arguments by name and type. */
    LoopProducts(Graph inner, BiFunction<String, TensorType, Value> argument) {
        this.inner = inner;
        this.argument = argument;
    }

    /** What is left of the next value of a sum, {@code before} now, when the products in it are taken out. */
    Value takeFrom(int variable, Value before, Value next) {
        if (next instanceof Slices || !(next.node().op() instanceof AddN) || uses(before.edge()) != 1) return next;
        List<Edge> terms = next.node().inputs();
        if (!terms.contains(before.edge())) return next;
        List<Value> rest = new ArrayList<>();
        int found = products.size();
        for (Edge e : terms) {
            Node n = e.node();
            if (!isWorthListing(n)) {
                rest.add(Value.of(e));
                continue;
            }
            products.add(new Product(variable, n.op(), rows(n.input(0)), rows(n.input(1))));
        }
        if (products.size() == found) return next;
        pure.set(variable, rest.size() == 1);
        return rest.size() == 1 ? before : Value.apply(new AddN(), rest.toArray(Value[]::new));
    }

    /** How often the body reads a value; what is taken out and listed was read once for each time before. */
    private int uses(Edge e) {
        if (uses.isEmpty()) for (Node n : inner.nodes()) for (Edge in : n.inputs()) uses.merge(in, 1, Integer::sum);
        return uses.getOrDefault(e, 0);
    }

    /** Whether a term is a product over rows, whose factors are not known to be larger than itself. */
    private static boolean isWorthListing(Node n) {
        return SumsOfProducts.isOverRows(n)
                && n.controls().isEmpty()
                && (!SumsOfProducts.isKnown(n) || SumsOfProducts.pays(n));
    }

    private Rows rows(Edge factor) {
        DType dtype = factor.type().dtype();
        TensorType type = TensorType.handle(DType.VARIANT, new TensorType(dtype, ANY));
        Value list = argument.apply("rows_" + products.size(), type);
        Value pushed = Value.apply(new TensorListPushBack(dtype), list, Value.of(factor));
        return new Rows(((Arg) list.node().op()).index(), pushed, dtype);
    }

    /** Filled in what an iteration makes of the lists, by argument. */
    void results(Edge[] all) {
        for (Product p : products) {
            all[p.left.argument] = p.left.pushed.edge();
            all[p.right.argument] = p.right.pushed.edge();
        }
    }

    /** Filled in what the lists start with, by argument; {@code weight} gives the value of a variable around the loop. */
    void inputs(Edge[] all, IntFunction<Value> weight) {
        for (Product p : products) {
            Value w = weight.apply(p.variable);
            all[p.left.argument] = start(w, 0, p.left.dtype).edge();
            all[p.right.argument] = start(w, 1, p.right.dtype).edge();
        }
    }

    /** A list of one matrix without rows, as wide as dimension {@code d} of a weight. */
    private static Value start(Value weight, int d, DType dtype) {
        Ops ops = weight.ops();
        Value width = Filled.shape(weight).gather(ops.constant(new int[] {d}), 0);
        Value shape = Value.apply(new ConcatV2(), ops.constant(new int[] {0}), width, ops.constant(DType.I32, 0));
        Value none = Value.apply(new BroadcastTo(), ops.constant(dtype, 0), shape);
        Value list = Value.apply(new EmptyTensorList(dtype), LoopGradient.shape(ops, ANY), ops.constant(DType.I32, -1));
        return Value.apply(new TensorListPushBack(dtype), list, none);
    }

    /** What a sum ends with, given what the loop ends with; {@code zero} says that it started with zeros. */
    Value end(int variable, List<Value> outputs, Value sum, boolean zero) {
        List<Value> terms = new ArrayList<>();
        if (!zero || !pure.get(variable)) terms.add(sum);
        for (Product p : products)
            if (p.variable == variable) terms.add(Value.apply(p.op, all(p.left, outputs), all(p.right, outputs)));
        return terms.size() == 1 ? terms.get(0) : Value.apply(new AddN(), terms.toArray(Value[]::new));
    }

    private static Value all(Rows rows, List<Value> outputs) {
        Value list = outputs.get(rows.argument);
        Value lengths = list.ops().constant(Tensor.zeros(DType.I64, Shape.of(0)));
        return Value.applyAll(new TensorListConcatV2(rows.dtype), list, LoopGradient.shape(list.ops(), ANY), lengths)
                .get(0);
    }
}
