package dev.oxbow.ops;

import static dev.oxbow.tensor.ErrorCode.FAILED_PRECONDITION;
import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.ErrorCode.NOT_FOUND;
import static dev.oxbow.tensor.ErrorCode.PERMISSION_DENIED;
import static dev.oxbow.tensor.ErrorCode.RESOURCE_EXHAUSTED;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.tensor.Counts;
import dev.oxbow.tensor.ErrorCode;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/** Small integer inputs of ops, read and checked: axes, sizes, permutations. */
public final class Arguments {
    private static final String LOCAL_FILE = "file://";
    private static final int LONGEST_FILE =
            (int) Math.min(Integer.MAX_VALUE - 8, Runtime.getRuntime().maxMemory() / 4);

    private Arguments() {}

    /** The elements of an integer tensor. */
    public static long[] longs(Tensor t) {
        long[] v = new long[Counts.toInt(t.size())];
        for (int i = 0; i < v.length; i++) v[i] = t.getLong(i);
        return v;
    }

    /** The path that a file's name spells, with or without TensorFlow's word for local files before it. */
    public static Path path(String name) {
        try {
            return Path.of(name.startsWith(LOCAL_FILE) ? name.substring(LOCAL_FILE.length()) : name);
        } catch (InvalidPathException e) {
            throw new OxbowException(INVALID_ARGUMENT, "'" + name + "' is not the name of a file: " + e.getReason(), e);
        }
    }

    /** The contents of a file, within a quarter of the heap: some files have no end. */
    public static byte[] contents(String name) {
        try (InputStream in = Files.newInputStream(path(name))) {
            byte[] all = in.readNBytes(LONGEST_FILE);
            require(
                    all.length < LONGEST_FILE,
                    RESOURCE_EXHAUSTED,
                    "%s has more than %,d bytes, a quarter of the Java heap",
                    name,
                    LONGEST_FILE);
            return all;
        } catch (IOException e) {
            throw failed(name, e);
        }
    }

    /** What went wrong with a file. */
    public static OxbowException failed(String file, IOException e) {
        if (e instanceof NoSuchFileException)
            return new OxbowException(NOT_FOUND, file + "; No such file or directory", e);
        ErrorCode code = e instanceof AccessDeniedException ? PERMISSION_DENIED : FAILED_PRECONDITION;
        return new OxbowException(code, file + "; " + e.getMessage(), e);
    }

    /** The axis in [0, rank) that {@code axis} in [-rank, rank) names. */
    public static int axis(long axis, int rank) {
        require(
                axis >= -rank && axis < rank,
                INVALID_ARGUMENT,
                "Expected axis in the range [%d, %d), but got %d",
                -rank,
                rank,
                axis);
        return (int) (axis < 0 ? axis + rank : axis);
    }

    /** Checks that an input is a scalar as far as known. */
    public static void scalar(String name, Shape s) {
        require(s.rank() <= 0, INVALID_ARGUMENT, "%s must be a scalar, got shape %s", name, s);
    }

    /** Checks the rank of an input as far as known. */
    public static void rank(String name, Shape s, int rank) {
        require(
                s.rank() < 0 || s.rank() == rank,
                INVALID_ARGUMENT,
                "%s must have rank %d, got shape %s",
                name,
                rank,
                s);
    }

    /** Checks that an input has at least this rank as far as known. */
    public static void atLeast(String name, Shape s, int rank) {
        require(
                s.rank() < 0 || s.rank() >= rank,
                INVALID_ARGUMENT,
                "%s must be at least %d-dim, got shape %s",
                name,
                rank,
                s);
    }

    /** What both shapes say together; an error when they contradict each other. */
    public static Shape merge(Shape a, Shape b) {
        Shape s = a.merge(b);
        require(s != null, INVALID_ARGUMENT, "Shapes must be equal: %s vs. %s", a, b);
        return s;
    }
}
