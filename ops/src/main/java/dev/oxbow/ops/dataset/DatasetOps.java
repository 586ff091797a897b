package dev.oxbow.ops.dataset;

import dev.oxbow.graph.OpProvider;
import java.util.List;

/** Data sets and iterators: the list of this package's ops. */
public final class DatasetOps implements OpProvider {
    @Override
    public List<String> ops() {
        return List.of(
                "BatchDataset",
                "BatchDatasetV2",
                "CacheDataset",
                "ConcatenateDataset",
                "FilterDataset",
                "FixedLengthRecordDataset",
                "FixedLengthRecordDatasetV2",
                "FlatMapDataset",
                "InterleaveDataset",
                "Iterator",
                "IteratorFromStringHandle",
                "IteratorFromStringHandleV2",
                "IteratorGetNext",
                "IteratorGetNextSync",
                "IteratorToStringHandle",
                "IteratorV2",
                "MakeIterator",
                "MapDataset",
                "ModelDataset",
                "OneShotIterator",
                "OptimizeDataset",
                "OptimizeDatasetV2",
                "OptionsDataset",
                "PaddedBatchDataset",
                "PaddedBatchDatasetV2",
                "ParallelInterleaveDatasetV2",
                "ParallelInterleaveDatasetV3",
                "ParallelInterleaveDatasetV4",
                "ParallelMapDataset",
                "ParallelMapDatasetV2",
                "PrefetchDataset",
                "RangeDataset",
                "RepeatDataset",
                "ShardDataset",
                "ShuffleDataset",
                "SkipDataset",
                "TFRecordDataset",
                "TFRecordDatasetV2",
                "TakeDataset",
                "TakeWhileDataset",
                "TensorDataset",
                "TensorSliceDataset",
                "TextLineDataset",
                "ZipDataset");
    }
}
