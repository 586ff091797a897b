package dev.oxbow.testing.samples;

import static dev.oxbow.tensor.DType.F16;
import static dev.oxbow.tensor.DType.F32;
import static dev.oxbow.tensor.DType.F64;
import static dev.oxbow.tensor.DType.I32;
import static dev.oxbow.tensor.DType.U8;

import dev.oxbow.graph.Op;
import dev.oxbow.ops.image.AdjustContrastv2;
import dev.oxbow.ops.image.AdjustHue;
import dev.oxbow.ops.image.AdjustSaturation;
import dev.oxbow.ops.image.CropAndResize;
import dev.oxbow.ops.image.CropAndResizeGradBoxes;
import dev.oxbow.ops.image.CropAndResizeGradImage;
import dev.oxbow.ops.image.DrawBoundingBoxes;
import dev.oxbow.ops.image.DrawBoundingBoxesV2;
import dev.oxbow.ops.image.ExtractGlimpse;
import dev.oxbow.ops.image.ExtractGlimpseV2;
import dev.oxbow.ops.image.HSVToRGB;
import dev.oxbow.ops.image.NonMaxSuppression;
import dev.oxbow.ops.image.NonMaxSuppressionV2;
import dev.oxbow.ops.image.NonMaxSuppressionV3;
import dev.oxbow.ops.image.NonMaxSuppressionV4;
import dev.oxbow.ops.image.NonMaxSuppressionV5;
import dev.oxbow.ops.image.NonMaxSuppressionWithOverlaps;
import dev.oxbow.ops.image.RGBToHSV;
import dev.oxbow.ops.image.ResizeArea;
import dev.oxbow.ops.image.ResizeBicubic;
import dev.oxbow.ops.image.ResizeBicubicGrad;
import dev.oxbow.ops.image.ResizeBilinear;
import dev.oxbow.ops.image.ResizeBilinearGrad;
import dev.oxbow.ops.image.ResizeNearestNeighbor;
import dev.oxbow.ops.image.ResizeNearestNeighborGrad;
import dev.oxbow.ops.image.ScaleAndTranslate;
import dev.oxbow.ops.image.ScaleAndTranslateGrad;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.List;
import java.util.function.Consumer;

/** Samples of image ops. */
public final class ImageSamples extends SampleFamily {

    @Override
    public String name() {
        return "image";
    }

    @Override
    protected void define() {
        new PictureSamples(this).define();
        resizes();
        projections();
        combined();
        scalings();
        crops();
        colours();
        suppressions();
        frames();
    }

    void one(Op op, Tensor... inputs) {
        sample(op, inputs);
    }

    void add(String op, Consumer<Program> build) {
        program(op, build);
    }

    private void projections() {
        Tensor turned = Tensor.of(Shape.of(1, 8), 0.9f, -0.3f, 1.2f, 0.35f, 1.1f, -0.8f, 0.01f, -0.02f);
        Tensor both =
                Tensor.of(Shape.of(2, 8), 1f, 0f, -5.5f, 0f, 1f, 7.25f, 0f, 0f, 0.5f, 0.1f, 0f, 0f, 2f, -3f, 0f, 0.1f);
        Tensor size = ints(4, 5);
        for (String interpolation : List.of("NEAREST", "BILINEAR")) {
            for (String fill : List.of("CONSTANT", "REFLECT", "WRAP", "NEAREST")) {
                var v2 = named("ImageProjectiveTransformV2", "interpolation", interpolation, "fill_mode", fill);
                var v3 = named("ImageProjectiveTransformV3", "interpolation", interpolation, "fill_mode", fill);
                sampleWithoutGradient(v2, floats(81, 2, 3, 4, 2), turned, size);
                sampleWithoutGradient(v2, random(DType.U8, 0, 255, 82, 2, 3, 4, 1), both, size);
                sampleWithoutGradient(v3, floats(83, 2, 5, 3, 1), both, size, Tensor.scalar(0.75f));
                sampleWithoutGradient(v3, doubles(84, 1, 1, 1, 3), turned, size, Tensor.scalar(-2f));
            }
        }
    }

    private void combined() {
        for (boolean pads : new boolean[] {false, true}) {
            for (boolean clips : new boolean[] {false, true}) {
                var op = named("CombinedNonMaxSuppression", "pad_per_class", pads, "clip_boxes", clips);
                for (int kinds : new int[] {1, 3})
                    sampleWithoutGradient(
                            op,
                            random(F32, -0.2, 1.3, 87 + kinds, 2, 8, kinds, 4),
                            random(F32, 0, 1, 88 + kinds, 2, 8, 3),
                            scalar(2),
                            scalar(7),
                            Tensor.scalar(0.3f),
                            Tensor.scalar(0.2f));
            }
        }
    }

    private void resizes() {
        for (int mode = 0; mode < 3; mode++) {
            boolean align = mode == 1, half = mode == 2;
            for (int[] size : new int[][] {{5, 3}, {2, 2}, {1, 1}, {3, 4}}) {
                sample(new ResizeBilinear(align, half), floats(1, 2, 3, 4, 1), ints(size));
                sample(new ResizeBicubic(align, half), floats(2, 1, 3, 4, 2), ints(size));
                sample(new ResizeNearestNeighbor(align, half), floats(3, 2, 3, 4, 1), ints(size));
                Tensor dy = floats(4, 1, size[0], size[1], 2), x = floats(5, 1, 3, 4, 2);
                samplePart(new ResizeBilinearGrad(align, half), new int[] {0}, new int[] {0}, dy, x);
                sampleWithoutGradient(new ResizeBicubicGrad(align, half), dy, x);
                sample(new ResizeNearestNeighborGrad(align, half), dy, ints(3, 4));
                if (!half) sample(new ResizeArea(align), floats(6, 1, 3, 4, 2), ints(size));
            }
            sample(new ResizeBilinear(align, half), random(U8, 0, 255, 7, 1, 2, 3, 1), ints(3, 2));
            sampleWithoutGradient(new ResizeBilinear(align, half), random(F16, 0, 255, 7, 1, 2, 3, 1), ints(3, 2));
            sample(new ResizeBicubic(align, half), random(I32, 0, 255, 8, 1, 2, 3, 1), ints(3, 2));
            sample(new ResizeNearestNeighbor(align, half), random(U8, 0, 255, 9, 1, 2, 3, 1), ints(3, 2));
        }
        sample(new ResizeArea(false), random(U8, 0, 255, 10, 1, 5, 7, 1), ints(2, 3));
        sample(new ResizeArea(true), random(F64, 0, 5, 10, 1, 5, 7, 1), ints(2, 3));
        sampleWithoutGradient(new ResizeBilinear(false, false), floats(1, 2, 3, 4, 1), ints(0, 2));
        sample(new ResizeBilinear(false, false), floats(1, 0, 3, 4, 1), ints(2, 2));
    }

    private void scalings() {
        for (String kernel : new String[] {
            "lanczos1", "lanczos3", "lanczos5", "gaussian", "box", "triangle", "keyscubic", "mitchellcubic"
        }) {
            for (boolean antialias : new boolean[] {false, true}) {
                Tensor scale = Tensor.of(Shape.of(2), 0.6f, 1.7f), move = Tensor.of(Shape.of(2), 0.3f, -0.4f);
                samplePart(
                        new ScaleAndTranslate(kernel, antialias),
                        new int[] {0},
                        new int[] {0},
                        floats(20, 1, 5, 4, 2),
                        ints(3, 6),
                        scale,
                        move);
                sampleWithoutGradient(
                        new ScaleAndTranslateGrad(kernel, antialias),
                        floats(21, 1, 3, 6, 2),
                        floats(20, 1, 5, 4, 2),
                        scale,
                        move);
            }
        }
    }

    private void crops() {
        Tensor boxes =
                Tensor.of(Shape.of(3, 4), 0.1f, 0.2f, 0.7f, 0.9f, 0.8f, 0.9f, 0.15f, 0.05f, -0.2f, 0.31f, 1.1f, 0.6f);
        Tensor indices = ints(1, 0, 1);
        for (String method : new String[] {"bilinear", "nearest"}) {
            for (int[] size : new int[][] {{3, 2}, {1, 4}, {1, 1}}) {
                boolean smooth = method.equals("bilinear");
                samplePart(
                        new CropAndResize(method, 0.5f),
                        smooth ? new int[] {0, 1} : new int[] {0},
                        new int[] {0},
                        floats(30, 2, 4, 5, 1),
                        boxes,
                        indices,
                        ints(size));
                sampleWithoutGradient(
                        new CropAndResizeGradImage(F32, method),
                        floats(31, 3, size[0], size[1], 1),
                        boxes,
                        indices,
                        ints(2, 4, 5, 1));
            }
        }
        sampleWithoutGradient(
                new CropAndResizeGradImage(F64, "bilinear"), floats(31, 3, 2, 2, 1), boxes, indices, ints(2, 4, 5, 1));
        sampleWithoutGradient(
                new CropAndResizeGradBoxes("bilinear"), floats(32, 3, 3, 2, 2), floats(33, 2, 4, 5, 2), boxes, indices);
        sampleWithoutGradient(
                new CropAndResizeGradBoxes("bilinear"), floats(32, 3, 1, 1, 2), floats(33, 2, 4, 5, 2), boxes, indices);
        sampleWithoutGradient(
                new CropAndResize("bilinear", 0), random(U8, 0, 255, 34, 2, 3, 3, 1), boxes, indices, ints(2, 2));
        sampleWithoutGradient(
                new CropAndResize("bilinear", 0), floats(35, 1, 3, 3, 1), boxes, ints(0, 1, 0), ints(2, 2));
    }

    private void colours() {
        for (int i = 0; i < 3; i++) {
            Tensor rgb = random(F32, 0, 1, 40 + i, 4, 3);
            sampleWithoutGradient(new RGBToHSV(), rgb);
            sampleWithoutGradient(new HSVToRGB(), rgb);
        }
        sample(new RGBToHSV(), random(F64, 0, 1, 43, 2, 2, 3));
        sample(new RGBToHSV(), random(F64, 0, 1, 46, 20, 3));
        sampleWithoutGradient(new RGBToHSV(), Tensor.of(Shape.of(3, 3), 0f, 0f, 0f, 0.5f, 0.5f, 0.5f, 1f, 0f, 1f));
        sampleWithoutGradient(new HSVToRGB(), random(F64, 0, 1, 44, 0, 3));
        for (float delta : new float[] {-0.7f, 0, 0.3f, 1.2f}) {
            sampleWithoutGradient(new AdjustHue(), random(F32, 0, 1, 45, 2, 3, 3), Tensor.scalar(delta));
            sampleWithoutGradient(
                    new AdjustSaturation(), random(F32, 0, 1, 46, 2, 2, 3, 3), Tensor.scalar(delta + 0.8f));
            sampleWithoutGradient(new AdjustContrastv2(), random(F32, 0, 1, 47, 2, 2, 3, 2), Tensor.scalar(delta));
        }
    }

    private void suppressions() {
        Tensor boxes = random(F32, 0, 1, 50, 8, 4), scores = random(F32, 0, 1, 51, 8);
        Tensor half = Tensor.scalar(0.5f), low = Tensor.scalar(0.2f);
        for (int most : new int[] {0, 3, 20}) {
            sampleWithoutGradient(new NonMaxSuppression(0.3f), boxes, scores, scalar(most));
            sampleWithoutGradient(new NonMaxSuppressionV2(), boxes, scores, scalar(most), half);
            sampleWithoutGradient(new NonMaxSuppressionV3(), boxes, scores, scalar(most), low, half);
            for (boolean padded : new boolean[] {false, true}) {
                sampleWithoutGradient(new NonMaxSuppressionV4(padded), boxes, scores, scalar(most), low, low);
                for (float sigma : new float[] {0, 0.4f})
                    sampleWithoutGradient(
                            new NonMaxSuppressionV5(padded),
                            boxes,
                            scores,
                            scalar(most),
                            half,
                            low,
                            Tensor.scalar(sigma));
            }
            sampleWithoutGradient(
                    new NonMaxSuppressionWithOverlaps(), random(F32, 0, 1, 52, 8, 8), scores, scalar(most), half, low);
        }
        sampleWithoutGradient(new NonMaxSuppressionV2(), boxes, scores, scalar(3), Tensor.scalar(1.5f));
        sampleWithoutGradient(new NonMaxSuppressionV2(), floats(1, 0, 4), floats(2, 0), scalar(3), half);
    }

    private void frames() {
        Tensor boxes =
                Tensor.of(Shape.of(1, 3, 4), 0.1f, 0.2f, 0.7f, 0.9f, -0.2f, 0.3f, 1.2f, 0.6f, 0.6f, 0.5f, 0.4f, 0.9f);
        for (int depth : new int[] {1, 3, 4}) {
            sampleWithoutGradient(new DrawBoundingBoxes(), random(F32, 0, 1, 60, 1, 5, 4, depth), boxes);
            sampleWithoutGradient(
                    new DrawBoundingBoxesV2(),
                    random(F32, 0, 1, 61, 1, 5, 4, depth),
                    boxes,
                    random(F32, 0, 1, 62, 2, 4));
        }
        sampleWithoutGradient(
                new DrawBoundingBoxesV2(), random(F32, 0, 1, 63, 1, 5, 4, 3), boxes, random(F32, 0, 1, 64, 0, 4));
        Tensor offsets = Tensor.of(Shape.of(2, 2), 0.1f, -0.2f, 0.3f, 0.0f);
        for (boolean normalized : new boolean[] {false, true}) {
            sampleWithoutGradient(
                    new ExtractGlimpse(true, normalized, false, "zero"), floats(65, 2, 6, 5, 1), ints(3, 2), offsets);
            sampleWithoutGradient(
                    new ExtractGlimpseV2(true, normalized, false, "zero"), floats(66, 2, 6, 5, 1), ints(2, 3), offsets);
        }
        sampleWithoutGradient(
                new ExtractGlimpseV2(false, true, false, "zero"), floats(67, 2, 6, 5, 1), ints(4, 4), offsets);
    }
}
