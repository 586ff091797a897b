package dev.oxbow.ops.parse;

import static dev.oxbow.tensor.ErrorCode.INTERNAL;
import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import com.google.protobuf.ByteString;
import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.Descriptors.FieldDescriptor;
import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Messages of the first values in each row of some tensors, one tensor for each field, as many as the sizes say. */
@Signature(
        "EncodeProto(sizes: int32, values: Tinput_types) -> (bytes: string) {field_names: list(string); message_type: string; descriptor_source: string = \"local://\"; Tinput_types: list(type) >= 1}")
public record EncodeProto(List<String> fieldNames, String messageType, String descriptorSource)
        implements NotDifferentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        Shape sizes = c.shape(0);
        require(
                !sizes.isRankKnown() || sizes.rank() > 0,
                INVALID_ARGUMENT,
                "sizes must have a dimension for the fields");
        require(
                c.inputCount() - 1 == fieldNames.size(),
                INVALID_ARGUMENT,
                "Expected %d inputs for fields, got %d",
                fieldNames.size(),
                c.inputCount() - 1);
        return List.of(
                new TensorType(DType.STRING, sizes.isRankKnown() ? sizes.slice(0, sizes.rank() - 1) : Shape.UNKNOWN));
    }

    @Override
    public Kernel cpu() {
        return this::run;
    }

    private void run(KernelContext c) {
        List<DType> dtypes = new ArrayList<>();
        for (int i = 1; i < c.inputCount(); i++) dtypes.add(c.input(i).dtype());
        ProtoFields fields = ProtoFields.of(descriptorSource, messageType, fieldNames, dtypes);
        Tensor sizes = c.input(0), y = c.output(0);
        int count = fieldNames.size();
        require(
                sizes.shape().dim(sizes.shape().rank() - 1) == count,
                INVALID_ARGUMENT,
                "sizes must end with the number of fields, %d, got %s",
                count,
                sizes.shape());
        for (int f = 0; f < count; f++) check(sizes, f, count, c.input(1 + f), y.shape(), fields.fields.get(f));
        List<Integer> order = new ArrayList<>();
        for (int f = 0; f < count; f++) order.add(f);
        order.sort(Comparator.comparing(f -> fields.fields.get(f).getNumber()));
        for (int i = 0; i < y.size(); i++) {
            ByteString.Output bytes = ByteString.newOutput();
            CodedOutputStream out = CodedOutputStream.newInstance(bytes);
            try {
                for (int f : order) {
                    Tensor values = c.input(1 + f);
                    long row = values.shape().dim(values.shape().rank() - 1);
                    int n = (int) sizes.getLong((long) i * count + f);
                    ProtoValues.write(out, fields.fields.get(f), values, i * row, n);
                }
                out.flush();
            } catch (IOException e) {
                throw new OxbowException(INTERNAL, "a message can not be written: " + e, e);
            }
            y.objects()[i] = bytes.toByteString().toByteArray();
        }
    }

    private static void check(Tensor sizes, int f, int count, Tensor values, Shape batch, FieldDescriptor field) {
        Shape s = values.shape();
        require(
                s.rank() == batch.rank() + 1 && s.slice(0, batch.rank()).equals(batch),
                INVALID_ARGUMENT,
                "values of %s must be %s and a dimension, got %s",
                field.getName(),
                batch,
                s);
        long most = s.dim(s.rank() - 1);
        for (long i = f; i < sizes.size(); i += count) {
            long n = sizes.getLong(i);
            require(
                    n >= 0 && n <= most && (n < 2 || field.isRepeated()),
                    INVALID_ARGUMENT,
                    "size %d of %s must be at most %d%s",
                    n,
                    field.getName(),
                    most,
                    field.isRepeated() ? "" : ", and 1, as it is not repeated");
        }
    }
}
