package dev.oxbow.train.state;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.tensor.Tensor;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Which part of a checkpoint one of several processes writes. Those whose rank is beyond the others' write none.
 *
 * @param run what the processes of this run, and no others, have in common
 */
public record Share(String run, int rank, int ranks) {

    public Share {
        require(
                rank >= 0 && ranks > 0 && run.matches("[\\w-]+"),
                INVALID_ARGUMENT,
                "checkpoints: there is no rank %d of %d in run '%s'",
                rank,
                ranks,
                run);
    }

    /** All of it, by one process. */
    public static Share whole() {
        return new Share("p" + ProcessHandle.current().pid(), 0, 1);
    }

    boolean isNone() {
        return rank >= ranks;
    }

    /** The file of a rank. */
    String file(int of) {
        return ranks == 1 ? "state.safetensors" : "state-%05d-of-%05d.safetensors".formatted(of + 1, ranks);
    }

    /** The values that this rank writes: the largest ones are dealt out first, each to the rank that has least. */
    Map<String, Tensor> own(Map<String, Tensor> all) {
        if (ranks == 1) return all;
        List<String> names = all.keySet().stream()
                .sorted(Comparator.comparingLong((String n) -> -all.get(n).byteSize()))
                .toList();
        long[] bytes = new long[ranks];
        Map<String, Tensor> own = new LinkedHashMap<>();
        for (String name : names) {
            int least = 0;
            for (int r = 1; r < ranks; r++) if (bytes[r] < bytes[least]) least = r;
            bytes[least] += all.get(name).byteSize();
            if (least == rank) own.put(name, all.get(name));
        }
        return own;
    }
}
