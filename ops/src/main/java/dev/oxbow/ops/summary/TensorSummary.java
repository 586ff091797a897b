package dev.oxbow.ops.summary;

import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.Signature;
import dev.oxbow.wire.event.Summaries;
import dev.oxbow.wire.proto.Summary;
import java.util.List;

/** A tensor as it is, under the name of its node; what describes it is for readers of the graph. */
@Signature(
        "TensorSummary(tensor: T) -> (summary: string) {T: type; description: string = \"\"; labels: list(string) = []; display_name: string = \"\"}")
public record TensorSummary(String description, List<String> labels, String displayName) implements Describing {

    @Override
    public Summary summary(KernelContext c) {
        return Describing.of(Summary.Value.newBuilder()
                .setNodeName(c.node())
                .setTensor(Summaries.message(c.input(0)))
                .build());
    }
}
