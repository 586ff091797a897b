package dev.oxbow.graph;

import dev.oxbow.tensor.Tensor;
import java.util.List;
import java.util.Map;

/**
 * One operation. An op is a record annotated with its {@link Signature}: its components are its attributes (type and
 * count attributes that follow from the inputs are not components), its equality decides whether two nodes compute
 * the same thing. Ops know types and graphs, not devices.
 */
public interface Op {

    /** One type per output. Checks dtypes beyond the signature, ranks and known dimensions; kernels rely on that. */
    List<TensorType> infer(InferenceContext c);

    default Effects effects() {
        return Effects.NONE;
    }

    /** The kernel for CPU devices; called once for each node of a program, so a kernel may hold prepared state. */
    Kernel cpu();

    /** Whether the kernel may wait for something that other nodes or tasks do; it then runs outside of regions. */
    default boolean waits() {
        return false;
    }

    /** Whether it brings values in from outside of the graph, of files or data sets: it runs where these are needed. */
    default boolean isInput() {
        return false;
    }

    /** The type of the service that the kernel can not do without, or null. */
    default Class<?> service() {
        return null;
    }

    /** Whether the kernel looks at the types of its inputs alone, never at their elements. */
    default boolean asksTypesOnly() {
        return false;
    }

    /** Whether the kernel gives its outputs itself ({@code set}, {@code forward}), so that none are allocated for it. */
    default boolean suppliesOutputs() {
        return view() >= 0;
    }

    /** The input that the only output always shares its memory with, in whatever shape; -1 for none. */
    default int view() {
        return -1;
    }

    /** As {@link #view}, for these types and known values: a reduction along no axes, a broadcast to the same shape. */
    default int viewOf(InferenceContext c, List<TensorType> outputs) {
        return view();
    }

    /**
     * How the outputs, whose shapes are known, can be computed some indices of an axis of the first output at a time, by
     * the kernel on tensors of those; null when they cannot.
     */
    default Pieces cut(InferenceContext c, List<TensorType> outputs, int axis) {
        return null;
    }

    /**
     * How the outputs are sums of what the kernel computes from ranges of inputs, along an axis of the first input; null
     * when they are not.
     */
    default Pieces sum(InferenceContext c, List<TensorType> outputs, int axis) {
        return null;
    }

    /** Whether the kernel may write an output where an input of its shape and width lies that nobody else reads. */
    default boolean worksInPlace(InferenceContext c, List<TensorType> outputs) {
        return this instanceof Elementwise;
    }

    /** Scalar operations of the kernel, roughly: decides what is worth another thread. */
    default double work(InferenceContext c, List<TensorType> outputs) {
        double elements = 0;
        for (int i = 0; i < c.inputCount(); i++)
            elements += Math.max(0, c.shape(i).size());
        for (TensorType t : outputs) elements += Math.max(0, t.shape().size());
        return elements;
    }

    /** The outputs, when the input types alone decide them (Shape, Rank, ...); else null. The caller owns them. */
    default List<Tensor> constants(InferenceContext c) {
        return null;
    }

    /** The wire interface; from the annotation of the record. */
    default OpSignature signature() {
        return OpDefinition.of(getClass()).signature();
    }

    /** The attributes that are the op's own, by wire name; the signature derives the others from the inputs. */
    default Map<String, Object> attributes() {
        return OpDefinition.of(getClass()).attributes(this);
    }
}
