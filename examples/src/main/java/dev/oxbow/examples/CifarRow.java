package dev.oxbow.examples;

import dev.oxbow.data.pipeline.Draw;
import dev.oxbow.data.pipeline.Row;
import dev.oxbow.data.pipeline.RowMapper;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import java.util.List;
import java.util.Optional;

/**
 * An image of CIFAR-10 and its class, straight into a batch.
 *
 * @param rows all images, as the files have them: a class, then a plane for each colour
 * @param random whether it is moved by up to four pixels and mirrored, as one learns from it
 */
record CifarRow(byte[] rows, boolean random) implements RowMapper<Long> {
    static final int SIDE = 32, BYTES = 1 + 3 * SIDE * SIDE;
    private static final int SHIFT = 4;

    @Override
    public Optional<List<Row.Column>> columns() {
        Row.Column image = new Row.Column(DType.F32, Shape.of(SIDE, SIDE, 3));
        return Optional.of(List.of(image, new Row.Column(DType.I32, Shape.SCALAR)));
    }

    @Override
    public void write(Long example, Draw draw, Row row) {
        int from = Math.toIntExact(example * BYTES);
        int down = random ? draw.below(2 * SHIFT + 1) - SHIFT : 0,
                right = random ? draw.below(2 * SHIFT + 1) - SHIFT : 0;
        boolean mirrored = random && draw.coin();
        float[] image = new float[3 * SIDE * SIDE]; // what comes from outside is the mean
        for (int y = Math.max(0, -down); y < Math.min(SIDE, SIDE - down); y++)
            for (int x = Math.max(0, -right); x < Math.min(SIDE, SIDE - right); x++)
                for (int c = 0; c < 3; c++) {
                    int at = from + 1 + (c * SIDE + y + down) * SIDE + x + right;
                    image[(y * SIDE + (mirrored ? SIDE - 1 - x : x)) * 3 + c] = ((rows[at] & 0xff) - 120f) / 64;
                }
        row.setFloats(0, image);
        row.setInt(1, 0, rows[from]);
    }
}
