package dev.oxbow.runtime.run;

import dev.oxbow.graph.FunctionCaller;
import dev.oxbow.graph.FunctionLibrary;
import dev.oxbow.graph.FunctionRef;
import dev.oxbow.tensor.Tensor;
import java.util.List;
import java.util.function.BiConsumer;

/** Calls functions of a library for an instruction of a step. */
record StepCaller(FunctionLibrary library, Calling calling, Calling apart) implements FunctionCaller {

    /** Starts a function of a library; what comes back is given to the step's own threads. */
    interface Calling {
        void call(
                FunctionLibrary library,
                FunctionRef function,
                List<Tensor> arguments,
                BiConsumer<List<Tensor>, Throwable> then);
    }

    @Override
    public FunctionCaller of(FunctionLibrary other) {
        return new StepCaller(other, calling, apart);
    }

    @Override
    public FunctionCaller detached() {
        return new StepCaller(library, apart, apart);
    }

    @Override
    public void call(FunctionRef function, List<Tensor> arguments, BiConsumer<List<Tensor>, Throwable> then) {
        calling.call(library, function, arguments, then);
    }
}
