package dev.oxbow.ops.io;

import dev.oxbow.graph.OpProvider;
import java.util.List;

/** Files, readers and checkpoints: the list of this package's ops. */
public final class IoOps implements OpProvider {
    @Override
    public List<String> ops() {
        return List.of(
                "FixedLengthRecordReader",
                "FixedLengthRecordReaderV2",
                "IdentityReader",
                "IdentityReaderV2",
                "LoadAndRemapMatrix",
                "MatchingFiles",
                "MergeV2Checkpoints",
                "ReadFile",
                "ReaderNumRecordsProduced",
                "ReaderNumRecordsProducedV2",
                "ReaderNumWorkUnitsCompleted",
                "ReaderNumWorkUnitsCompletedV2",
                "ReaderRead",
                "ReaderReadUpTo",
                "ReaderReadUpToV2",
                "ReaderReadV2",
                "ReaderReset",
                "ReaderResetV2",
                "ReaderRestoreState",
                "ReaderRestoreStateV2",
                "ReaderSerializeState",
                "ReaderSerializeStateV2",
                "RecordInput",
                "Restore",
                "RestoreSlice",
                "RestoreV2",
                "Save",
                "SaveSlices",
                "SaveV2",
                "ShardedFilename",
                "ShardedFilespec",
                "TFRecordReader",
                "TFRecordReaderV2",
                "TextLineReader",
                "TextLineReaderV2",
                "Timestamp",
                "WholeFileReader",
                "WholeFileReaderV2",
                "WriteFile");
    }
}
