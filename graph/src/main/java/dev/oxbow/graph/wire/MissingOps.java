package dev.oxbow.graph.wire;

import static dev.oxbow.tensor.ErrorCode.NOT_FOUND;
import static dev.oxbow.tensor.ErrorCode.UNIMPLEMENTED;

import dev.oxbow.tensor.OxbowException;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/** Ops that graphs name and that are not here: some by decision, each with its reason, others not yet. */
public final class MissingOps {
    private record Family(Pattern names, String reason) {}

    private static final List<Family> FAMILIES = List.of(
            family("BoostedTrees.*", "boosted trees are no dataflow of tensors; libraries of their own train them"),
            family(
                    ".*TPU.*|.*Tpu.*|Infeed.*|Outfeed.*|Prelinearize.*|CrossReplicaSum|CollectivePermute|.*SparseCore.*"
                            + "|.*Dedup.*|GetMinibatch.*|StoreMinibatch.*|ConvertTo.*Coo.*|GlobalIterId"
                            + "|UpdateTaskIdAndGlobalCoreArray|WorkerHeartbeat|.*ShardedVariable.*|ComputeDedup.*",
                    "for TPUs"),
            family("Xla.*|.*Xla.*", "for XLA's compiler"),
            family("TRT.*|.*TensorRT.*|.*TRTEngine.*", "for TensorRT"),
            family("Mlir.*|.*Mlir.*|TfLite.*|TF_.*", "for MLIR and TensorFlow Lite"),
            family("Tfrt.*|Ifrt.*|.*Ifrt.*|PwStream.*", "for TensorFlow's own runtimes"),
            family("CudnnRNN.*", "parameters in cuDNN's own layout; BlockLSTM and GRUBlockCell are here"),
            family("Nccl.*", "ranks exchange by the ops of collectives here"),
            family("DTensor.*|Relayout.*|CopyToMesh.*", "for DTensor; plans shard graphs here"),
            family("DataService.*|RegisterDataset.*|.*SnapshotChunk.*|DistributedSave", "for tf.data's service"),
            family("Rpc.*|DeleteRpc.*", "calls of programs from inside of a step"),
            family("(Eager)?PyFunc.*|GeneratorDataset", "functions of Python live in the client's process"),
            family("Risc.*", "experiments of TensorFlow without kernels"),
            family(
                    "QuantizedConv2D.+|QuantizedDepthwise.*|QuantizedMatMulWith.*|Requantiz.*PerChannel"
                            + "|_Mkl.*|_Fused.*",
                    "oneDNN's fused forms, which its rewrites of TensorFlow's graphs make; the ops that they are made of are here"),
            family(
                    "CTCLossV2|DebugIdentityV3|I?R?FFTND|GenerateBoundingBoxProposals|KthOrderStatistic|MakeUnique"
                            + "|SparseMatrix(Add|Mul|Softmax|SoftmaxGrad|Zeros)|SyncDevice|TopK(With)?Unique"
                            + "|IsBoostedTrees.*",
                    "TensorFlow has no kernel of it for CPUs"),
            family("Abort|Fact|Skipgram|NegTrain", "of TensorFlow's first tutorials and tests"),
            family(
                    ".*MultiDeviceIterator.*",
                    "a walk that feeds several devices of TensorFlow's eager runtime; plans feed devices here"),
            family(".*StatsDataset|.*StatsAggregator.*", "statistics of data sets, which tf.data has given up"),
            family(
                    "Assert(Next|Prev)Dataset|AutoShardDataset|ChooseFastestBranchDataset|MapDefun|GetOptions"
                            + "|DatasetToGraph(V2)?|DatasetFromGraph|DatasetFingerprint|ComputeBatchSize"
                            + "|IteratorGetModelProto",
                    "for rewrites of data sets as graphs, which data sets are not here"),
            family(
                    "GetElementAtIndex|GlobalShuffleDataset|IndexFlatMapDataset|WeightedFlatMapDataset",
                    "elements by their index; data sets are walked here"),
            family("ThreadPool(Dataset|Handle)", "threads for one data set; a server's work for all"),
            family(
                    "Uniform(Quantize|Dequantize|Requantize).*",
                    "what TensorFlow's quantizer makes for XLA and TensorFlow Lite"),
            family(
                    "CalibrationStatisticsSaver|CustomAggregator|DumpTensor",
                    "with what TensorFlow's quantizer measures a model"),
            family("Sdca.*", "for linear models of estimators, which TensorFlow has given up"),
            family(
                    "FusedPadConv2D|FusedResizeAndPadConv2D|ImmutableConst",
                    "made by an old tool of TensorFlow's that prepares models for phones"),
            family("CheckPinned", "a test of memory that is pinned for a GPU"),
            family("FileSystemSetConfiguration", "for file systems of clouds"),
            family("Send|Recv", "parts of graphs have _Send and _Recv, which are here"),
            family("GetSessionHandleV2", "no op takes the resource that it makes; GetSessionHandle is here"),
            family("MutableDenseHashTable", "TensorFlow's own kernel asks for an input that the op does not have"),
            family(".*SqlDataset|.*LMDB.*|BigQuery.*|.*Kafka.*", "databases; a pipeline of Java reads those"),
            family("Experimental.*", "an old name of one of tf.data's ops, which is here where that one is"));

    private MissingOps() {}

    private static Family family(String names, String reason) {
        return new Family(Pattern.compile(names), reason);
    }

    /** Why an op is not here and will not be; null where there is no reason. */
    public static String reason(String op) {
        for (Family f : FAMILIES) if (f.names.matcher(op).matches()) return f.reason;
        return null;
    }

    /** UNIMPLEMENTED with reasons where all these ops are left out by decision, else NOT_FOUND; {@code shown} lists them. */
    public static OxbowException error(Collection<String> ops, Object shown) {
        Set<String> reasons = new LinkedHashSet<>();
        boolean all = true;
        for (String op : ops) {
            String reason = reason(op);
            if (reason != null) reasons.add(op + ": " + reason);
            else all = false;
        }
        String text = "GraphDef: %d ops are not known here: %s".formatted(ops.size(), shown);
        return new OxbowException(
                all ? UNIMPLEMENTED : NOT_FOUND,
                reasons.isEmpty() ? text : text + " (" + String.join("; ", reasons) + ")");
    }
}
