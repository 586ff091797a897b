package dev.oxbow.ops.parse;

import static dev.oxbow.tensor.ErrorCode.DATA_LOSS;

import com.google.protobuf.ByteString;
import com.google.protobuf.CodedInputStream;
import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.Descriptors.EnumValueDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.UnknownFieldSet;
import com.google.protobuf.WireFormat;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Tensor;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Values of fields as they are in messages and in tensors: whole numbers as Long, others as Double, the rest as bytes. */
final class ProtoValues {
    private ProtoValues() {}

    /** All values of a field, or the last one where it is not repeated. */
    static List<Object> read(UnknownFieldSet message, FieldDescriptor f) {
        UnknownFieldSet.Field all = message.getField(f.getNumber());
        List<Object> values = new ArrayList<>();
        switch (f.getType()) {
            case STRING, BYTES, MESSAGE -> {
                for (ByteString b : all.getLengthDelimitedList()) values.add(b.toByteArray());
            }
            case GROUP -> {
                for (UnknownFieldSet g : all.getGroupList()) values.add(g.toByteArray());
            }
            default -> numbers(all, f, values);
        }
        return f.isRepeated() || values.size() < 2 ? values : List.of(values.getLast());
    }

    private static void numbers(UnknownFieldSet.Field all, FieldDescriptor f, List<Object> to) {
        try {
            for (ByteString packed : all.getLengthDelimitedList()) {
                CodedInputStream in = packed.newCodedInput();
                while (!in.isAtEnd())
                    to.add(number(
                            f,
                            switch (f.getLiteType().getWireType()) {
                                case WireFormat.WIRETYPE_FIXED32 -> in.readRawLittleEndian32();
                                case WireFormat.WIRETYPE_FIXED64 -> in.readRawLittleEndian64();
                                default -> in.readRawVarint64();
                            }));
            }
        } catch (IOException e) {
            throw new OxbowException(DATA_LOSS, "field %s is cut off".formatted(f.getFullName()), e);
        }
        for (int v : all.getFixed32List()) to.add(number(f, v));
        for (long v : all.getFixed64List()) to.add(number(f, v));
        for (long v : all.getVarintList()) to.add(number(f, v));
    }

    private static Object number(FieldDescriptor f, long bits) {
        return switch (f.getType()) {
            case DOUBLE -> Double.longBitsToDouble(bits);
            case FLOAT -> (double) Float.intBitsToFloat((int) bits);
            case SINT32 -> (long) CodedInputStream.decodeZigZag32((int) bits);
            case SINT64 -> CodedInputStream.decodeZigZag64(bits);
            case INT32, SFIXED32, ENUM -> (long) (int) bits;
            case UINT32, FIXED32 -> bits & 0xffff_ffffL;
            case BOOL -> bits != 0 ? 1L : 0L;
            default -> bits;
        };
    }

    /** What stands where a message has no value. */
    static Object absent(FieldDescriptor f) {
        if (f.getJavaType() == FieldDescriptor.JavaType.MESSAGE) return new byte[0];
        if (f.isRepeated())
            return switch (f.getJavaType()) {
                case STRING, BYTE_STRING -> new byte[0];
                default -> 0L;
            };
        return switch (f.getDefaultValue()) {
            case EnumValueDescriptor e -> (long) e.getNumber();
            case Boolean b -> b ? 1L : 0L;
            case ByteString b -> b.toByteArray();
            case String s -> ByteString.copyFromUtf8(s).toByteArray();
            case Float v -> v.doubleValue();
            case Integer v -> v.longValue();
            case Object v -> v;
        };
    }

    static void put(Tensor t, long i, Object value) {
        switch (value) {
            case byte[] bytes -> t.objects()[(int) i] = bytes;
            case Double d -> t.set(i, d);
            case Object v -> {
                if (t.dtype().isFloating()) t.set(i, ((Number) v).doubleValue());
                else t.setLong(i, (Long) v);
            }
        }
    }

    /** Writes the first {@code count} values of a row of a tensor into a field. */
    static void write(CodedOutputStream out, FieldDescriptor f, Tensor t, long from, int count) throws IOException {
        if (count == 0) return;
        if (f.isPacked()) {
            ByteString.Output bytes = ByteString.newOutput();
            CodedOutputStream packed = CodedOutputStream.newInstance(bytes);
            for (int k = 0; k < count; k++) value(packed, f, t, from + k);
            packed.flush();
            out.writeBytes(f.getNumber(), bytes.toByteString());
            return;
        }
        for (int k = 0; k < count; k++) {
            out.writeTag(f.getNumber(), f.getLiteType().getWireType());
            value(out, f, t, from + k);
            if (f.getType() == FieldDescriptor.Type.GROUP) out.writeTag(f.getNumber(), WireFormat.WIRETYPE_END_GROUP);
        }
    }

    private static void value(CodedOutputStream out, FieldDescriptor f, Tensor t, long i) throws IOException {
        switch (f.getType()) {
            case DOUBLE -> out.writeDoubleNoTag(t.getDouble(i));
            case FLOAT -> out.writeFloatNoTag((float) t.getDouble(i));
            case STRING, BYTES, MESSAGE -> out.writeByteArrayNoTag((byte[]) t.objects()[(int) i]);
            case GROUP -> out.writeRawBytes((byte[]) t.objects()[(int) i]);
            case SINT32 -> out.writeSInt32NoTag((int) t.getLong(i));
            case SINT64 -> out.writeSInt64NoTag(t.getLong(i));
            case INT32, ENUM -> out.writeInt32NoTag((int) t.getLong(i));
            case UINT32 -> out.writeUInt32NoTag((int) t.getLong(i));
            case FIXED32, SFIXED32 -> out.writeFixed32NoTag((int) t.getLong(i));
            case FIXED64, SFIXED64 -> out.writeFixed64NoTag(t.getLong(i));
            case BOOL -> out.writeBoolNoTag(t.dtype() == DType.BOOL && t.getLong(i) != 0);
            case INT64, UINT64 -> out.writeUInt64NoTag(t.getLong(i));
        }
    }
}
