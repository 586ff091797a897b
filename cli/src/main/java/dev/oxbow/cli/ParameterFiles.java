package dev.oxbow.cli;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Parameter;
import dev.oxbow.tensor.Tensor;
import dev.oxbow.wire.Npy;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Parameters as lines of norms and digests, and as files that NumPy reads. */
final class ParameterFiles {
    private ParameterFiles() {}

    /** One line for each tensor: its name, type, Euclidean norm and the SHA-256 of its bytes. */
    static void print(PrintWriter out, List<String> names, List<Tensor> values) {
        for (int i = 0; i < values.size(); i++) {
            Tensor t = values.get(i);
            out.printf("%-12s %-14s norm %-12.7g sha256 %s%n", names.get(i), t.describe(), norm(t, null), sha256(t));
        }
    }

    /** All tensors in one npz file. */
    static void save(Path file, List<String> names, List<Tensor> values) {
        Map<String, Tensor> byName = new LinkedHashMap<>();
        for (int i = 0; i < values.size(); i++) byName.put(names.get(i), values.get(i));
        Npy.writeNpz(file, byName);
    }

    /** Fails unless an npz file has all parameters of a model. */
    static void check(Path file, List<Parameter> parameters) {
        Map<String, Tensor> saved = Npy.readNpz(file);
        for (Parameter p : parameters) {
            TensorType wanted = p.value().edge().type();
            Tensor found = saved.get(p.name());
            require(
                    found != null
                            && found.dtype() == wanted.dtype()
                            && wanted.shape().equals(found.shape()),
                    INVALID_ARGUMENT,
                    "train: --compare: %s has %s, wanted %s %s",
                    file,
                    found == null ? "no such parameter" : found,
                    p.name(),
                    wanted);
        }
        saved.values().forEach(Tensor::close);
    }

    /** The largest distance of a tensor to the one of the same name in an npz file, as a share of that one's norm. */
    static double distance(Path file, List<String> names, List<Tensor> values) {
        Map<String, Tensor> saved = Npy.readNpz(file);
        double largest = 0;
        for (int i = 0; i < values.size(); i++) {
            Tensor t = values.get(i), other = saved.get(names.get(i));
            require(
                    other != null && other.shape().equals(t.shape()),
                    INVALID_ARGUMENT,
                    "train: %s has not %s %s, only %s",
                    file,
                    names.get(i),
                    t.describe(),
                    saved);
            largest = Math.max(largest, norm(t, other) / Math.max(norm(other, null), Double.MIN_NORMAL));
        }
        saved.values().forEach(Tensor::close);
        return largest;
    }

    /** The norm of a tensor, or of its difference to another. */
    static double norm(Tensor t, Tensor other) {
        double sum = 0;
        for (long i = 0; i < t.size(); i++) {
            double d = t.getDouble(i) - (other == null ? 0 : other.getDouble(i));
            sum += d * d;
        }
        return Math.sqrt(sum);
    }

    static String sha256(Tensor t) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(t.bytes()));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
