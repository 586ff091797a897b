package dev.oxbow.data.source;

import java.io.IOException;
import java.io.InputStream;
import java.util.List;

/** Where files are: the local file system, or whatever somebody puts behind these three methods. */
public interface FileStore {

    /** The files that match a pattern with {@code *}, {@code ?} and {@code []}, sorted by name; none is no error. */
    List<String> list(String pattern) throws IOException;

    /** How many bytes a file has. */
    long size(String file) throws IOException;

    /** The bytes of a file from an offset on. */
    InputStream open(String file, long offset) throws IOException;

    /** The files of this machine. */
    static FileStore local() {
        return LocalFiles.ALL;
    }
}
