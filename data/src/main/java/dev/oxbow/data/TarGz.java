package dev.oxbow.data;

import static dev.oxbow.tensor.ErrorCode.DATA_LOSS;
import static dev.oxbow.tensor.ErrorCode.FAILED_PRECONDITION;
import static dev.oxbow.tensor.ErrorCode.NOT_FOUND;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.tensor.OxbowException;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.GZIPInputStream;

/** Files inside of a gzipped tar archive (ustar): headers of 512 bytes, each before its file, which is padded to 512. */
public final class TarGz {
    private static final int BLOCK = 512, SIZE_AT = 124, SIZE_LENGTH = 12, NAME_LENGTH = 100;

    private TarGz() {}

    /** The bytes of all files whose names match as a whole, one after the other in the order of their names. */
    public static byte[] read(Path archive, String names) {
        Map<String, byte[]> found = new TreeMap<>();
        try (InputStream in = new GZIPInputStream(new BufferedInputStream(Files.newInputStream(archive)), 1 << 16)) {
            for (byte[] header = in.readNBytes(BLOCK);
                    header.length == BLOCK && header[0] != 0;
                    header = in.readNBytes(BLOCK)) {
                String name = text(header, 0, NAME_LENGTH);
                long size = size(archive, text(header, SIZE_AT, SIZE_LENGTH)), padding = -size & BLOCK - 1;
                if (name.matches(names)) {
                    byte[] content = in.readNBytes(Math.toIntExact(size));
                    if (content.length < size) throw new EOFException();
                    found.put(name, content);
                } else {
                    in.skipNBytes(size);
                }
                in.skipNBytes(padding);
            }
        } catch (NoSuchFileException e) {
            throw new OxbowException(NOT_FOUND, "tar: there is no file " + archive, e);
        } catch (EOFException e) {
            throw new OxbowException(DATA_LOSS, "tar: " + archive + " ends inside of a file", e);
        } catch (IOException | ArithmeticException e) {
            throw new OxbowException(FAILED_PRECONDITION, "tar: can not read " + archive + ": " + e, e);
        }
        require(!found.isEmpty(), NOT_FOUND, "tar: %s has no file '%s'", archive, names);
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        found.values().forEach(all::writeBytes);
        return all.toByteArray();
    }

    private static String text(byte[] header, int at, int length) {
        int end = at;
        while (end < at + length && header[end] != 0) end++;
        return new String(header, at, end - at, StandardCharsets.UTF_8).strip();
    }

    private static long size(Path archive, String octal) {
        require(octal.matches("[0-7]{1,11}"), DATA_LOSS, "tar: %s has a file of size '%s'", archive, octal);
        return Long.parseLong(octal, 8);
    }
}
