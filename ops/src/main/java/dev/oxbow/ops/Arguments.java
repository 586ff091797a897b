package dev.oxbow.ops;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.tensor.Counts;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;

/** Small integer inputs of ops, read and checked: axes, sizes, permutations. */
public final class Arguments {
    private Arguments() {}

    /** The elements of an integer tensor. */
    public static long[] longs(Tensor t) {
        long[] v = new long[Counts.toInt(t.size())];
        for (int i = 0; i < v.length; i++) v[i] = t.getLong(i);
        return v;
    }

    /** The path that a file's name spells. */
    public static Path path(String name) {
        try {
            return Path.of(name);
        } catch (InvalidPathException e) {
            throw new OxbowException(INVALID_ARGUMENT, "'" + name + "' is not the name of a file: " + e.getReason(), e);
        }
    }

    /** The axis in [0, rank) that {@code axis} in [-rank, rank) names. */
    public static int axis(String op, long axis, int rank) {
        require(
                axis >= -rank && axis < rank,
                INVALID_ARGUMENT,
                "%s: axis must be in [%d, %d), got %d",
                op,
                -rank,
                rank,
                axis);
        return (int) (axis < 0 ? axis + rank : axis);
    }

    /** Checks that an input is a scalar as far as known. */
    public static void scalar(String op, String name, Shape s) {
        require(s.rank() <= 0, INVALID_ARGUMENT, "%s: %s must be a scalar, got shape %s", op, name, s);
    }

    /** Checks the rank of an input as far as known. */
    public static void rank(String op, String name, Shape s, int rank) {
        require(
                s.rank() < 0 || s.rank() == rank,
                INVALID_ARGUMENT,
                "%s: %s must have rank %d, got shape %s",
                op,
                name,
                rank,
                s);
    }

    /** Checks that an input has at least this rank as far as known. */
    public static void atLeast(String op, String name, Shape s, int rank) {
        require(
                s.rank() < 0 || s.rank() >= rank,
                INVALID_ARGUMENT,
                "%s: %s must have rank at least %d, got shape %s",
                op,
                name,
                rank,
                s);
    }

    /** What both shapes say together; an error when they contradict each other. */
    public static Shape merge(String op, Shape a, Shape b) {
        Shape s = a.merge(b);
        require(s != null, INVALID_ARGUMENT, "%s: Shapes must be equal: %s vs. %s", op, a, b);
        return s;
    }
}
