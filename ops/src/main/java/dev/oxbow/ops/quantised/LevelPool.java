package dev.oxbow.ops.quantised;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.nn.MaxPool;
import dev.oxbow.tensor.Tensor;
import java.util.List;

/** One level of each window of an image. */
interface LevelPool extends Ranged {
    List<Long> ksize();

    List<Long> strides();

    String padding();

    /** Fills the output by a window. */
    void slide(LevelWindow window, Tensor x, Tensor y);

    @Override
    default List<TensorType> infer(InferenceContext c) {
        Ranged.limits(c, 1, 3);
        return Ranged.types(
                c, new MaxPool(ksize(), strides(), padding()).infer(c).get(0).shape());
    }

    @Override
    default Kernel cpu() {
        LevelWindow window = new LevelWindow(ksize(), strides(), padding());
        return c -> {
            if (c.output(0).size() > 0) slide(window, c.input(0), c.output(0));
            Ranged.give(c, Levels.of(c.input(0), c, 1));
        };
    }
}
