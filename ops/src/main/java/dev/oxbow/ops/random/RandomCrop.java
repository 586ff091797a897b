package dev.oxbow.ops.random;

import static dev.oxbow.tensor.ErrorCode.FAILED_PRECONDITION;
import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.move.Slice;
import dev.oxbow.kernels.random.Samples;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.ops.Stateful.Drawing;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.List;

/** A random part of an image {@code [height, width, depth]} of the given height and width. */
@Signature(
        "RandomCrop(image: T, size: int64) -> (output: T) {T: type in [UINT8 INT8 INT16 INT32 INT64 FLOAT DOUBLE]; seed: int = 0; seed2: int = 0} stateful")
public record RandomCrop(long seed, long seed2) implements NotDifferentiable, Drawing {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        Shape image = c.shape(0);
        require(
                image.rank() == 3 || !image.isRankKnown(),
                INVALID_ARGUMENT,
                "image must be 3-dimensional, got %s",
                image);
        long[] size = c.longs(1);
        require(size == null || size.length == 2, INVALID_ARGUMENT, "shape_t must have two elements: %s", c.shape(1));
        long h = size == null ? -1 : size[0], w = size == null ? -1 : size[1];
        require(
                size == null || (image.dim(0) < 0 || h <= image.dim(0)) && (image.dim(1) < 0 || w <= image.dim(1)),
                FAILED_PRECONDITION,
                "height and width must be at least target_height and target_width: image %s, target %d x %d",
                image,
                h,
                w);
        return List.of(c.input(0).withShape(Shape.of(h, w, image.dim(2))));
    }

    @Override
    public Kernel cpu() {
        return c -> {
            Tensor x = c.input(0), y = c.output(0);
            Samples samples = new Samples(Randoms.state(c, seed, seed2).reserve(1));
            long[] begin = new long[3];
            for (int d = 0; d < 2; d++) {
                long room = x.shape().dim(d) - y.shape().dim(d);
                if (room > 0) begin[d] = Integer.toUnsignedLong(samples.next()) % (room + 1);
            }
            Slice.read(x, begin, y.shape().dims(), y, c.parallel());
        };
    }
}
