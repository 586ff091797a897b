package dev.oxbow.graph.core;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.ErrorCode.NOT_FOUND;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.Function;
import dev.oxbow.graph.FunctionRef;
import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.OpProvider;
import dev.oxbow.graph.TensorType;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import java.util.ArrayList;
import java.util.List;

/** The list of core ops, and what their inference shares. */
public final class CoreOps implements OpProvider {

    private static final List<String> EXECUTORS = List.of("", "DEFAULT", "SINGLE_THREADED_EXECUTOR");

    @Override
    public List<String> ops() {
        return List.of(
                "Case",
                "Const",
                "ControlTrigger",
                "Enter",
                "Exit",
                "Identity",
                "If",
                "LoopCond",
                "Merge",
                "NextIteration",
                "NoOp",
                "PartitionedCall",
                "Placeholder",
                "RefEnter",
                "RefExit",
                "RefIdentity",
                "RefMerge",
                "RefNextIteration",
                "RefSwitch",
                "StatefulPartitionedCall",
                "StatelessCase",
                "StatelessIf",
                "StatelessWhile",
                "Switch",
                "While",
                "_Arg=Arg",
                "_HostRecv=Recv",
                "_HostSend=Send",
                "_Park=Park",
                "_Recv=Recv",
                "_Retval=Retval",
                "_Send=Send",
                "_ToDevice=ToDevice",
                "_Unpark=Unpark");
    }

    /** A call may name one of TensorFlow's executors; there is one here, which runs for all of them. */
    static void requireExecutor(String type) {
        require(EXECUTORS.contains(type), NOT_FOUND, "executor_type must be one of %s, got %s", EXECUTORS, type);
    }

    static void requireScalar(InferenceContext c, int input) {
        Shape s = c.shape(input);
        require(s.rank() <= 0, INVALID_ARGUMENT, "input %d must be a scalar, got %s", input, c.input(input));
    }

    /** A back edge has no type yet when the Merge of a loop is made, so such a Merge knows its dtype only. */
    static List<TensorType> inferMerge(InferenceContext c) {
        TensorType t = c.input(0);
        for (int i = 1; i < c.inputCount(); i++) {
            TensorType other = c.input(i);
            List<TensorType> behind = t.behind().isEmpty() ? other.behind() : t.behind();
            t = new TensorType(t.dtype(), t.shape().generalise(other.shape()), false, behind);
        }
        return List.of(t, new TensorType(DType.I32, Shape.SCALAR));
    }

    static List<TensorType> inferCall(InferenceContext c, FunctionRef f, List<Shape> shapes) {
        return outputs(c, c.functions().has(f.name()) ? c.functions().get(f) : null, shapes);
    }

    static List<TensorType> inferBranches(InferenceContext c, List<FunctionRef> branches, List<Shape> shapes) {
        List<TensorType> all = null;
        for (FunctionRef f : branches) {
            List<TensorType> types = inferCall(c, f, shapes);
            if (all == null) {
                all = new ArrayList<>(types);
                continue;
            }
            for (int i = 0; i < all.size(); i++)
                all.set(
                        i,
                        all.get(i)
                                .withShape(all.get(i)
                                        .shape()
                                        .generalise(types.get(i).shape())));
        }
        return all;
    }

    static List<TensorType> inferWhile(InferenceContext c, List<Shape> shapes) {
        List<TensorType> types = new ArrayList<>();
        for (int i = 0; i < c.inputCount(); i++) {
            Shape s = i < shapes.size() ? shapes.get(i) : c.dtype(i).isObject() ? c.shape(i) : Shape.UNKNOWN;
            types.add(c.input(i).withShape(s));
        }
        return types;
    }

    private static List<TensorType> outputs(InferenceContext c, Function f, List<Shape> shapes) {
        List<TensorType> types = new ArrayList<>();
        for (int i = 0; i < c.outputCount(); i++) {
            TensorType t = f != null && i < f.results().size()
                    ? f.results().get(i).type().deref()
                    : TensorType.of(c.outputDtype(i));
            require(
                    t.dtype() == c.outputDtype(i),
                    INVALID_ARGUMENT,
                    "function %s returns %s where %s is declared",
                    f,
                    t,
                    c.outputDtype(i));
            types.add(i < shapes.size() ? t.withShape(shapes.get(i)) : t);
        }
        return types;
    }
}
