package dev.oxbow.cuda;

import dev.oxbow.cuda.Convolution.Way;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.Op;
import dev.oxbow.ops.nn.Conv2D;
import dev.oxbow.ops.nn.Conv2DBackpropFilter;
import dev.oxbow.ops.nn.Conv2DBackpropFilterV2;
import dev.oxbow.ops.nn.Conv2DBackpropInput;
import dev.oxbow.ops.nn.Conv2DBackpropInputV2;
import dev.oxbow.ops.nn.DepthwiseConv2dNative;
import dev.oxbow.ops.nn.DepthwiseConv2dNativeBackpropFilter;
import dev.oxbow.ops.nn.DepthwiseConv2dNativeBackpropInput;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.List;

/** Convolutions over rows and columns with their two gradients, depthwise and grouped ones too. */
record ConvolutionKernels(Card card, Way way, Attributes attributes, Fallback host) implements Kernel {

    /*
     * One whose windows are single positions is a product. Others are cuDNN's. Where there is no cuDNN, or it is slower, the
     * elements of every window are written down as a row of a matrix and multiplied by the filter: memory is written and
     * read again, which costs less than it seems next to true f32 products. The gradients are the products that follow. What is
     * left (groups without cuDNN, channels first in f64) is the host's.
     */

    /** Elements of windows that are written down to see whether that is faster. */
    private static final long MOST_TRIED = 1L << 27;

    private record Attributes(
            List<Long> strides,
            List<Long> dilations,
            String padding,
            List<Long> explicit,
            String format,
            boolean depthwise) {
        Attributes(List<Long> strides, List<Long> dilations, String padding, List<Long> explicit, String format) {
            this(strides, dilations, padding, explicit, format, false);
        }

        Attributes byChannel() {
            return new Attributes(strides, dilations, padding, explicit, format, true);
        }
    }

    /** The kernel of a convolution; null for other ops. */
    static Kernel of(Card card, Op op) {
        return switch (op) {
            case Conv2D(var s, var p, var e, var f, var d) -> of(card, op, Way.FORWARD, new Attributes(s, d, p, e, f));
            case Conv2DBackpropInput(var s, var p, var e, var f, var d) ->
                of(card, op, Way.TO_IMAGES, new Attributes(s, d, p, e, f));
            case Conv2DBackpropInputV2(var s, var p, var e, var f, var d) ->
                of(card, op, Way.TO_IMAGES, new Attributes(s, d, p, e, f));
            case Conv2DBackpropFilter(var s, var p, var e, var f, var d) ->
                of(card, op, Way.TO_FILTER, new Attributes(s, d, p, e, f));
            case Conv2DBackpropFilterV2(var s, var p, var e, var f, var d) ->
                of(card, op, Way.TO_FILTER, new Attributes(s, d, p, e, f));
            case DepthwiseConv2dNative(var s, var p, var e, var f, var d) ->
                of(card, op, Way.FORWARD, new Attributes(s, d, p, e, f).byChannel());
            case DepthwiseConv2dNativeBackpropInput(var s, var p, var e, var f, var d) ->
                of(card, op, Way.TO_IMAGES, new Attributes(s, d, p, e, f).byChannel());
            case DepthwiseConv2dNativeBackpropFilter(var s, var p, var e, var f, var d) ->
                of(card, op, Way.TO_FILTER, new Attributes(s, d, p, e, f).byChannel());
            default -> null;
        };
    }

    /** Whether an input is the shape of what is computed, which the host reads. */
    static boolean reads(Op op, int input) {
        return switch (op) {
            case Conv2DBackpropInput _, DepthwiseConv2dNativeBackpropInput _ -> input == 0;
            case Conv2DBackpropFilter _, DepthwiseConv2dNativeBackpropFilter _ -> input == 1;
            default -> false;
        };
    }

    private static Kernel of(Card card, Op op, Way way, Attributes a) {
        return new ConvolutionKernels(card, way, a, new Fallback(op));
    }

    @Override
    public void run(KernelContext c) {
        if (!c.isAllocated(0) || !computed(c)) host.run(c);
    }

    private boolean computed(KernelContext c) {
        Tensor x = way == Way.TO_IMAGES ? c.output(0) : c.input(0),
                f = way == Way.TO_FILTER ? c.output(0) : c.input(1),
                y = way == Way.FORWARD ? c.output(0) : c.input(2);
        boolean any = Blas.supports(x.dtype()) && x.size() > 0 && f.size() > 0 && y.size() > 0;
        if (!any || f.shape().rank() != 4) return false;
        Attributes a = attributes;
        Shape s = f.shape();
        Geometry g =
                Geometry.of(x.shape(), s.dim(0), s.dim(1), a.strides, a.dilations, a.padding, a.explicit, a.format);
        boolean first = a.format.equals("NCHW");
        long in = a.depthwise ? 1 : s.dim(2), out = a.depthwise ? s.dim(2) * s.dim(3) : s.dim(3);
        if (g == null || !matches(g, in, out, y.shape(), first)) return false;
        boolean plain = !first && in == g.channels();
        if (plain && g.isPointwise()) {
            byProducts(g, x, f, y, c);
            return true;
        }
        if (Convolution.supports(x.dtype())) {
            Convolution v = Convolution.of(way, x.dtype(), g, first, in, out);
            boolean small = plain && g.isCountable() && g.positions() * g.taps() < MOST_TRIED;
            if (v.run(card, x, f, y, c, small ? () -> byProducts(g, x, f, y, c) : null)) return true;
        }
        if (!plain || !g.isCountable()) return false;
        byProducts(g, x, f, y, c);
        return true;
    }

    /** Whether all sizes suit each other; otherwise the host has the words for that. */
    private boolean matches(Geometry g, long in, long out, Shape y, boolean first) {
        boolean grouped = g.channels() % in == 0 && out % (g.channels() / in) == 0;
        boolean whole = attributes.depthwise ? out % g.channels() == 0 : grouped;
        long h = g.out()[0], w = g.out()[1];
        return whole && y.equals(first ? Shape.of(g.batch(), out, h, w) : Shape.of(g.batch(), h, w, out));
    }

    private void byProducts(Geometry g, Tensor x, Tensor f, Tensor y, KernelContext c) {
        long positions = g.positions(), taps = g.taps(), out = f.shape().dim(3);
        boolean same = g.isPointwise(), back = way == Way.TO_IMAGES;
        Tensor rows = same ? x.retain() : c.temporary(x.dtype(), Shape.of(positions, taps));
        if (!same && !back) WindowText.launch(card, "columns", WindowText::columns, g, List.of(x), rows);
        switch (way) {
            case FORWARD -> multiply(false, false, positions, out, taps, rows, f, y);
            case TO_IMAGES -> multiply(false, true, positions, taps, out, y, f, rows);
            case TO_FILTER -> multiply(true, false, taps, out, positions, rows, y, f);
        }
        if (!same && back) WindowText.launch(card, "fold", WindowText::fold, g, List.of(rows), x);
        rows.release();
    }

    private void multiply(boolean ta, boolean tb, long m, long n, long k, Tensor a, Tensor b, Tensor c) {
        Blas.Shape s = new Blas.Shape(c.dtype(), ta, tb, m, n, k, 1, 0, 0, Blas.After.NOTHING);
        card.blas().multiply(s, a.place(), b.place(), c.place(), 0);
    }
}
