package dev.oxbow.cuda;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.Rewrite;
import dev.oxbow.graph.Services;
import dev.oxbow.graph.Subgraph;
import dev.oxbow.graph.pass.Readers;
import dev.oxbow.graph.pass.Rewriter;
import dev.oxbow.ops.linalg.MatMul;
import dev.oxbow.ops.math.AddV2;
import dev.oxbow.ops.math.Relu;
import dev.oxbow.ops.nn.BiasAdd;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import java.util.List;

/** Has products add a bias, rectify or add another matrix themselves, where nobody else reads what is between. */
final class Epilogues implements Rewrite {

    @Override
    public String name() {
        return "epilogues";
    }

    @Override
    public String purpose() {
        return "add a bias, rectify or add a matrix inside of the product";
    }

    @Override
    public Subgraph run(Subgraph s, Services services) {
        Readers readers = new Readers(s);
        return Rewriter.each(s, (w, n) -> {
            if (n.op() instanceof AddV2 && add(w, n, readers)) return;
            Node sum = n.op() instanceof Relu ? n.input(0).node() : n;
            Node product = product(sum, readers);
            boolean between = sum != n && (!readers.areAll(1, sum) || !Readers.areTogether(sum, n));
            if (product == null || between) {
                w.copy(n);
                return;
            }
            MatMul m = (MatMul) product.op();
            List<Edge> inputs = List.of(w.edge(product.input(0)), w.edge(product.input(1)), w.edge(sum.input(1)));
            w.replace(n, new Linear(m.transposeA(), m.transposeB(), sum != n), inputs, w.controls(n, sum, product));
        });
    }

    /** Makes a product add the other operand of a sum, where that has its shape; false, with nothing done, where it can not. */
    private static boolean add(Rewriter w, Node n, Readers readers) {
        for (int side = 0; side < 2; side++) {
            Node product = n.input(side).node();
            Edge other = n.input(1 - side);
            boolean alone = product.op() instanceof MatMul && readers.areAll(1, product);
            Shape shape = n.output(0).shape();
            boolean same = shape.isFullyKnown()
                    && shape.size() > 0
                    && shape.equals(other.type().shape())
                    && shape.equals(n.input(side).type().shape());
            if (!alone || !same || !has(n.output(0).dtype()) || !Readers.areTogether(product, n)) continue;
            MatMul m = (MatMul) product.op();
            List<Edge> inputs = List.of(w.edge(product.input(0)), w.edge(product.input(1)), w.edge(other));
            w.replace(n, new Linear(m.transposeA(), m.transposeB(), false), inputs, w.controls(n, product));
            return true;
        }
        return false;
    }

    private static boolean has(DType t) {
        return t == DType.F32 || t == DType.F16 || t == DType.BF16;
    }

    /** The product to which a node alone adds a bias; null where it does not. */
    private static Node product(Node n, Readers readers) {
        if (!(n.op() instanceof BiasAdd b) || !b.dataFormat().equals("NHWC")) return null;
        Node product = n.input(0).node();
        boolean alone = product.op() instanceof MatMul && readers.areAll(1, product);
        return has(n.output(0).dtype()) && alone && Readers.areTogether(product, n) ? product : null;
    }
}
