package dev.oxbow.wire;

import static dev.oxbow.tensor.ErrorCode.ABORTED;
import static dev.oxbow.tensor.OxbowException.require;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;

/** What tells a file from another that took its name later. */
record FileLife(Object key, FileTime written) {

    /** That of the file which has the name now, or null where there is none. */
    static FileLife of(Path file) throws IOException {
        try {
            BasicFileAttributes a = Files.readAttributes(file, BasicFileAttributes.class);
            return new FileLife(a.fileKey(), a.lastModifiedTime());
        } catch (NoSuchFileException _) {
            return null;
        }
    }

    /** Refuses a file that is not the one it was, in words of {@code what} it belongs to. */
    static void requireSame(FileLife before, Path file, String what) throws IOException {
        require(
                before != null && before.equals(of(file)),
                ABORTED,
                "%s: it was written anew or removed while it was read",
                what);
    }
}
