package dev.oxbow.ops.image;

import dev.oxbow.graph.OpProvider;
import java.util.List;

/** Images: the list of this package's ops. */
public final class ImageOps implements OpProvider {
    @Override
    public List<String> ops() {
        return List.of(
                "AdjustContrast",
                "AdjustContrastv2",
                "AdjustHue",
                "AdjustSaturation",
                "CombinedNonMaxSuppression",
                "CropAndResize",
                "CropAndResizeGradBoxes",
                "CropAndResizeGradImage",
                "DecodeAndCropJpeg",
                "DecodeBmp",
                "DecodeGif",
                "DecodeImage",
                "DecodeJpeg",
                "DecodePng",
                "DrawBoundingBoxes",
                "DrawBoundingBoxesV2",
                "EncodeJpeg",
                "EncodeJpegVariableQuality",
                "EncodePng",
                "ExtractGlimpse",
                "ExtractGlimpseV2",
                "ExtractJpegShape",
                "HSVToRGB",
                "ImageProjectiveTransformV2",
                "ImageProjectiveTransformV3",
                "NonMaxSuppression",
                "NonMaxSuppressionV2",
                "NonMaxSuppressionV3",
                "NonMaxSuppressionV4",
                "NonMaxSuppressionV5",
                "NonMaxSuppressionWithOverlaps",
                "RGBToHSV",
                "ResizeArea",
                "ResizeBicubic",
                "ResizeBicubicGrad",
                "ResizeBilinear",
                "ResizeBilinearGrad",
                "ResizeNearestNeighbor",
                "ResizeNearestNeighborGrad",
                "ScaleAndTranslate",
                "ScaleAndTranslateGrad");
    }
}
