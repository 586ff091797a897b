package dev.oxbow.ops.io;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.KernelContext;
import dev.oxbow.tensor.Tensor;
import java.nio.charset.StandardCharsets;

/** What ops on files share: names in string tensors, and errors of the file system. */
final class FileNames {
    private FileNames() {}

    static String text(Tensor t, long i) {
        return new String((byte[]) t.objects()[(int) i], StandardCharsets.UTF_8);
    }

    /** The one string of an input. */
    static String scalar(KernelContext c, int i, String what) {
        require(
                c.input(i).size() == 1,
                INVALID_ARGUMENT,
                "%s must be a single string, got %s",
                what,
                c.input(i).shape());
        return text(c.input(i), 0);
    }

    /** Checks names against slices, and both against the number of tensors. */
    static void checkNames(KernelContext c, int count) {
        Tensor names = c.input(1), slices = c.input(2);
        require(
                names.size() == count && slices.size() == count,
                INVALID_ARGUMENT,
                "there are %d tensors, %d names and %d slices",
                count,
                names.size(),
                slices.size());
    }
}
