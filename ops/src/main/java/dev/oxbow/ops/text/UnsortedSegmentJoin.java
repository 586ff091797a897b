package dev.oxbow.ops.text;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.tensor.Counts;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Strings of the same segment joined in their order. */
@Signature(
        "UnsortedSegmentJoin(inputs: string, segment_ids: Tindices, num_segments: Tnumsegments) -> (output: string) {separator: string = \"\"; Tindices: type in [INT32 INT64]; Tnumsegments: type in [INT32 INT64] = INT32}")
public record UnsortedSegmentJoin(String separator) implements NotDifferentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        Strings.requireScalar("num_segments", c.shape(2));
        long[] n = c.longs(2);
        Shape x = c.shape(0), ids = c.shape(1);
        if (!x.isRankKnown() || !ids.isRankKnown()) return List.of(TensorType.of(DType.STRING));
        require(
                ids.rank() <= x.rank() && x.slice(0, ids.rank()).isCompatibleWith(ids),
                INVALID_ARGUMENT,
                "segment_ids %s must be a prefix of the input shape %s",
                ids,
                x);
        require(
                n == null || n[0] > 0,
                INVALID_ARGUMENT,
                "Number of segments must be > 0, got %d",
                n == null ? 0 : n[0]);
        return List.of(
                new TensorType(DType.STRING, Shape.of(n == null ? -1 : n[0]).concat(x.slice(ids.rank(), x.rank()))));
    }

    @Override
    public Kernel cpu() {
        return c -> {
            Tensor x = c.input(0), ids = c.input(1), y = c.output(0);
            long segments = y.shape().dim(0);
            int inner = Counts.toInt(y.size() / segments);
            Map<Integer, List<byte[]>> parts = new HashMap<>();
            for (long i = 0; i < ids.size(); i++) {
                long id = ids.getLong(i);
                require(
                        id >= 0 && id < segments,
                        INVALID_ARGUMENT,
                        "segment_ids[%d] = %d is not in [0, %d)",
                        i,
                        id,
                        segments);
                for (int j = 0; j < inner; j++)
                    parts.computeIfAbsent((int) id * inner + j, _ -> new ArrayList<>())
                            .add(Strings.get(x, i * inner + j));
            }
            byte[] between = Strings.attribute(separator), none = {};
            Strings.fill(y, i -> parts.containsKey(i) ? Strings.join(parts.get(i), between) : none);
        };
    }
}
