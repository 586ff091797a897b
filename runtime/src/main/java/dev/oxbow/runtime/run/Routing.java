package dev.oxbow.runtime.run;

import dev.oxbow.graph.Containers;
import dev.oxbow.graph.Resource;
import dev.oxbow.graph.ResourceHandle;
import dev.oxbow.graph.Variable;
import dev.oxbow.runtime.Device;
import dev.oxbow.runtime.compile.Instruction;
import dev.oxbow.runtime.compile.Marks;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.ErrorCode;
import dev.oxbow.tensor.MemoryPool;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Space;
import dev.oxbow.tensor.Tensor;

/** How values go from slot to slot where nothing is computed: branches, merges, and the mark of what is dead. */
final class Routing {
    private Routing() {}

    static void give(Tensor[] values, int slot, Tensor t) {
        if (slot >= 0) values[slot] = t;
        else if (t != Marks.DEAD) t.release();
    }

    /** Empties slots that nobody reads any more. */
    static void free(Tensor[] values, int[] slots) {
        for (int s : slots) {
            Tensor t = values[s];
            if (t == null) continue;
            values[s] = null;
            if (t != Marks.DEAD && t != Marks.ALIVE) t.release();
        }
    }

    /** Input {@code k} with a reference for whoever takes it, dereferenced where the consumer wants the value. */
    static Tensor live(Instruction i, Tensor[] values, int k, Device device) {
        Tensor t = values[i.in[k]];
        if (t == Marks.DEAD) return t;
        if (i.kind != Instruction.Kind.LOOP_MERGE && i.deref[k]) return dereference(t, device);
        return t.retain();
    }

    /**
     * The value behind a reference, with a reference count for the caller: of a variable its own, of any other resource
     * its container and name; a fed value stands for itself.
     */
    static Tensor dereference(Tensor t, Device device) {
        if (t.dtype() != DType.RESOURCE) return t.retain();
        Resource r = ResourceHandle.resource(t, Resource.class);
        if (r instanceof Variable v) return device.adopt(v.read());
        ResourceHandle h = (ResourceHandle) t.objects()[0];
        return Tensor.of(Shape.of(2), h.container().isEmpty() ? Containers.DEFAULT : h.container(), h.name());
    }

    /** A value on the host, for its reference. */
    static Tensor toHost(Tensor value) {
        if (value.isIn(Space.HOST)) return value;
        Tensor there = value.toHost();
        value.release();
        return there;
    }

    /** Whether one of the inputs says that there is nothing to do. */
    static boolean isDead(Instruction i, Tensor[] values) {
        if (i.kind != Instruction.Kind.LOOP_MERGE) for (int s : i.in) if (values[s] == Marks.DEAD) return true;
        for (int s : i.controlIn) if (values[s] == Marks.DEAD) return true;
        return false;
    }

    /** A Switch: the value goes to one output, the other is dead. */
    static void branch(Instruction i, Tensor[] values, Tensor value, Tensor pred) {
        if (!pred.shape().isScalar())
            throw new OxbowException(
                    ErrorCode.INVALID_ARGUMENT, "The second input must be a scalar, but it has shape " + pred.shape());
        int live = pred.onHost(p -> p.getLong(0)) != 0 ? 1 : 0;
        give(values, i.out[live], value.retain());
        give(values, i.out[1 - live], Marks.DEAD);
    }

    /** A Merge: takes the first value that is alive, if there is one. */
    static void merge(Instruction i, Tensor[] values, Device device) {
        int which = -1;
        for (int k = 0; k < i.in.length && which < 0; k++) if (values[i.in[k]] != Marks.DEAD) which = k;
        for (int s : i.controlIn) if (values[s] == Marks.DEAD) which = -1;
        if (which < 0) for (int s : i.out) give(values, s, Marks.DEAD);
        else take(i, values, which, device);
        if (i.controlOut >= 0) values[i.controlOut] = which < 0 ? Marks.DEAD : Marks.ALIVE;
    }

    /** Gives the value of an input, and which one it was to who asks. */
    static void take(Instruction i, Tensor[] values, int which, Device device) {
        give(values, i.out[0], live(i, values, which, device));
        if (i.out[1] < 0) return;
        Tensor index = MemoryPool.shared().tensor(DType.I32, Shape.SCALAR, "value_index");
        index.setLong(0, which);
        give(values, i.out[1], i.onHost ? index : device.adopt(index));
    }
}
