package dev.oxbow.ops;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.Evaluation;
import dev.oxbow.graph.KernelContext;
import dev.oxbow.ops.math.AddV2;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import dev.oxbow.wire.proto.VariantTensorDataProto;
import java.util.Arrays;
import java.util.List;

/** Sums and zeros of tensors that may hold variants, for kernels that have tensors inside of values. */
public final class Variants {
    private Variants() {}

    /** {@code a + b}, element by element; the caller owns it. */
    public static Tensor sum(Tensor a, Tensor b, KernelContext c) {
        if (a.dtype() != DType.VARIANT) {
            try (Tensor sum =
                    Evaluation.run(new AddV2(), c.node(), List.of(a, b)).get(0)) {
                return sum.view(sum.shape());
            }
        }
        require(
                a.shape().equals(b.shape()),
                INVALID_ARGUMENT,
                "variants of shapes %s and %s cannot be added",
                a.shape(),
                b.shape());
        Object[] sums = new Object[a.objects().length];
        for (int i = 0; i < sums.length; i++) {
            Object x = a.objects()[i], y = b.objects()[i];
            if (NumberVariant.areAlike(x, y)) {
                sums[i] = NumberVariant.sum((VariantTensorDataProto) x, (VariantTensorDataProto) y);
                continue;
            }
            require(
                    x instanceof Summable && y instanceof Summable,
                    INVALID_ARGUMENT,
                    "variants of %s and %s cannot be added",
                    name(x),
                    name(y));
            sums[i] = ((Summable) x).plus((Summable) y, c);
        }
        return Tensor.ofObjects(DType.VARIANT, a.shape(), sums);
    }

    /** Zeros, empty strings or zero variants in the form of {@code t}; the caller owns them. */
    public static Tensor zeros(Tensor t, KernelContext c) {
        if (t.dtype() != DType.VARIANT) return zeros(t.dtype(), t.shape(), c);
        Object[] zeros = new Object[t.objects().length];
        for (int i = 0; i < zeros.length; i++) {
            Object x = t.objects()[i];
            if (NumberVariant.is(x)) {
                zeros[i] = NumberVariant.zero((VariantTensorDataProto) x);
                continue;
            }
            require(x instanceof Summable, INVALID_ARGUMENT, "a variant of %s has no zero", name(x));
            zeros[i] = ((Summable) x).zero(c);
        }
        return Tensor.ofObjects(DType.VARIANT, t.shape(), zeros);
    }

    /** Zeros or empty strings of a shape; the caller owns them. */
    public static Tensor zeros(DType dtype, Shape shape, KernelContext c) {
        Tensor t = c.temporary(dtype, shape);
        if (!dtype.isObject()) Memory.zero(t.address(), t.byteSize());
        else if (dtype == DType.STRING) Arrays.fill(t.objects(), new byte[0]);
        return t;
    }

    private static String name(Object o) {
        return o == null ? "nothing" : o.getClass().getSimpleName();
    }
}
