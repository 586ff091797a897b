package dev.oxbow.data.source;

import static dev.oxbow.tensor.ErrorCode.FAILED_PRECONDITION;
import static dev.oxbow.tensor.ErrorCode.NOT_FOUND;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.tensor.OxbowException;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;

/** Where files are: the local file system, or whatever somebody puts behind these three methods. */
public interface FileStore {

    /** The files that match a pattern with {@code *}, {@code ?} and {@code []}, sorted by name; none is no error. */
    List<String> list(String pattern) throws IOException;

    /** How many bytes a file has. */
    long size(String file) throws IOException;

    /** The bytes of a file from an offset on; whoever reads takes many at a time, so a buffer would only copy them once more. */
    InputStream open(String file, long offset) throws IOException;

    /** The files of all patterns for a reader, in the order of the patterns and sorted in each; a pattern without a file is an error. */
    default List<String> files(String reader, List<String> patterns) {
        List<String> all = new ArrayList<>();
        for (String p : patterns) {
            try {
                List<String> some = list(p);
                require(!some.isEmpty(), NOT_FOUND, "%s: there is no file '%s'", reader, p);
                all.addAll(some);
            } catch (IOException e) {
                throw new OxbowException(FAILED_PRECONDITION, "%s: can not list '%s': %s".formatted(reader, p, e), e);
            }
        }
        return all;
    }

    /** The files of this machine. */
    static FileStore local() {
        return LocalFiles.ALL;
    }
}
