package dev.oxbow.runtime.run;

import dev.oxbow.graph.FunctionCaller;
import dev.oxbow.graph.FunctionLibrary;
import dev.oxbow.graph.FunctionRef;
import dev.oxbow.tensor.Tensor;
import java.util.List;
import java.util.function.BiConsumer;

/** Calls functions for an instruction of a step; what comes back is given to the step's own threads. */
record StepCaller(InstructionContext instruction, DeviceStep step, FunctionLibrary library) implements FunctionCaller {

    @Override
    public FunctionCaller of(FunctionLibrary other) {
        return new StepCaller(instruction, step, other);
    }

    @Override
    public void call(FunctionRef function, List<Tensor> arguments, BiConsumer<List<Tensor>, Throwable> then) {
        try {
            step.session.call(
                    step.scope,
                    library,
                    function,
                    arguments,
                    (results, error) -> Ready.current().giveBack(step, () -> giveBack(then, results, error)));
        } catch (Throwable e) {
            giveBack(then, null, e);
        }
    }

    private void giveBack(BiConsumer<List<Tensor>, Throwable> then, List<Tensor> results, Throwable error) {
        try {
            then.accept(results, error);
        } catch (Throwable e) {
            instruction.fail(e);
        }
    }
}
