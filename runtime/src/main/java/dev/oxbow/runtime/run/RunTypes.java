package dev.oxbow.runtime.run;

import dev.oxbow.graph.Node;
import dev.oxbow.graph.NodeInference;
import dev.oxbow.graph.TensorType;
import dev.oxbow.runtime.compile.Instruction;
import dev.oxbow.runtime.plan.Recording;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntFunction;

/**
 * Inference at run time, which is done again only where a shape is another one. Every input value is known, but asking for
 * one that is no constant means that the next run asks again.
 */
final class RunTypes implements NodeInference {
    private final Instruction instruction;
    private final Tensor[] inputs;
    private final IntFunction<Tensor> onHost;

    /** Output types for the input shapes of {@link #seen}, unless inference asked for values that may change. */
    private TensorType[] types;

    private final Shape[] seen;
    private boolean askedValue;

    /** Inputs whose value, not only shape, decided the output types. */
    private final boolean[] asked;

    /** The output types of the last run; null when the kernel supplied its outputs. */
    private TensorType[] last;

    /** For a kernel whose inputs are found in an array whenever it runs, and on the host by their number. */
    RunTypes(Instruction instruction, Tensor[] inputs, IntFunction<Tensor> onHost) {
        this.instruction = instruction;
        this.inputs = inputs;
        this.onHost = onHost;
        seen = new Shape[inputs.length];
        asked = new boolean[inputs.length];
    }

    /** The output types for the inputs as they are; null when the kernel supplies its outputs. */
    TensorType[] infer() {
        boolean same = types != null;
        for (int i = 0; i < inputs.length && same; i++) {
            Shape s = inputs[i].shape();
            same = s == seen[i] || s.equals(seen[i]);
        }
        if (!same) {
            askedValue = false;
            Arrays.fill(asked, false);
            for (int i = 0; i < inputs.length; i++) seen[i] = inputs[i].shape();
            types = instruction.node.op().infer(this).toArray(TensorType[]::new);
        }
        last = instruction.suppliesOutputs ? null : types;
        if (askedValue) types = null; // another value may give another shape
        return last;
    }

    /** What the kernel did, for planning, as long as it holds its inputs. */
    Recording.Ran ran(boolean[] kept) {
        Shape[] shapes = new Shape[inputs.length];
        for (int i = 0; i < shapes.length; i++) shapes[i] = inputs[i].shape();
        List<Tensor> constants = instruction.node.op().constants(this);
        return new Recording.Ran(kept, last, asked, shapes, constants);
    }

    @Override
    public Node node() {
        return instruction.node;
    }

    @Override
    public TensorType input(int i) {
        TensorType t = TensorType.of(inputs[i]);
        if (t.dtype() != DType.RESOURCE) return t;
        TensorType declared = instruction.node.input(i).type();
        return declared.isRef() ? TensorType.of(declared.dtype()) : t; // what it refers to may change at any time
    }

    @Override
    public Tensor constant(int i) {
        if (!instruction.constant[i]) {
            askedValue = true;
            asked[i] = true;
        }
        return onHost.apply(i);
    }
}
