package dev.oxbow.parallel;

import static dev.oxbow.parallel.Layout.BROADCAST;
import static dev.oxbow.tensor.ErrorCode.UNIMPLEMENTED;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Effects;
import dev.oxbow.graph.Elementwise;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.Pieces;
import dev.oxbow.graph.Reducing;
import dev.oxbow.graph.TensorType;
import dev.oxbow.graph.core.CoreOp;
import dev.oxbow.graph.core.LoopCond;
import dev.oxbow.graph.core.Merge;
import dev.oxbow.graph.core.Retval;
import dev.oxbow.graph.core.Switch;
import dev.oxbow.kernels.expr.reduce.Reduction;
import dev.oxbow.ops.array.EnsureShape;
import dev.oxbow.ops.array.Reshape;
import dev.oxbow.ops.array.Slice;
import dev.oxbow.ops.array.Squeeze;
import dev.oxbow.ops.array.StridedSlice;
import dev.oxbow.ops.array.StridedSliceGrad;
import dev.oxbow.ops.math.UnsortedSegmentSum;
import dev.oxbow.ops.random.RandomPiece;
import dev.oxbow.parallel.Rule.Form;
import dev.oxbow.parallel.ops.RowsWithin;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Shape;
import java.util.Arrays;

/** Which layouts of its inputs a node works on, and which its outputs then have. */
final class Rules {

    /*
     * Most follow from what ops say of themselves: how they fall into pieces (cut), over what they are sums (sum),
     * reductions, elementwise ops, views. A partial value passes through what is linear in it and is made whole in front
     * of everything else; a split value passes through what can be computed in pieces, and in front of a write it is
     * gathered. What everybody has can be cut for nothing, so it never stands in the way.
     */

    private final Rows rows;
    private final Plan plan;
    private final int devices;

    Rules(Rows rows, Plan plan, int devices) {
        this.rows = rows;
        this.plan = plan;
        this.devices = devices;
    }

    /** The rule of a node whose inputs come in these layouts. */
    Rule of(Node n, Layout[] in) {
        if (n.op() instanceof CoreOp) return core(n, in);
        Rule lists = Lists.rule(n, in);
        if (lists != null) return lists;
        if (Arrays.stream(in).allMatch(Layout::isBroadcast)) return whole(n);
        if (n.op().effects() == Effects.WRITES) return whole(n);
        if (Arrays.stream(in).noneMatch(Layout::isSplit)) return partial(n, in);
        Rule rule = split(n, in);
        if (rule != null) return rule;
        if (plan.gathers()) return whole(n);
        throw n.located(new OxbowException(
                UNIMPLEMENTED,
                "can not be computed from pieces of its inputs, which are %s under plan %s; gather them by Plan.gathering(),"
                                .formatted(describe(n, in), plan.kind())
                        + " write it with ops that can, or feed what it needs whole by Plan.whole(name)"));
    }

    /** Everything everybody has. */
    static Rule whole(Node n) {
        return Rule.of(Rule.all(n.inputCount(), BROADCAST), Rule.all(n.outputCount(), BROADCAST));
    }

    private static String describe(Node n, Layout[] in) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < in.length; i++)
            text.append(i == 0 ? "" : ", ")
                    .append(n.input(i).type())
                    .append(' ')
                    .append(in[i]);
        return text.toString();
    }

    private Rule core(Node n, Layout[] in) {
        return switch (n.op()) {
            case Switch _ -> Rule.of(new Layout[] {in[0], BROADCAST}, in[0], in[0]);
            case Merge _ -> Rule.of(Rule.all(in.length, in[0]), in[0], BROADCAST); // Layouts joins them first
            case LoopCond _ -> whole(n);
            case Retval _ -> Rule.of(new Layout[] {in[0].isSplit() && !plan.gathersFetches() ? in[0] : BROADCAST});
            default -> n.inputCount() == 1 && n.outputCount() == 1 ? Rule.of(new Layout[] {in[0]}, in[0]) : whole(n);
        };
    }

    /** No input is split, some are partial. */
    private static Rule partial(Node n, Layout[] in) {
        Layout[] wants = new Layout[in.length];
        int partials = 0;
        boolean additive = true, linear = true;
        for (int i = 0; i < in.length; i++) {
            wants[i] = in[i];
            if (!in[i].isPartial()) continue;
            partials++;
            additive &= in[i].equals(Layout.SUM) && Linear.isAdditive(n, i);
            linear &= in[i].equals(Layout.SUM) && Linear.isIn(n, i);
        }
        if (additive) {
            for (int i = 0; i < in.length; i++) wants[i] = Linear.isAdditive(n, i) ? Layout.SUM : BROADCAST;
            return Rule.of(wants, Rule.all(n.outputCount(), Layout.SUM));
        }
        return linear && partials == 1 ? Rule.of(wants, Rule.all(n.outputCount(), Layout.SUM)) : whole(n);
    }

    /** Some inputs are split; null when the op can not be computed in such pieces. */
    private Rule split(Node n, Layout[] in) {
        boolean strewn = false;
        for (Layout l : in) strewn |= l instanceof Layout.Split s && s.strewn();
        if (strewn) return strewn(n, in);
        Rule norms = Norms.rule(n, in);
        if (norms != null) return norms;
        Rule special = special(n, in);
        if (special != null) return special;
        Known c = new Known(n);
        if (n.outputCount() > 0 && n.output(0).shape().isRankKnown()) {
            for (int axis = 0; axis < n.output(0).shape().rank(); axis++) {
                Rule rule = rule(n, in, cut(c, axis));
                if (rule != null) return rule;
            }
        }
        Rule sum = sum(c, in);
        return sum != null || !(n.op() instanceof Reducing r) ? sum : reduction(n, r, c, in);
    }

    /** How a node is cut along an axis of its first output, or null. */
    static Pieces cut(Known c, int axis) {
        Node n = c.node();
        for (TensorType t : n.outputs()) if (!t.shape().isRankKnown()) return null;
        for (int i = 0; i < n.inputCount(); i++) if (!n.input(i).type().shape().isRankKnown()) return null;
        Pieces said = n.op().cut(c, n.outputs(), axis);
        if (said != null || !(n.op() instanceof Elementwise e) || !e.broadcasts()) return said;
        return Pieces.broadcast(c, n.outputs(), axis);
    }

    /** The rule for pieces, where they are those that the inputs come in; null where not. */
    private Rule rule(Node n, Layout[] in, Pieces pieces) {
        if (pieces == null) return null;
        Layout[] wants = new Layout[in.length];
        int shape = -1;
        for (int i = 0; i < in.length; i++) {
            int at = pieces.inputs()[i];
            if (in[i].isSplit() && at != in[i].axis()) return null;
            if (at == Pieces.SHAPE) shape = i;
            wants[i] = at < 0 ? BROADCAST : Layout.split(at);
        }
        Layout[] gives = new Layout[n.outputCount()];
        for (int i = 0; i < gives.length; i++) {
            int at = pieces.outputs()[i];
            gives[i] = at < 0 ? Layout.SUM : Layout.split(at);
            if (at >= 0 && !rows.divide(n.output(i).shape().dim(at))) return null;
        }
        Rule rule = Rule.of(wants, gives);
        return shape < 0 ? rule : rule.as(Form.SHAPED, shape);
    }

    private Rule sum(Known c, Layout[] in) {
        Node n = c.node();
        if (n.inputCount() == 0 || !n.input(0).type().shape().isRankKnown()) return null;
        for (int axis = 0; axis < n.input(0).type().shape().rank(); axis++) {
            Rule rule = rule(n, in, n.op().sum(c, n.outputs(), axis));
            if (rule != null) return goesSparse(n) ? whole(n) : rule;
        }
        return null;
    }

    /**
     * Whether rows and their numbers are fewer bytes than the table that they are added to, of which a ring sends two; to a
     * server each worker pushes its own.
     */
    boolean goesSparse(Node n) {
        boolean served = plan.isServed();
        if (served && plan.served().push() > 1) return false; // rows do not add up
        if (!plan.sparse() || devices < 2 && !served || !(n.op() instanceof UnsortedSegmentSum)) return false;
        if (n.input(0).node().op() instanceof RowsWithin) return true; // which was asked before
        Shape data = n.input(0).type().shape(),
                ids = n.input(1).type().shape(),
                table = n.output(0).shape();
        if (!data.isFullyKnown() || !table.isFullyKnown()) return false;
        long sparse = data.size() * n.input(0).type().dtype().size()
                + ids.size() * n.input(1).type().dtype().size();
        long dense = table.size() * n.output(0).dtype().size();
        return served ? sparse / devices < dense : sparse < 2 * dense;
    }

    /** A reduction along the split axis. */
    private static Rule reduction(Node n, Reducing r, Known c, Layout[] in) {
        int[] axes = r.axes(c);
        if (axes == null || !in[0].isSplit() || Arrays.stream(axes).noneMatch(a -> a == in[0].axis())) return null;
        Layout[] wants = Rule.all(in.length, BROADCAST);
        wants[0] = in[0];
        Reduction.Operation o = r.operation();
        return switch (o) {
            case SUM -> Rule.of(wants, Layout.SUM);
            case MEAN ->
                n.output(0).dtype().isFloating() ? Rule.of(wants, Layout.SUM).as(Form.MEAN, 0) : null;
            case MAX -> Rule.of(wants, new Layout.Partial("max"));
            case MIN -> Rule.of(wants, new Layout.Partial("min"));
            case PROD -> Rule.of(wants, new Layout.Partial("product"));
            case ALL -> Rule.of(wants, new Layout.Partial("and"));
            case ANY -> Rule.of(wants, new Layout.Partial("or"));
            default -> null;
        };
    }

    /** Ranges of many items: only sums over them are what they would be in order. */
    private static Rule strewn(Node n, Layout[] in) {
        for (Layout l : in) if (l.isSplit() && !((Layout.Split) l).strewn()) return null;
        Known c = new Known(n);
        if (in[0].isSplit()) {
            Pieces sum = n.op().sum(c, n.outputs(), in[0].axis());
            boolean fits = sum != null;
            for (int i = 0; fits && i < in.length; i++) fits = sum.inputs()[i] == in[i].axis();
            if (fits) return Rule.of(in, Rule.all(n.outputCount(), Layout.SUM));
        }
        return null;
    }

    private Rule special(Node n, Layout[] in) {
        Op op = n.op();
        Shape x = n.inputCount() == 0 ? Shape.UNKNOWN : n.input(0).type().shape();
        int at = in[0].axis();
        if (op instanceof RowsWithin && at == 0 && in[1].equals(in[0])) return Rule.of(in, in[0], in[0]);
        if (op instanceof EnsureShape && at >= 0) return Rule.of(in, in[0]).as(Form.PASSED, 0);
        if ((op instanceof Reshape || op instanceof Squeeze) && at >= 0) {
            int to = Axes.reshaped(x, n.output(0).shape(), at, rows);
            if (to < 0) return null;
            Layout[] wants = Rule.all(in.length, BROADCAST);
            wants[0] = in[0];
            Rule rule = Rule.of(wants, Layout.split(to));
            return op instanceof Reshape ? rule.as(Form.SHAPED, 1) : rule;
        }
        if (op instanceof Slice && at >= 0 && x.dim(at) == n.output(0).shape().dim(at)) {
            boolean isKnown = Known.constant(n.input(2)) != null && Known.constant(n.input(1)) != null;
            return isKnown
                    ? Rule.of(new Layout[] {in[0], BROADCAST, BROADCAST}, in[0]).as(Form.BOX, 2)
                    : null;
        }
        if (op instanceof StridedSlice s && at >= 0) {
            int to = Axes.strided(s, new Known(n), 1, x, at);
            if (to < 0) return null;
            Layout[] wants = Rule.all(in.length, BROADCAST);
            wants[0] = in[0];
            return Rule.of(wants, Layout.split(to)).as(Form.STRIDED, 1);
        }
        if (op instanceof StridedSliceGrad g && in[4].isSplit()) return gradient(n, g, in[4]);
        if (sameShape(n) && op.viewOf(new Known(n), n.outputs()) == 0 && at >= 0 && n.inputCount() == 1)
            return Rule.of(in, in[0]);
        return null;
    }

    private Rule gradient(Node n, StridedSliceGrad g, Layout dy) {
        StridedSlice s =
                new StridedSlice(g.beginMask(), g.endMask(), g.ellipsisMask(), g.newAxisMask(), g.shrinkAxisMask());
        Shape x = n.output(0).shape();
        for (int at = 0; at < x.rank(); at++) {
            if (!rows.divide(x.dim(at)) || Axes.strided(s, new Known(n), 1, x, at) != dy.axis()) continue;
            Layout[] wants = Rule.all(5, BROADCAST);
            wants[4] = dy;
            return Rule.of(wants, Layout.split(at)).as(Form.STRIDED, 0);
        }
        return null;
    }

    private static boolean sameShape(Node n) {
        return n.inputCount() > 0
                && n.outputCount() == 1
                && n.output(0).shape().equals(n.input(0).type().shape());
    }

    /**
     * The rule of numbers of which each device draws its rows. Those of several devices of a process are drawn once, and cut:
     * they come from one stream, whose state is that of one node.
     */
    private Rule drawn(Node n, Layout wanted) {
        boolean apart = plan.devices() == 1
                && wanted.equals(Layout.split(0))
                && n.output(0).shape().isFullyKnown();
        return apart ? Rule.of(new Layout[] {BROADCAST}, wanted).as(Form.DRAWN, 0) : null;
    }

    /** The rule by which a node that everybody would compute whole computes the pieces that its readers want; or null. */
    Rule pulled(Node n, Layout wanted) {
        Rule lists = Lists.pulled(n, wanted);
        if (lists != null) return lists;
        if (n.op() instanceof CoreOp)
            return Layouts.passes(n.op()) && !n.input(0).type().isRef() ? Rule.of(new Layout[] {wanted}, wanted) : null;
        if (RandomPiece.isOf(n.op())) return drawn(n, wanted);
        if (n.op().effects() != Effects.NONE || !wanted.isSplit() || n.inputCount() == 0) return null;
        if (((Layout.Split) wanted).strewn() || n.outputCount() != 1) return null;
        for (Edge e : n.inputs()) if (e.type().isHandle() || e.type().dtype() == DType.STRING) return null;
        Shape y = n.output(0).shape();
        if (!y.isFullyKnown()) return null;
        Layout[] whole = Rule.all(n.inputCount(), BROADCAST);
        if (n.op() instanceof Reshape) {
            Shape x = n.input(0).type().shape();
            if (!x.isFullyKnown()) return null;
            int from = Axes.reshaped(y, x, wanted.axis(), rows);
            if (from < 0 || Axes.reshaped(x, y, from, rows) != wanted.axis()) return null;
            whole[0] = Layout.split(from);
            return Rule.of(whole, wanted).as(Form.SHAPED, 1);
        }
        return rule(n, whole, cut(new Known(n), wanted.axis()));
    }
}
