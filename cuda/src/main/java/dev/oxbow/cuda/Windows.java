package dev.oxbow.cuda;

import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.Op;
import dev.oxbow.ops.nn.Conv2D;
import dev.oxbow.ops.nn.Conv2DBackpropFilter;
import dev.oxbow.ops.nn.Conv2DBackpropInput;
import dev.oxbow.ops.nn.MaxPool;
import dev.oxbow.ops.nn.MaxPoolGrad;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.List;
import java.util.function.Function;

/** Convolutions and pools over images with their channels last, in f32 and f64; the host has kernels for all others. */
final class Windows {

    /*
     * A convolution is a product: the elements of every window in a row, times the filter as a matrix. The matrix of windows is
     * written to memory and read again, which costs less than it seems next to true f32 products, and gives the library large
     * ones to choose algorithms for. Its gradients are the products that follow.
     */

    /** A kernel that runs where it has a geometry. */
    @FunctionalInterface
    private interface Body {
        /** False, with nothing done, where the card has no kernel for it. */
        boolean run(KernelContext c);
    }

    private record Key(String entry, DType dtype) {}

    private Windows() {}

    /** The kernel of an op that slides a window; null for others. */
    static Kernel of(Card card, Op op) {
        return switch (op) {
            case Conv2D v -> of(op, c -> convolution(card, v, c));
            case Conv2DBackpropInput v -> of(op, c -> inputGradient(card, v, c));
            case Conv2DBackpropFilter v -> of(op, c -> filterGradient(card, v, c));
            case MaxPool v -> of(op, c -> largest(card, v, c));
            case MaxPoolGrad v -> of(op, c -> largestGradient(card, v, c));
            default -> null;
        };
    }

    private static Kernel of(Op op, Body body) {
        Fallback host = new Fallback(op);
        return c -> {
            if (!c.isAllocated(0) || !body.run(c)) host.run(c);
        };
    }

    private static boolean isComputed(Tensor t) {
        return t.dtype() == DType.F32 || t.dtype() == DType.F64;
    }

    private static Geometry geometry(
            Shape images,
            Shape filter,
            List<Long> strides,
            List<Long> dilations,
            String padding,
            List<Long> explicit,
            String format) {
        if (filter.rank() != 4) return null;
        Geometry g = Geometry.of(images, filter.dim(0), filter.dim(1), strides, dilations, padding, explicit, format);
        boolean grouped = g != null && filter.dim(2) != g.channels();
        return g == null || grouped || !g.isCountable() || g.positions() == 0 || g.taps() == 0 ? null : g;
    }

    private static boolean convolution(Card card, Conv2D v, KernelContext c) {
        Tensor x = c.input(0), f = c.input(1), y = c.output(0);
        Geometry g = geometry(
                x.shape(), f.shape(), v.strides(), v.dilations(), v.padding(), v.explicitPaddings(), v.dataFormat());
        if (g == null || !isComputed(x) || y.size() == 0) return false;
        Tensor rows = rows(card, g, x, c);
        multiply(card, x.dtype(), false, false, g.positions(), f.shape().dim(3), g.taps(), rows, f, y);
        rows.release();
        return true;
    }

    private static boolean filterGradient(Card card, Conv2DBackpropFilter v, KernelContext c) {
        Tensor x = c.input(0), dy = c.input(2), df = c.output(0);
        Geometry g = geometry(
                x.shape(), df.shape(), v.strides(), v.dilations(), v.padding(), v.explicitPaddings(), v.dataFormat());
        if (g == null || !isComputed(x) || !matches(g, df, dy)) return false;
        Tensor rows = rows(card, g, x, c);
        multiply(card, x.dtype(), true, false, g.taps(), df.shape().dim(3), g.positions(), rows, dy, df);
        rows.release();
        return true;
    }

    private static boolean inputGradient(Card card, Conv2DBackpropInput v, KernelContext c) {
        Tensor f = c.input(1), dy = c.input(2), dx = c.output(0);
        Geometry g = geometry(
                dx.shape(), f.shape(), v.strides(), v.dilations(), v.padding(), v.explicitPaddings(), v.dataFormat());
        if (g == null || !isComputed(dx) || !matches(g, f, dy)) return false;
        long out = f.shape().dim(3);
        if (g.isPointwise()) {
            multiply(card, dx.dtype(), false, true, g.positions(), g.taps(), out, dy, f, dx);
            return true;
        }
        Tensor rows = c.temporary(dx.dtype(), Shape.of(g.positions(), g.taps()));
        multiply(card, dx.dtype(), false, true, g.positions(), g.taps(), out, dy, f, rows);
        launch(card, "fold", WindowText::fold, g, g.inputs(), List.of(rows), dx);
        rows.release();
        return true;
    }

    /** Whether the gradient of the output has its shape; otherwise the host has the words for that. */
    private static boolean matches(Geometry g, Tensor filter, Tensor dy) {
        return dy.shape()
                        .equals(Shape.of(
                                g.batch(),
                                g.out()[0],
                                g.out()[1],
                                filter.shape().dim(3)))
                && dy.size() > 0;
    }

    /** The windows as rows of a matrix, for the caller to release. */
    private static Tensor rows(Card card, Geometry g, Tensor x, KernelContext c) {
        if (g.isPointwise()) return x.view(Shape.of(g.positions(), g.taps()));
        Tensor rows = c.temporary(x.dtype(), Shape.of(g.positions(), g.taps()));
        launch(card, "columns", WindowText::columns, g, rows.size(), List.of(x), rows);
        return rows;
    }

    private static void multiply(
            Card card, DType t, boolean ta, boolean tb, long m, long n, long k, Tensor a, Tensor b, Tensor c) {
        Blas.Shape s = new Blas.Shape(t, ta, tb, m, n, k, 1, 0, 0, Blas.After.NOTHING);
        card.blas().multiply(s, a.place(), b.place(), c.place(), 0);
    }

    private static Geometry pool(
            Tensor x, List<Long> ksize, List<Long> strides, String padding, List<Long> explicit, String format) {
        boolean flat = format.equals("NHWC") && ksize.get(0) == 1 && ksize.get(3) == 1;
        if (!flat || !isComputed(x) || x.shape().rank() != 4 || x.size() == 0) return null;
        if (strides.get(0) != 1 || strides.get(3) != 1) return null;
        Geometry g = Geometry.of(x.shape(), ksize.get(1), ksize.get(2), strides, List.of(), padding, explicit, format);
        return g == null || !g.isCountable() ? null : g;
    }

    private static boolean largest(Card card, MaxPool v, KernelContext c) {
        Tensor x = c.input(0), y = c.output(0);
        Geometry g = pool(x, v.ksize(), v.strides(), v.padding(), v.explicitPaddings(), v.dataFormat());
        if (g == null || y.size() == 0) return false;
        launch(card, "largest", WindowText::largest, g, y.size(), List.of(x), y);
        return true;
    }

    private static boolean largestGradient(Card card, MaxPoolGrad v, KernelContext c) {
        Tensor x = c.input(0), dy = c.input(2), dx = c.output(0);
        Geometry g = pool(x, v.ksize(), v.strides(), v.padding(), v.explicitPaddings(), v.dataFormat());
        Shape wanted = g == null ? null : Shape.of(g.batch(), g.out()[0], g.out()[1], g.channels());
        if (g == null || !dy.shape().equals(wanted) || x.place() == dx.place()) return false;
        launch(card, "gradient", WindowText::largestGradient, g, dx.size(), List.of(x, dy), dx);
        return true;
    }

    private static void launch(
            Card card,
            String entry,
            Function<DType, String> text,
            Geometry g,
            long elements,
            List<Tensor> inputs,
            Tensor output) {
        Spans spans = new Spans().writes(output);
        long[] places = new long[inputs.size() + 1];
        for (int i = 0; i < inputs.size(); i++) {
            spans.reads(inputs.get(i));
            places[i] = inputs.get(i).place();
        }
        places[inputs.size()] = output.place();
        long blocks = (elements + WindowText.THREADS - 1) / WindowText.THREADS;
        card.commands.launch(
                entry + " " + output.shape(),
                card.function(new Key(entry, output.dtype()), entry, () -> text.apply(output.dtype())),
                blocks,
                1,
                WindowText.THREADS,
                g.arguments(places),
                spans.touched());
    }
}
