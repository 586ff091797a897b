package dev.oxbow.ops.summary;

import dev.oxbow.graph.OpProvider;
import java.util.List;

/** Summaries and event files: the list of this package's ops. */
public final class SummaryOps implements OpProvider {
    @Override
    public List<String> ops() {
        return List.of(
                "AudioSummary",
                "AudioSummaryV2",
                "CloseSummaryWriter",
                "CreateSummaryDbWriter",
                "CreateSummaryFileWriter",
                "FlushSummaryWriter",
                "HistogramSummary",
                "ImageSummary",
                "ImportEvent",
                "MergeSummary",
                "ScalarSummary",
                "SummaryWriter",
                "TensorSummary",
                "TensorSummaryV2",
                "WriteAudioSummary",
                "WriteGraphSummary",
                "WriteHistogramSummary",
                "WriteImageSummary",
                "WriteRawProtoSummary",
                "WriteScalarSummary",
                "WriteSummary");
    }
}
