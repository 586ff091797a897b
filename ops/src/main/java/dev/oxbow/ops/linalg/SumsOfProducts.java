package dev.oxbow.ops.linalg;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.SumOfProducts;
import dev.oxbow.tensor.Shape;

/** Which sums of products over rows are better one product of the rows of all. */
public final class SumsOfProducts {

    /*
     * a1' b1 + a2' b2 + ... = [a1; a2; ...]' [b1; b2; ...], where ; puts rows below rows. So the gradient of a weight that
     * every time step uses is neither written nor added up once for each of them, and the one product is as fast as
     * products get. All factors have to be kept and put together, which pays while those of a term are no larger than the
     * term: rows (m + n) <= m n.
     */

    private SumsOfProducts() {}

    /** Whether a node multiplies matrices of floats over the rows of both. */
    public static boolean isOverRows(Node n) {
        return n.op() instanceof SumOfProducts p
                && p.summedAxis(0) == 0
                && p.summedAxis(1) == 0
                && n.output(0).dtype().isFloating();
    }

    /** Whether the shapes of a product over rows are known. */
    public static boolean isKnown(Node product) {
        for (Edge e : product.inputs()) {
            Shape s = e.type().shape();
            if (!s.isFullyKnown() || s.rank() != 2) return false;
        }
        return true;
    }

    /** Whether the factors of a product over rows, all known, are no larger than itself. */
    public static boolean pays(Node product) {
        Shape a = product.input(0).type().shape(), b = product.input(1).type().shape();
        long rows = a.dim(0), m = a.dim(1), n = b.dim(1);
        return rows > 0 && rows * (m + n) <= m * n;
    }
}
