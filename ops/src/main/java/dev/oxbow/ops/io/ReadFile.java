package dev.oxbow.ops.io;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Arguments;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.ops.Stateful.Asking;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import java.util.List;

/** The contents of a file. */
@Signature("ReadFile(filename: string) -> (contents: string)")
public record ReadFile() implements NotDifferentiable, Asking {

    @Override
    public boolean isInput() {
        return true;
    }

    @Override
    public List<TensorType> infer(InferenceContext c) {
        for (int i = 0; i < c.inputCount(); i++)
            require(c.shape(i).rank() <= 0, INVALID_ARGUMENT, "input %d must be a scalar, got %s", i, c.shape(i));
        return List.of(new TensorType(DType.STRING, Shape.SCALAR));
    }

    @Override
    public Kernel cpu() {
        return c -> {
            c.output(0).objects()[0] = Arguments.contents(FileNames.scalar(c, 0, "filename"));
        };
    }
}
