package dev.oxbow.ops.flow;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Arguments;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.ops.Stateful.Changing;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Prints a string on a stream, or at the end of a file. */
@Signature("PrintV2(input: string) -> () {output_stream: string = \"stderr\"; end: string = \"\\n\"} stateful")
public record PrintV2(String outputStream, String end) implements NotDifferentiable, Changing {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        Arguments.scalar("input", c.shape(0));
        return List.of();
    }

    @Override
    public Kernel cpu() {
        return c -> {
            String text = new String((byte[]) c.input(0).objects()[0], StandardCharsets.UTF_8);
            Printing.print(outputStream, text + end);
        };
    }
}
