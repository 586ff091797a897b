package dev.oxbow.collective.keyed;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.List;

/** The size and the key of the group of a device: its row in a matrix of devices, counted from a first key. */
@Signature(
        "CollectiveAssignGroupV2(group_assignment: int32, device_index: int32, base_key: int32) -> (group_size: int32, group_key: int32) stateful")
public record CollectiveAssignGroupV2() implements Op {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        c.rank(0, 2);
        c.scalar(1);
        c.scalar(2);
        TensorType number = new TensorType(DType.I32, Shape.SCALAR);
        return List.of(number, number);
    }

    @Override
    public Kernel cpu() {
        return c -> {
            Tensor groups = c.input(0);
            long device = c.input(1).getLong(0), columns = groups.shape().dim(1);
            for (long i = 0; i < groups.size(); i++) {
                if (groups.getLong(i) != device) continue;
                c.output(0).setLong(0, columns);
                c.output(1).setLong(0, c.input(2).getLong(0) + i / columns);
                return;
            }
            throw new OxbowException(
                    INVALID_ARGUMENT, "device_index %d is not in the group_assignment".formatted(device));
        };
    }
}
