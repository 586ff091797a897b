package dev.oxbow.train;

import static dev.oxbow.tensor.ErrorCode.FAILED_PRECONDITION;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.ops.Parameter;
import dev.oxbow.tensor.Tensor;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/** Lets parameters have their averages for a while. */
final class Averages {
    private Averages() {}

    /** What {@code body} gives while parameters have their averages. */
    static <T> T during(Runs runs, Supplier<T> body) {
        List<Parameter> averages = runs.graph().averages();
        require(
                !averages.isEmpty(),
                FAILED_PRECONDITION,
                "Trainer: the optimizer keeps no averages; make it with Optimizer.withAverage");
        List<Parameter> trained = runs.graph().trained();
        Map<String, Tensor> own = runs.values(trained), means = runs.values(averages);
        try {
            Map<String, Tensor> renamed = new LinkedHashMap<>();
            for (int i = 0; i < averages.size(); i++)
                renamed.put(trained.get(i).name(), means.get(averages.get(i).name()));
            runs.assign(trained, renamed);
            return body.get();
        } finally {
            runs.assign(trained, own);
            own.values().forEach(Tensor::close);
            means.values().forEach(Tensor::close);
        }
    }
}
