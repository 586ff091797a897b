package dev.oxbow.cuda;

import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.Op;
import dev.oxbow.ops.nn.AvgPool;
import dev.oxbow.ops.nn.AvgPoolGrad;
import dev.oxbow.ops.nn.MaxPool;
import dev.oxbow.ops.nn.MaxPoolGrad;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.List;

/** Pools over images with their channels last, of floating elements; the host has kernels for all others. */
final class Windows {

    /** A kernel that runs where it has a geometry. */
    @FunctionalInterface
    private interface Body {
        /** False, with nothing done, where the card has no kernel for it. */
        boolean run(KernelContext c);
    }

    /** Numbers of elements of a window, which are kept in 16 bits. */
    private static final long NUMBERS = 0xffff;

    private Windows() {}

    /** The kernel of an op that slides a window; null for others. */
    static Kernel of(Card card, Op op) {
        return switch (op) {
            case MaxPool v -> of(op, c -> largest(card, v, c));
            case MaxPoolGrad v -> of(op, c -> largestGradient(card, v, c));
            case AvgPool v -> of(op, c -> mean(card, v, c));
            case AvgPoolGrad v -> of(op, c -> meanGradient(card, v, c));
            default -> null;
        };
    }

    private static Kernel of(Op op, Body body) {
        Fallback host = new Fallback(op);
        return c -> {
            if (!c.isAllocated(0) || !body.run(c)) host.run(c);
        };
    }

    private static Geometry pool(
            Tensor x, List<Long> ksize, List<Long> strides, String padding, List<Long> explicit, String format) {
        boolean flat = format.equals("NHWC") && ksize.get(0) == 1 && ksize.get(3) == 1;
        if (!flat || !Blas.supports(x.dtype()) || x.shape().rank() != 4 || x.size() == 0) return null;
        if (strides.get(0) != 1 || strides.get(3) != 1) return null;
        Geometry g = Geometry.of(x.shape(), ksize.get(1), ksize.get(2), strides, List.of(), padding, explicit, format);
        return g == null || !g.isCountable() ? null : g;
    }

    private static Shape results(Geometry g) {
        return Shape.of(g.batch(), g.out()[0], g.out()[1], g.channels());
    }

    private static boolean largest(Card card, MaxPool v, KernelContext c) {
        Tensor x = c.input(0), y = c.output(0);
        Geometry g = pool(x, v.ksize(), v.strides(), v.padding(), v.explicitPaddings(), v.dataFormat());
        if (g == null || y.size() == 0) return false;
        WindowText.launchPool(card, "largest", WindowText::largest, g, x.dtype(), List.of(x), y);
        return true;
    }

    private static boolean largestGradient(Card card, MaxPoolGrad v, KernelContext c) {
        Tensor x = c.input(0), y = c.input(1), dy = c.input(2), dx = c.output(0);
        Geometry g = pool(x, v.ksize(), v.strides(), v.padding(), v.explicitPaddings(), v.dataFormat());
        boolean suits = g != null && dy.shape().equals(results(g)) && y.shape().equals(results(g));
        if (!suits || g.kernel()[0] * g.kernel()[1] >= NUMBERS) return false;
        Tensor first = c.temporary(DType.U16, y.shape());
        WindowText.launchPool(card, "first", WindowText::first, g, x.dtype(), List.of(x), first);
        WindowText.launchPool(card, "gradient", WindowText::largestGradient, g, x.dtype(), List.of(first, dy), dx);
        first.release();
        return true;
    }

    private static boolean mean(Card card, AvgPool v, KernelContext c) {
        Tensor x = c.input(0), y = c.output(0);
        Geometry g = pool(x, v.ksize(), v.strides(), v.padding(), List.of(), v.dataFormat());
        if (g == null || y.size() == 0) return false;
        WindowText.launch(card, "mean", WindowText::mean, g, List.of(x), y);
        return true;
    }

    private static boolean meanGradient(Card card, AvgPoolGrad v, KernelContext c) {
        Tensor dy = c.input(1), dx = c.output(0);
        Geometry g = pool(dx, v.ksize(), v.strides(), v.padding(), List.of(), v.dataFormat());
        if (g == null || !dy.shape().equals(results(g)) || dy.size() == 0) return false;
        WindowText.launch(card, "spread", WindowText::meanGradient, g, List.of(dy), dx);
        return true;
    }
}
