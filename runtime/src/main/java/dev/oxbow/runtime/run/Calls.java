package dev.oxbow.runtime.run;

import dev.oxbow.graph.Completion;
import dev.oxbow.graph.FunctionCaller;
import dev.oxbow.graph.FunctionRef;
import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.core.Case;
import dev.oxbow.graph.core.FunctionCall;
import dev.oxbow.graph.core.If;
import dev.oxbow.graph.core.PartitionedCall;
import dev.oxbow.graph.core.StatefulPartitionedCall;
import dev.oxbow.graph.core.StatelessCase;
import dev.oxbow.graph.core.StatelessIf;
import dev.oxbow.graph.core.StatelessWhile;
import dev.oxbow.graph.core.While;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;

/** Calls that were not inlined because they recur: each runs the function's own program inside the step. */
final class Calls {
    private Calls() {}

    /** The function that a step runs, and how many calls lie between it and the step of the run. */
    record Depth(FunctionRef function, int calls) {
        static final Depth NONE = new Depth(null, 0);
    }

    static void start(Node n, KernelContext c) {
        List<Tensor> inputs = new ArrayList<>();
        for (int i = 0; i < c.inputCount(); i++) inputs.add(c.input(i));
        Completion done = c.defer();
        List<Tensor> rest = inputs.isEmpty() ? inputs : inputs.subList(1, inputs.size());
        switch (n.op()) {
            case PartitionedCall p -> call(c, done, p.f(), inputs);
            case StatefulPartitionedCall p -> call(c, done, p.f(), inputs);
            case FunctionCall p -> call(c, done, p.function(), inputs);
            case If p -> call(c, done, isTrue(inputs.get(0)) ? p.thenBranch() : p.elseBranch(), rest);
            case StatelessIf p -> call(c, done, isTrue(inputs.get(0)) ? p.thenBranch() : p.elseBranch(), rest);
            case Case p -> call(c, done, pick(p.branches(), inputs.get(0)), rest);
            case StatelessCase p -> call(c, done, pick(p.branches(), inputs.get(0)), rest);
            case While p -> new Loop(c, done, p.cond(), p.body()).test(inputs, false);
            case StatelessWhile p -> new Loop(c, done, p.cond(), p.body()).test(inputs, false);
            default -> throw new IllegalStateException(n.toString());
        }
    }

    private static void call(KernelContext c, Completion done, FunctionRef f, List<Tensor> arguments) {
        c.functions().call(f, arguments, (results, error) -> {
            if (error != null) done.fail(error);
            else {
                for (int i = 0; i < results.size(); i++) c.set(i, results.get(i));
                done.done();
            }
        });
    }

    /** TensorFlow's truth: a number that is not zero, a string that is not empty, a non-scalar that has elements. */
    static boolean isTrue(Tensor t) {
        if (!t.shape().isScalar()) return t.size() > 0;
        if (t.dtype() == DType.STRING) return ((byte[]) t.objects()[0]).length > 0;
        return t.onHost(x -> x.getDouble(0)) != 0;
    }

    private static FunctionRef pick(List<FunctionRef> branches, Tensor index) {
        long i = index.onHost(x -> x.getLong(0));
        return branches.get(i < 0 || i >= branches.size() ? branches.size() - 1 : (int) i);
    }

    /** A while loop by calls; values of later iterations are owned here. */
    private record Loop(KernelContext context, Completion done, FunctionRef cond, FunctionRef body) {
        void test(List<Tensor> values, boolean owned) {
            FunctionCaller caller = context.functions();
            caller.call(cond, values, (go, error) -> {
                if (error != null) {
                    release(values, owned);
                    done.fail(error);
                    return;
                }
                boolean more = isTrue(go.get(0));
                go.forEach(Tensor::release);
                if (more) step(caller, values, owned);
                else {
                    for (int i = 0; i < values.size(); i++)
                        context.set(i, owned ? values.get(i) : values.get(i).retain());
                    done.done();
                }
            });
        }

        private void step(FunctionCaller caller, List<Tensor> values, boolean owned) {
            caller.call(body, values, (next, error) -> {
                release(values, owned);
                if (error != null) done.fail(error);
                else test(next, true);
            });
        }

        private static void release(List<Tensor> values, boolean owned) {
            if (owned) values.forEach(Tensor::release);
        }
    }
}
