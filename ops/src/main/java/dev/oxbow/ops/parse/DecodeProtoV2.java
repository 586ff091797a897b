package dev.oxbow.ops.parse;

import static dev.oxbow.tensor.ErrorCode.DATA_LOSS;
import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import com.google.protobuf.DynamicMessage;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.TextFormat;
import com.google.protobuf.UnknownFieldSet;
import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.ops.Stateful.Supplying;
import dev.oxbow.tensor.Counts;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** The values of some fields of messages, and how many each message has of them; shorter ones are filled up with defaults. */
@Signature(
        "DecodeProtoV2(bytes: string) -> (sizes: int32, values: output_types) {message_type: string; field_names: list(string); output_types: list(type) >= 0; descriptor_source: string = \"local://\"; message_format: string = \"binary\"; sanitize: bool = false}")
public record DecodeProtoV2(
        String messageType,
        List<String> fieldNames,
        List<DType> outputTypes,
        String descriptorSource,
        String messageFormat,
        boolean sanitize)
        implements NotDifferentiable, Supplying {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        Shape in = c.shape(0);
        List<TensorType> types = new ArrayList<>();
        types.add(new TensorType(DType.I32, in.concat(Shape.of(fieldNames.size()))));
        for (DType t : outputTypes) types.add(new TensorType(t, in.concat(Shape.of(-1))));
        return types;
    }

    @Override
    public Kernel cpu() {
        ProtoFields fields = ProtoFields.of(descriptorSource, messageType, fieldNames, outputTypes);
        boolean text = messageFormat.equals("text");
        require(
                text || messageFormat.equals("binary"),
                INVALID_ARGUMENT,
                "format must be one of binary or text, got %s",
                messageFormat);
        return c -> run(c, fields, text);
    }

    private void run(KernelContext c, ProtoFields fields, boolean text) {
        Tensor in = c.input(0);
        int n = Counts.objects(in.size(), 64), count = fields.fields.size();
        List<UnknownFieldSet> messages = new ArrayList<>(n);
        for (Object o : in.objects()) messages.add(parsed((byte[]) o, fields, text));
        Tensor sizes = c.allocate(0, in.shape().concat(Shape.of(count)));
        for (int f = 0; f < count; f++) {
            List<List<Object>> all = new ArrayList<>(n);
            int most = 0;
            for (int i = 0; i < n; i++) {
                List<Object> values = ProtoValues.read(messages.get(i), fields.fields.get(f));
                all.add(values);
                most = Math.max(most, values.size());
                sizes.setLong((long) i * count + f, values.size());
            }
            Tensor y = c.allocate(1 + f, in.shape().concat(Shape.of(most)));
            Object none = ProtoValues.absent(fields.fields.get(f));
            for (int i = 0; i < n; i++)
                for (int k = 0; k < most; k++) {
                    List<Object> values = all.get(i);
                    ProtoValues.put(y, (long) i * most + k, k < values.size() ? values.get(k) : none);
                }
        }
    }

    private UnknownFieldSet parsed(byte[] bytes, ProtoFields fields, boolean text) {
        try {
            if (text || sanitize) {
                DynamicMessage.Builder m = DynamicMessage.newBuilder(fields.message);
                if (text) TextFormat.merge(new String(bytes, StandardCharsets.UTF_8), m);
                else m.mergeFrom(bytes);
                bytes = m.build().toByteArray();
            }
            return UnknownFieldSet.parseFrom(bytes);
        } catch (InvalidProtocolBufferException | TextFormat.ParseException | IllegalArgumentException e) {
            throw new OxbowException(DATA_LOSS, "Unable to parse a %s: %s".formatted(messageType, e.getMessage()), e);
        }
    }
}
