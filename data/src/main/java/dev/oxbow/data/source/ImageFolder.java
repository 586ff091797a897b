package dev.oxbow.data.source;

import static dev.oxbow.tensor.ErrorCode.FAILED_PRECONDITION;
import static dev.oxbow.tensor.ErrorCode.NOT_FOUND;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.data.pipeline.Pipeline;
import dev.oxbow.tensor.OxbowException;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;

/** Images in a folder for each class: {@code ROOT/CLASS/FILE}. Classes are numbered in the order of their names. */
public record ImageFolder(FileStore store, List<String> classes, List<Entry> entries) {
    private static final Set<String> ENDINGS = Set.of("jpg", "jpeg", "png", "gif", "bmp");

    /** An image that was not read yet. */
    public record Entry(String file, int label) {}

    /** An image as it lies in its file, and the number of its class. */
    public record Image(Record content, int label) {}

    public static ImageFolder of(String root) {
        return in(FileStore.local(), root);
    }

    public static ImageFolder in(FileStore store, String root) {
        List<String> files = new ArrayList<>();
        try {
            for (String f : store.list(LocalFiles.quoted(root) + "/*/*"))
                if (ENDINGS.contains(f.substring(f.lastIndexOf('.') + 1).toLowerCase(Locale.ROOT))) files.add(f);
        } catch (IOException e) {
            throw new OxbowException(FAILED_PRECONDITION, "images: can not list %s: %s".formatted(root, e), e);
        }
        require(!files.isEmpty(), NOT_FOUND, "images: there is no image like %s/CLASS/NAME.jpg", root);
        List<String> classes = List.copyOf(
                new TreeSet<>(files.stream().map(ImageFolder::folder).toList()));
        List<Entry> entries = new ArrayList<>();
        for (String f : files) entries.add(new Entry(f, classes.indexOf(folder(f))));
        return new ImageFolder(store, classes, List.copyOf(entries));
    }

    private static String folder(String file) {
        int slash = file.lastIndexOf('/');
        return file.substring(file.lastIndexOf('/', slash - 1) + 1, slash);
    }

    /** All images in the order of their files; each is read by whoever needs it. */
    public Pipeline<Image> images() {
        return Pipeline.of(entries).map("read", 0, (e, _) -> read(e));
    }

    private Image read(Entry e) {
        try (InputStream in = store.open(e.file, 0)) {
            return new Image(new Record(e.file, 0, in.readAllBytes()), e.label);
        } catch (IOException | RuntimeException failure) {
            throw new OxbowException(NOT_FOUND, "images: can not read %s: %s".formatted(e.file, failure), failure);
        }
    }
}
