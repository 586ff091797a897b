package dev.oxbow.ops.dataset;

import dev.oxbow.graph.FunctionCaller;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.KernelContext;
import dev.oxbow.ops.Functions;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;

/**
 * The step that asks for an element: functions run as a part of it, or, where what fails must not end it, apart from it.
 */
record Turn(KernelContext context, boolean isApart) {

    Turn(KernelContext context) {
        this(context, false);
    }

    /** The same step, whose functions may fail. */
    Turn apart() {
        return new Turn(context, true);
    }

    /** Calls a function on an element, which is released, and what it captured; its results are the taker's. */
    void call(Callee f, List<Tensor> element, Taker taker) {
        List<Tensor> arguments = new ArrayList<>(element);
        arguments.addAll(f.captured());
        FunctionCaller functions = isApart ? context.functions().detached() : context.functions();
        functions.of(f.library()).call(f.f(), arguments, (results, error) -> {
            element.forEach(Tensor::release);
            taker.take(error == null ? Functions.onHost(results) : null, error);
        });
    }

    /** Does something that may fail on behalf of a taker, who is told. */
    static void guarded(Taker taker, Runnable body) {
        try {
            body.run();
        } catch (RuntimeException e) {
            taker.take(null, Graph.contained(e));
        }
    }
}
