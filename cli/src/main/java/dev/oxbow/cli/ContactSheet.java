package dev.oxbow.cli;

import static dev.oxbow.tensor.ErrorCode.FAILED_PRECONDITION;
import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.data.image.Augment;
import dev.oxbow.data.image.Filter;
import dev.oxbow.data.image.ImageLayout;
import dev.oxbow.data.pipeline.Draw;
import dev.oxbow.data.pipeline.Feed;
import dev.oxbow.data.source.ImageFolder;
import dev.oxbow.kernels.codec.Picture;
import dev.oxbow.kernels.codec.PngEncoder;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Tensor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/** Small images side by side in one picture: eight in a row, 64 at most. */
final class ContactSheet {
    private static final int ACROSS = 8, MOST = 64, SIDE = 96, GAP = 4;

    private final int side;
    private final int rows;
    private final byte[] samples;

    private ContactSheet(int images, int side) {
        this.side = side;
        rows = (images + ACROSS - 1) / ACROSS;
        samples = new byte[3 * width() * rows * (side + GAP)];
        Arrays.fill(samples, (byte) 255);
    }

    private int width() {
        return ACROSS * (side + GAP);
    }

    /** The first images of a folder, evenly taken from all of it. */
    static ContactSheet ofFolder(ImageFolder folder) {
        int all = folder.entries().size(), n = Math.min(all, MOST), next = 0;
        ContactSheet sheet = new ContactSheet(n, SIDE);
        Augment small =
                Augment.to(SIDE, SIDE).centreCrop(1).resize(Filter.BILINEAR).as(ImageLayout.HWC, DType.U8);
        try (Feed<ImageFolder.Image> images = folder.images()
                .shard(0, Math.max(1, all / n))
                .take(n)
                .threads(0)
                .open()) {
            while (images.hasNext())
                try (Tensor t = small.apply(images.next().content(), new Draw(0, 0, 0))) {
                    sheet.put(next++, t.bytes(), 3);
                }
        }
        return sheet;
    }

    /** The first images of a tensor of bytes: number, rows, columns. */
    static ContactSheet of(Tensor images) {
        require(
                images.dtype() == DType.U8
                        && images.shape().rank() == 3
                        && images.shape().dim(1) == images.shape().dim(2),
                INVALID_ARGUMENT,
                "data show: a contact sheet is made of square images in u8, got %s",
                images.describe());
        int n = (int) Math.min(MOST, images.shape().dim(0)),
                side = (int) images.shape().dim(1);
        ContactSheet sheet = new ContactSheet(n, side);
        try (Tensor first = images.rows(0, n)) {
            byte[] all = first.bytes();
            for (int i = 0; i < n; i++)
                sheet.put(i, Arrays.copyOfRange(all, i * side * side, (i + 1) * side * side), 1);
        }
        return sheet;
    }

    private void put(int place, byte[] image, int channels) {
        int left = place % ACROSS * (side + GAP), top = place / ACROSS * (side + GAP);
        for (int y = 0; y < side; y++)
            for (int i = 0; i < 3 * side; i++)
                samples[3 * ((top + y) * width() + left) + i] =
                        image[channels == 3 ? 3 * y * side + i : y * side + i / 3];
    }

    void write(Path file) {
        byte[] png = PngEncoder.encode(new Picture(width(), rows * (side + GAP), 3, samples), false, 6);
        try {
            Files.write(file, png);
        } catch (IOException e) {
            throw new OxbowException(FAILED_PRECONDITION, "data show: can not write %s: %s".formatted(file, e), e);
        }
    }
}
