package dev.oxbow.ops.dataset;

import dev.oxbow.graph.Graph;
import dev.oxbow.graph.KernelContext;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;

/** The step that asks for an element: functions run as a part of it. */
record Turn(KernelContext context) {

    /** Calls a function on an element, which is released, and what it captured; its results are the taker's. */
    void call(Callee f, List<Tensor> element, Taker taker) {
        List<Tensor> arguments = new ArrayList<>(element);
        arguments.addAll(f.captured());
        context.functions().of(f.library()).call(f.f(), arguments, (results, error) -> {
            element.forEach(Tensor::release);
            taker.take(error == null ? onHost(results) : null, error);
        });
    }

    /** Results of a device where kernels of the host find them. */
    private static List<Tensor> onHost(List<Tensor> results) {
        List<Tensor> here = new ArrayList<>();
        for (Tensor t : results) {
            here.add(t.toHost());
            t.release();
        }
        return here;
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
