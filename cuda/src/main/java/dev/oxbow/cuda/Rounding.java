package dev.oxbow.cuda;

import dev.oxbow.graph.KernelContext;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Space;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;

/** Finds out whether a plan of cuDNN for a convolution of f32 rounds what it multiplies. */
final class Rounding {

    /*
     * What engines say of themselves is not enough: there is one for gradients of filters, in version 9.19, that mentions no tensor
     * cores and is off by 5e-4. So each is tried on operands whose products are known: one has a single element that is not 0, the
     * other is the same everywhere, so that every result is 0 or one product. The number is one that bytes of one value make, which
     * the driver can fill in, and lies nearly halfway between two numbers of tf32; its square is no denormal number.
     */

    static final byte BYTE = 0x31;

    private static final float NUMBER = Float.intBitsToFloat(0x31313131);

    /** Much more than f32 is off by, and much less than tf32 is. */
    private static final double MOST = 1e-6;

    /** Of large results only the beginning is looked at, where the single element has its effect. */
    private static final long READ = 1 << 20;

    private Rounding() {}

    /** Whether results are what true products give; also where no result depends on the single element. */
    static boolean isTrue(Card card, DnnPlans plans, DnnPlans.Plan plan, Convolution v, KernelContext c) {
        List<Tensor> tensors = new ArrayList<>();
        try {
            for (Shape s : v.shapes()) tensors.add(c.temporary(v.dtype(), s));
            tensors.add(c.temporary(DType.U8, Shape.of(Math.max(1, plan.workspace()))));
            long[] places = new long[Convolution.NUMBERS.length];
            for (int i = 0; i < places.length; i++) places[i] = tensors.get(i).place();
            int[] status = new int[1];
            card.commands.outside(() -> {
                long stream = card.commands.stream();
                for (int i = 0; i < places.length; i++) {
                    boolean everywhere = i != v.made() && i != v.single();
                    Driver.fill(places[i], everywhere ? BYTE : 0, tensors.get(i).byteSize(), stream);
                }
                Driver.fill(places[v.single()], BYTE, v.dtype().size(), stream);
                long workspace = tensors.getLast().place();
                status[0] = plans.run(plan, Convolution.NUMBERS, places, workspace, stream);
            });
            return status[0] == 0 && areTrue(card, tensors.get(v.made()));
        } finally {
            tensors.forEach(Tensor::release);
        }
    }

    private static boolean areTrue(Card card, Tensor made) {
        long bytes = Math.min(READ, made.byteSize());
        long to = Space.HOST.allocate(bytes);
        try {
            card.space.copyOut(made.place(), to, bytes);
            for (long at = 0; at < bytes; at += Float.BYTES) if (!isTrue(Memory.getFloat(to + at))) return false;
            return true;
        } finally {
            Space.HOST.free(to);
        }
    }

    /** Whether a result is 0 or the product of the two numbers. */
    static boolean isTrue(float result) {
        float wanted = NUMBER * NUMBER;
        return result == 0 || Math.abs(result - wanted) <= MOST * wanted;
    }
}
