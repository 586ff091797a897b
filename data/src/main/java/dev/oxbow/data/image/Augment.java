package dev.oxbow.data.image;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.data.memory.RowPlaces;
import dev.oxbow.data.pipeline.Draw;
import dev.oxbow.data.pipeline.Row;
import dev.oxbow.data.pipeline.RowMapper;
import dev.oxbow.data.source.ImageFolder;
import dev.oxbow.data.source.Record;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.List;
import java.util.Optional;

/**
 * What becomes of an image on its way from a file to a tensor of one size.
 *
 * @param crop which part of the image is taken
 * @param flips how probable it is that left and right change places
 * @param colours how much brightness, contrast and saturation may change
 * @param degrees how far the image may turn, to either side
 * @param hole the side of a square that is set to the mean, somewhere; 0 for none
 * @param mean of each channel, and {@code deviation}: {@code y = (x - mean) / deviation}
 */
public record Augment(
        int height,
        int width,
        Crop crop,
        Filter filter,
        double flips,
        Colours colours,
        double degrees,
        int hole,
        Output output)
        implements RowMapper<ImageFolder.Image> {

    /** Values of pixels as they leave: normalised, in a layout and a dtype. */
    public record Output(List<Float> mean, List<Float> deviation, ImageLayout layout, DType dtype) {
        public Output {
            mean = List.copyOf(mean);
            deviation = List.copyOf(deviation);
            require(
                    mean.size() == 3 && deviation.size() == 3 && !deviation.contains(0f),
                    INVALID_ARGUMENT,
                    "augment: wants three means and three deviations that are not 0, got %s and %s",
                    mean,
                    deviation);
            require(
                    dtype == DType.F32 || dtype == DType.F16 || dtype == DType.BF16 || dtype == DType.U8,
                    INVALID_ARGUMENT,
                    "augment: images can be f32, f16, bf16 and u8, not %s",
                    dtype);
        }
    }

    /** By how much a factor may differ from 1, for each of three changes; 0 for none. */
    public record Colours(double brightness, double contrast, double saturation) {
        public static final Colours NONE = new Colours(0, 0, 0);

        boolean isNone() {
            return equals(NONE);
        }
    }

    public Augment {
        require(
                height > 0 && width > 0 && (long) height * width < 1 << 28,
                INVALID_ARGUMENT,
                "augment: can not make images of %d x %d",
                height,
                width);
        require(flips >= 0 && flips <= 1, INVALID_ARGUMENT, "augment: a probability must be in [0, 1], got %s", flips);
        require(hole >= 0, INVALID_ARGUMENT, "augment: a hole can not have %d pixels", hole);
    }

    /** The whole image in a size, bilinear, as f32 from 0 to 255 in rows, columns, channels. */
    public static Augment to(int height, int width) {
        Output plain = new Output(List.of(0f, 0f, 0f), List.of(1f, 1f, 1f), ImageLayout.HWC, DType.F32);
        return new Augment(height, width, Crop.WHOLE, Filter.BILINEAR, 0, Colours.NONE, 0, 0, plain);
    }

    /** A random part of the image: of an area between two shares of it, of a shape between two ratios of width to height. */
    public Augment randomCrop(double least, double most, double narrow, double broad) {
        return with(new Crop.Random(least, most, narrow, broad));
    }

    /** The middle of the image, a square or what has the form of the result, of a share of its shorter side. */
    public Augment centreCrop(double share) {
        return with(new Crop.Centre(share));
    }

    private Augment with(Crop c) {
        return new Augment(height, width, c, filter, flips, colours, degrees, hole, output);
    }

    public Augment resize(Filter f) {
        return new Augment(height, width, crop, f, flips, colours, degrees, hole, output);
    }

    public Augment flip(double probability) {
        return new Augment(height, width, crop, filter, probability, colours, degrees, hole, output);
    }

    /** Random brightness, contrast around mid grey, and saturation: each by a factor of up to 1 plus or minus this. */
    public Augment colour(double brightness, double contrast, double saturation) {
        Colours c = new Colours(brightness, contrast, saturation);
        return new Augment(height, width, crop, filter, flips, c, degrees, hole, output);
    }

    /** Turned by a random angle of up to so many degrees; what comes from outside is the border. */
    public Augment rotate(double most) {
        return new Augment(height, width, crop, filter, flips, colours, most, hole, output);
    }

    public Augment cutout(int side) {
        return new Augment(height, width, crop, filter, flips, colours, degrees, side, output);
    }

    public Augment normalise(List<Float> mean, List<Float> deviation) {
        return with(new Output(mean, deviation, output.layout, output.dtype));
    }

    public Augment as(ImageLayout layout, DType dtype) {
        return with(new Output(output.mean, output.deviation, layout, dtype));
    }

    private Augment with(Output o) {
        return new Augment(height, width, crop, filter, flips, colours, degrees, hole, o);
    }

    /** The shape of what it makes. */
    public Shape shape() {
        return output.layout == ImageLayout.HWC ? Shape.of(height, width, 3) : Shape.of(3, height, width);
    }

    @Override
    public Optional<List<Row.Column>> columns() {
        return Optional.of(List.of(new Row.Column(output.dtype, shape()), new Row.Column(DType.I32, Shape.SCALAR)));
    }

    /** An image of a folder and its class. */
    @Override
    public void write(ImageFolder.Image image, Draw draw, Row row) {
        RowPlaces places = RowPlaces.of(row);
        try {
            render(image.content().bytes(), draw, places.address(0));
        } catch (OxbowException e) {
            throw image.content().broken("%s", e.text());
        }
        Memory.putInt(places.address(1), image.label());
    }

    /** The image in a file's bytes. What is wrong with them is an error that names the file. */
    public Tensor apply(Record file, Draw draw) {
        try {
            return apply(file.bytes(), draw);
        } catch (OxbowException e) {
            throw file.broken("%s", e.text());
        }
    }

    /** The image in these bytes. */
    public Tensor apply(byte[] file, Draw draw) {
        Tensor out = Tensor.allocate(output.dtype, shape());
        try {
            render(file, draw, out.address());
            return out;
        } catch (RuntimeException e) {
            out.close();
            throw e;
        }
    }

    private void render(byte[] file, Draw draw, long address) {
        ImageBytes image = new ImageBytes(file);
        Crop.Window window = crop.window(image.width, image.height, this, draw);
        boolean flipped = draw.uniform() < flips;
        double angle = degrees == 0 ? 0 : Math.toRadians(draw.uniform(-degrees, degrees));
        float[] matrix = colours.isNone() ? null : Matrix.of(colours, draw);
        int ratio = degrees == 0 ? ImageBytes.ratio(window, width, height) : 1;
        try (Pixels pixels = image.decode(window, ratio)) {
            Rendering rendering = new Rendering(this, pixels, matrix, address);
            if (hole > 0) rendering.hole(draw.below(width + hole) - hole, draw.below(height + hole) - hole);
            if (angle == 0) rendering.straight(flipped);
            else rendering.turned(flipped, angle);
        }
    }
}
