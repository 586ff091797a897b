package dev.oxbow.ops.nn;

import dev.oxbow.graph.OpProvider;
import java.util.List;

/** Neural networks: the list of this package's ops. */
public final class NnOps implements OpProvider {
    @Override
    public List<String> ops() {
        return List.of(
                "AvgPool",
                "AvgPool3D",
                "AvgPool3DGrad",
                "AvgPoolGrad",
                "BatchNormWithGlobalNormalization",
                "BatchNormWithGlobalNormalizationGrad",
                "BiasAdd",
                "BiasAddGrad",
                "BiasAddV1",
                "BlockLSTM",
                "BlockLSTMGrad",
                "BlockLSTMGradV2",
                "BlockLSTMV2",
                "Conv2D",
                "Conv2DBackpropFilter",
                "Conv2DBackpropFilterV2",
                "Conv2DBackpropInput",
                "Conv2DBackpropInputV2",
                "Conv3D",
                "Conv3DBackpropFilter",
                "Conv3DBackpropFilterV2",
                "Conv3DBackpropInput",
                "Conv3DBackpropInputV2",
                "DepthwiseConv2dNative",
                "DepthwiseConv2dNativeBackpropFilter",
                "DepthwiseConv2dNativeBackpropInput",
                "Dilation2D",
                "Dilation2DBackpropFilter",
                "Dilation2DBackpropInput",
                "FusedBatchNorm",
                "FusedBatchNormGrad",
                "FusedBatchNormGradV2",
                "FusedBatchNormGradV3",
                "FusedBatchNormV2",
                "FusedBatchNormV3",
                "GRUBlockCell",
                "GRUBlockCellGrad",
                "LRN",
                "LRNGrad",
                "LSTMBlockCell",
                "LSTMBlockCellGrad",
                "LogSoftmax",
                "MaxPool",
                "MaxPool3D",
                "MaxPool3DGrad",
                "MaxPool3DGradGrad",
                "MaxPoolGrad",
                "MaxPoolGradGrad",
                "MaxPoolGradGradV2",
                "MaxPoolGradGradWithArgmax",
                "MaxPoolGradV2",
                "MaxPoolGradWithArgmax",
                "MaxPoolV2",
                "MaxPoolWithArgmax",
                "Softmax",
                "SoftmaxCrossEntropyWithLogits",
                "SparseSoftmaxCrossEntropyWithLogits");
    }
}
