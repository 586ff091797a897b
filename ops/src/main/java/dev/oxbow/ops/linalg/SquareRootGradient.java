package dev.oxbow.ops.linalg;

import dev.oxbow.ops.Value;
import dev.oxbow.ops.array.ConcatV2;
import dev.oxbow.ops.array.StridedSlice;
import dev.oxbow.tensor.DType;
import java.util.Arrays;
import java.util.List;

/**
 * The gradient of a matrix root: {@code y da' + da' y = dy'} (transposed), Sylvester's equation, written with Kronecker
 * products as one system for the elements of da'.
 */
final class SquareRootGradient {
    private SquareRootGradient() {}

    static List<Value> of(Value y, Value dy) {
        Value shape = y.runtimeShape(), one = y.ops().constant(new int[] {1}), identity = Matrices.identityLike(y);
        Value batch = part(shape, 0, -2), n = part(shape, -1, 0), all = n.times(n);
        Value left = kronecker(identity, Matrices.transposed(y), batch, n, one);
        Value right = kronecker(y, identity, batch, n, one);
        Value column = Matrices.transposed(dy).reshape(join(batch, all, one));
        Value da = Value.apply(new MatrixSolve(false), left.plus(right), column);
        return List.of(Matrices.transposed(da.reshape(shape)));
    }

    private static Value kronecker(Value a, Value b, Value batch, Value n, Value one) {
        Value rows = a.reshape(join(batch, n, one, n, one)), columns = b.reshape(join(batch, one, n, one, n));
        Value all = n.times(n);
        return rows.times(columns).reshape(join(batch, all, all));
    }

    private static Value join(Value... parts) {
        Value[] inputs = Arrays.copyOf(parts, parts.length + 1);
        inputs[parts.length] = parts[0].ops().constant(DType.I32, 0);
        return Value.apply(new ConcatV2(), inputs);
    }

    /** Elements {@code [from, to)} of a shape; to the last one when {@code to} is 0. */
    private static Value part(Value shape, int from, int to) {
        return Value.apply(
                new StridedSlice(0, to == 0 ? 1 : 0, 0, 0, 0),
                shape,
                shape.ops().constant(new int[] {from}),
                shape.ops().constant(new int[] {to}),
                shape.ops().constant(new int[] {1}));
    }
}
