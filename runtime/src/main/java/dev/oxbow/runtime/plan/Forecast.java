package dev.oxbow.runtime.plan;

import dev.oxbow.graph.Effects;
import dev.oxbow.graph.Evaluation;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.NodeInference;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.TensorType;
import dev.oxbow.graph.core.Arg;
import dev.oxbow.graph.core.Const;
import dev.oxbow.graph.core.CoreOp;
import dev.oxbow.graph.core.Identity;
import dev.oxbow.graph.core.ToDevice;
import dev.oxbow.runtime.compile.Instruction;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** What a run of a region would record, as far as types tell: those of its arguments, and those inferred at building. */
public final class Forecast {

    /*
     * A run that is recorded holds every value in memory of its own, without places for reuse, and its kernels are not
     * those of the plan. Where all shapes are known, the plan is made before the first run instead. What only a run can
     * tell, such as which inputs a kernel keeps, is looked at after that run.
     */

    /** What takes more is left to the run, even if constants decide it. */
    private static final double MOST_WORK = 1 << 27;

    public final Recording record;
    private final Map<Integer, TensorType> types = new HashMap<>();
    private final Map<Integer, Tensor> known = new HashMap<>();
    private boolean isWhole = true;

    /** Without arguments, null, it is for explaining. */
    public Forecast(Instruction[] region, Tensor[] arguments) {
        record = new Recording(region.length);
        for (int at = 0; at < region.length; at++) {
            Instruction i = region[at];
            for (int k = 0; k < i.in.length; k++) {
                TensorType t = types.getOrDefault(i.in[k], i.node.input(k).type());
                record.shapes.putIfAbsent(i.in[k], t.shape());
                isWhole &= t.shape().isFullyKnown();
            }
            switch (i.kind) {
                case ARG -> {
                    TensorType t = arguments == null
                            ? i.node.output(0)
                            : TensorType.of(arguments[((Arg) i.node.op()).index()]);
                    record.outputs[at] = t.shape();
                    types.put(i.out[0], t);
                }
                case KERNEL -> kernel(at, i);
                case RETVAL, SWITCH, MERGE, LOOP_MERGE, ENTER, EXIT, NEXT_ITERATION, SEND, RECV, CALL -> {}
            }
        }
    }

    /** Whether a run could tell nothing more about shapes and values. */
    public boolean isWhole() {
        return isWhole;
    }

    private void kernel(int at, Instruction i) {
        Op op = i.node.op();
        if (op instanceof Const c) {
            constant(at, i, List.of(c.value()));
            return;
        }
        if (op.waits()) return;
        Types inference = new Types(i);
        TensorType[] outputs = outputs(i, inference);
        for (int p = 0; p < outputs.length; p++) if (i.out[p] >= 0) types.put(i.out[p], outputs[p]);
        if (op.effects() == Effects.NONE && isSmall(outputs)) {
            List<Tensor> values = values(i, inference);
            if (values != null) {
                constant(at, i, values);
                return;
            }
        }
        if (op.view() >= 0) {
            boolean alone = i.out[0] >= 0 && !i.deref[op.view()];
            for (int k = 0; k < i.in.length; k++) alone &= k == op.view() || known.containsKey(i.in[k]);
            if (alone && outputs[0].isAllocatable()) record.types[at] = outputs;
            return;
        }
        boolean isKnown = outputs.length == 0 || !i.suppliesOutputs && !inference.asked;
        for (TensorType t : outputs) isKnown &= t.isAllocatable();
        if (isKnown) record.types[at] = outputs;
    }

    private void constant(int at, Instruction i, List<Tensor> values) {
        record.constants[at] = new Tensor[i.out.length];
        for (int p = 0; p < i.out.length; p++) {
            if (i.out[p] < 0) continue;
            Tensor t = values.get(p).reshaped(values.get(p).shape());
            record.constants[at][p] = t;
            known.put(i.out[p], t);
            types.put(i.out[p], TensorType.of(t));
        }
    }

    /** Whether the outputs may be constants; a shape that only the kernel finds is small where its inputs are. */
    private static boolean isSmall(TensorType[] outputs) {
        for (TensorType t : outputs) {
            if (t.isRef() || t.dtype() == DType.RESOURCE || t.dtype() == DType.VARIANT) return false;
            if (t.shape().isFullyKnown() && t.byteSize() > Recording.MOST_BYTES) return false;
        }
        return outputs.length > 0;
    }

    /** The outputs where shapes or constants decide them, else null. */
    private List<Tensor> values(Instruction i, Types inference) {
        Op op = i.node.op();
        List<Tensor> inputs = new ArrayList<>();
        for (int s : i.in)
            if (known.containsKey(s) && known.get(s).byteSize() <= Recording.MOST_BYTES) inputs.add(known.get(s));
        try {
            List<Tensor> values = op.constants(inference);
            if (values != null || i.in.length == 0 || inputs.size() < i.in.length) return values;
            if (op instanceof Identity || op instanceof ToDevice) return inputs;
            if (!(op instanceof CoreOp)) {
                List<Tensor> found = Evaluation.runWithin(op, i.node.name(), inputs, Recording.MOST_BYTES, MOST_WORK);
                if (found != null) return found;
            }
        } catch (RuntimeException | OutOfMemoryError e) {
            // the run will say what is wrong
        }
        isWhole = false;
        return null;
    }

    /** The types of the outputs; feeds have been checked, so what was inferred at building holds, too. */
    private TensorType[] outputs(Instruction i, Types inference) {
        TensorType[] all = i.node.outputs().toArray(TensorType[]::new);
        try {
            List<TensorType> found = i.node.op().infer(inference);
            for (int p = 0; p < all.length; p++) if (found.get(p).shape().isFullyKnown()) all[p] = found.get(p);
        } catch (RuntimeException e) {
            isWhole = false; // the run will say what is wrong
        }
        return all;
    }

    /** Inference that notes whether a value was asked for that is no constant of the graph. */
    private final class Types implements NodeInference {
        private final Instruction instruction;
        boolean asked;

        Types(Instruction instruction) {
            this.instruction = instruction;
        }

        @Override
        public Node node() {
            return instruction.node;
        }

        @Override
        public TensorType input(int i) {
            TensorType t = types.get(instruction.in[i]);
            return (t != null ? t : instruction.node.input(i).type()).deref();
        }

        @Override
        public Tensor constant(int i) {
            Tensor t = known.get(instruction.in[i]);
            if (t == null && instruction.node.input(i).node().op() instanceof Const c) t = c.value();
            asked |= t == null;
            return t;
        }
    }
}
