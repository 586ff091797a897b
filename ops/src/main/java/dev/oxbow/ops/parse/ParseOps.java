package dev.oxbow.ops.parse;

import dev.oxbow.graph.OpProvider;
import java.util.List;

/** Examples and SequenceExamples: the list of this package's ops. */
public final class ParseOps implements OpProvider {
    @Override
    public List<String> ops() {
        return List.of(
                "DecodeJSONExample",
                "DecodeProtoV2",
                "EncodeProto",
                "ParseExample",
                "ParseExampleV2",
                "ParseSequenceExample",
                "ParseSequenceExampleV2",
                "ParseSingleExample",
                "ParseSingleSequenceExample");
    }
}
