package dev.oxbow.ops.flow;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.ErrorCode.UNIMPLEMENTED;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.move.Concat;
import dev.oxbow.ops.Arguments;
import dev.oxbow.tensor.Counts;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;

/** What the ops on tensor arrays share; the three generations of them differ only in their handles. */
final class TensorArrays {
    static final TensorType FLOW = new TensorType(DType.F32, Shape.SCALAR);
    static final TensorType NAMES = new TensorType(DType.STRING, Shape.of(2));

    private TensorArrays() {}

    static TensorArrayResource of(KernelContext c) {
        return StepResources.of(c, 0, TensorArrayResource.class);
    }

    /** Makes an array and gives its handle and, where there is one, a first flow. */
    static void make(
            KernelContext c,
            DType handle,
            boolean isRef,
            DType dtype,
            Shape elementShape,
            boolean dynamic,
            boolean clearAfterRead,
            boolean identicalShapes,
            String arrayName) {
        Tensor size = c.input(0);
        require(
                size.shape().isScalar(),
                INVALID_ARGUMENT,
                "TensorArray size must be scalar, but had shape: %s",
                size.shape());
        require(size.getLong(0) >= 0, INVALID_ARGUMENT, "Size should be >= 0, got %d", size.getLong(0));
        String name = StepResources.unique(c, arrayName);
        var array = new TensorArrayResource(
                name, dtype, (int) size.getLong(0), elementShape, dynamic, clearAfterRead, identicalShapes);
        c.stepContainers().create("", name, array);
        StepResources.give(c, 0, handle, isRef, name, array);
        if (c.outputCount() > 1) c.allocate(1, Shape.SCALAR).set(0, 0);
    }

    /** Gives the gradient array of this source, made when it is first asked for. */
    static void gradient(KernelContext c, DType handle, boolean isRef, String source, Shape prefix) {
        TensorArrayResource forward = of(c);
        String name = forward.name() + "@" + source;
        var g = c.stepContainers()
                .lookupOrCreate("", name, TensorArrayResource.class, () -> forward.gradient(name, prefix));
        StepResources.give(c, 0, handle, isRef, name, g);
        if (c.outputCount() > 1) c.forward(1, 1);
    }

    static void write(KernelContext c) {
        of(c).write(c, scalar(c, 1), c.keep(2));
        c.forward(0, 3);
    }

    static void read(KernelContext c, DType dtype) {
        c.set(0, of(c).read(c, scalar(c, 1), dtype));
    }

    private static long scalar(KernelContext c, int i) {
        Tensor t = c.input(i);
        require(
                t.shape().isScalar(),
                INVALID_ARGUMENT,
                "TensorArray index must be scalar, but had shape: %s",
                t.shape());
        return t.getLong(0);
    }

    /** Output 0: the elements with these positions along a new first axis. */
    static void gather(KernelContext c, long[] positions, DType dtype, Shape wanted) {
        TensorArrayResource a = of(c);
        Shape s = element(a, wanted);
        if (positions.length == 0) {
            require(
                    s.isFullyKnown(),
                    UNIMPLEMENTED,
                    "TensorArray has size zero, but element shape %s is not fully defined. Currently only static shapes are supported when packing zero-size TensorArrays.",
                    s);
            require(
                    a.dtype() == dtype,
                    INVALID_ARGUMENT,
                    "TensorArray dtype is %s but Op requested dtype %s.",
                    a.dtype(),
                    dtype);
            c.allocate(0, Shape.of(0).concat(s));
            return;
        }
        List<Tensor> items = new ArrayList<>();
        try {
            for (long p : positions) items.add(a.read(c, p, dtype));
            Shape first = items.get(0).shape();
            require(
                    s.isCompatibleWith(first),
                    INVALID_ARGUMENT,
                    "TensorArray was passed element_shape %s which does not match the Tensor at index 0: %s",
                    wanted,
                    first);
            for (int i = 1; i < items.size(); i++)
                require(
                        items.get(i).shape().equals(first),
                        INVALID_ARGUMENT,
                        "TensorArray has inconsistent shapes.  Index 0 has shape: %s but index %d has shape: %s",
                        first,
                        i,
                        items.get(i).shape());
            Concat.pack(items, 0, c.allocate(0, Shape.of(items.size()).concat(first)), c.parallel());
        } finally {
            items.forEach(Tensor::release);
        }
    }

    /** The positions of the array behind input 0 that a pack takes. */
    static long[] all(KernelContext c) {
        long[] positions = new long[of(c).packSize()];
        for (int i = 0; i < positions.length; i++) positions[i] = i;
        return positions;
    }

    private static Shape element(TensorArrayResource a, Shape wanted) {
        Shape s = a.elementShape().merge(wanted);
        require(
                s != null,
                INVALID_ARGUMENT,
                "TensorArray was passed element_shape %s which does not match the array's %s",
                wanted,
                a.elementShape());
        return s;
    }

    /** Puts the rows of input {@code rows} at these positions; output 0 is the flow. */
    static void scatter(KernelContext c, long[] positions, int rows) {
        TensorArrayResource a = of(c);
        Tensor x = c.input(rows);
        require(
                x.shape().rank() >= 1,
                INVALID_ARGUMENT,
                "Input value for unpack must be at least a vector but received shape: %s",
                x.shape());
        require(
                x.shape().dim(0) == positions.length,
                INVALID_ARGUMENT,
                "Expected len(indices) == values.shape[0], but saw: %d vs. %d",
                positions.length,
                x.shape().dim(0));
        for (long p : positions)
            require(
                    p < a.size() || a.isDynamic(),
                    INVALID_ARGUMENT,
                    "Max scatter index must be < array size (%d vs. %d)",
                    p,
                    a.size());
        Shape row = x.shape().slice(1, x.shape().rank());
        require(
                a.elementShape().isCompatibleWith(row),
                INVALID_ARGUMENT,
                "TensorArray %s: the rows of the value have shape %s, the elements %s",
                a.name(),
                row,
                a.elementShape());
        Tensor all = c.keep(rows);
        for (int i = 0; i < positions.length; i++) a.write(c, positions[i], Lists.row(all, i));
        all.release();
        c.forward(0, c.inputCount() - 1);
    }

    /** Positions 0, 1, ... for the rows of input 1, which must be as many as the array has elements. */
    static long[] unpacked(KernelContext c) {
        TensorArrayResource a = of(c);
        Shape s = c.input(1).shape();
        long n = s.rank() >= 1 ? s.dim(0) : 0;
        require(
                n == a.size() || a.isDynamic() && n > a.size(),
                INVALID_ARGUMENT,
                "Input value must have first dimension equal to the array size (%d vs. %d)",
                n,
                a.size());
        a.mark(Counts.toInt(n));
        long[] positions = new long[Counts.objects(n, 128)];
        for (int i = 0; i < positions.length; i++) positions[i] = i;
        return positions;
    }

    /** Outputs 0 and 1: all elements one after the other along their first axis, and their lengths. */
    static void concat(KernelContext c, DType dtype, Shape except0) {
        TensorArrayResource a = of(c);
        int n = a.packSize();
        if (n == 0) {
            Shape rest = a.elementShape().rank() > 0
                    ? a.elementShape().slice(1, a.elementShape().rank()).merge(except0)
                    : except0;
            require(
                    rest != null && rest.isFullyKnown(),
                    UNIMPLEMENTED,
                    "TensorArray has size zero, but element_shape_except0 %s is not fully defined. Currently only static shapes are supported when concatenating zero-size TensorArrays.",
                    except0);
            c.allocate(0, Shape.of(0).concat(rest));
            c.allocate(1, Shape.of(0));
            return;
        }
        List<Tensor> items = new ArrayList<>();
        try {
            long total = 0;
            for (int i = 0; i < n; i++) {
                Tensor t = a.read(c, i, dtype);
                items.add(t);
                require(
                        t.shape().rank() >= 1,
                        INVALID_ARGUMENT,
                        "Concat saw a scalar shape at index %d but requires at least vectors.  Did you mean to call pack?",
                        i);
                Shape rest = t.shape().slice(1, t.shape().rank()),
                        first =
                                items.get(0)
                                        .shape()
                                        .slice(1, items.get(0).shape().rank());
                require(
                        except0.isCompatibleWith(rest),
                        INVALID_ARGUMENT,
                        "TensorArray was passed element_shape_except0 %s but index %d has (excepting dimension 0) shape: %s",
                        except0,
                        i,
                        rest);
                require(
                        rest.equals(first),
                        INVALID_ARGUMENT,
                        "TensorArray has inconsistent shapes.  Index 0 has (excepting dimension 0) shape: %s but index %d has (excepting dimension 0) shape: %s",
                        first,
                        i,
                        rest);
                total += t.shape().dim(0);
            }
            Concat.join(items, 0, c.allocate(0, items.get(0).shape().withDim(0, total)), c.parallel());
            Tensor lengths = c.allocate(1, Shape.of(n));
            for (int i = 0; i < n; i++) lengths.setLong(i, items.get(i).shape().dim(0));
        } finally {
            items.forEach(Tensor::release);
        }
    }

    /** Cuts input 1 into parts as long as input 2 says; output 0 is the flow. */
    static void split(KernelContext c) {
        TensorArrayResource a = of(c);
        Tensor x = c.input(1);
        require(
                c.input(2).shape().rank() == 1,
                INVALID_ARGUMENT,
                "Expected lengths to be a vector, received shape: %s",
                c.input(2).shape());
        long[] lengths = Arguments.longs(c.input(2));
        require(
                x.shape().rank() >= 1,
                INVALID_ARGUMENT,
                "Expected value to be at least a vector, but received shape: %s",
                x.shape());
        long total = 0;
        for (long n : lengths) {
            require(n >= 0, INVALID_ARGUMENT, "lengths must not be negative, got %d", n);
            total = total + n < 0 ? Long.MAX_VALUE : total + n;
        }
        require(
                total == x.shape().dim(0),
                INVALID_ARGUMENT,
                "Expected sum of lengths to be equal to values.shape[0], but sum of lengths is %d and value's shape is: %s",
                total,
                x.shape());
        require(
                lengths.length == a.size() || a.isDynamic() && lengths.length > a.size(),
                INVALID_ARGUMENT,
                "TensorArray's size is not equal to the size of lengths (%d vs. %d), and the TensorArray is not marked as dynamically resizeable",
                a.size(),
                lengths.length);
        a.mark(lengths.length);
        Tensor all = c.keep(1);
        long at = 0;
        for (int i = 0; i < lengths.length; i++) {
            a.write(c, i, all.viewRows(at, lengths[i]));
            at += lengths[i];
        }
        all.release();
        c.forward(0, 3);
    }
}
