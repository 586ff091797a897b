package dev.oxbow.ops.parse;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.ErrorCode.NOT_FOUND;
import static dev.oxbow.tensor.OxbowException.require;

import com.google.protobuf.ByteString;
import com.google.protobuf.DescriptorProtos.FileDescriptorProto;
import com.google.protobuf.DescriptorProtos.FileDescriptorSet;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.DescriptorValidationException;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.FileDescriptor;
import com.google.protobuf.InvalidProtocolBufferException;
import dev.oxbow.graph.wire.WireText;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.wire.proto.GraphDef;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The fields of a message that an op reads or writes. */
final class ProtoFields {
    private static final ByteString BYTES = ByteString.copyFromUtf8("bytes://");

    final Descriptor message;
    final List<FieldDescriptor> fields;

    private ProtoFields(Descriptor message, List<FieldDescriptor> fields) {
        this.message = message;
        this.fields = fields;
    }

    /** Of a message by its full name; the source has descriptors in it, is a file of them, or is empty for our own messages. */
    static ProtoFields of(String source, String type, List<String> names, List<DType> dtypes) {
        require(
                names.size() == dtypes.size(),
                INVALID_ARGUMENT,
                "there are %d field_names and %d types",
                names.size(),
                dtypes.size());
        Descriptor message = null;
        for (FileDescriptor f : files(source)) if (message == null) message = find(f.getMessageTypes(), type);
        require(message != null, INVALID_ARGUMENT, "No descriptor found for message type %s", type);
        List<FieldDescriptor> fields = new ArrayList<>();
        for (int i = 0; i < names.size(); i++) {
            FieldDescriptor f = message.findFieldByName(names.get(i));
            require(f != null, INVALID_ARGUMENT, "Unknown field: %s in message type %s", names.get(i), type);
            require(
                    takes(f, dtypes.get(i)),
                    INVALID_ARGUMENT,
                    "Unexpected output type for %s: %s to %s",
                    f.getFullName(),
                    f.getType(),
                    dtypes.get(i));
            fields.add(f);
        }
        return new ProtoFields(message, List.copyOf(fields));
    }

    private static Descriptor find(List<Descriptor> among, String name) {
        for (Descriptor d : among) {
            if (d.getFullName().equals(name)) return d;
            Descriptor inner = find(d.getNestedTypes(), name);
            if (inner != null) return inner;
        }
        return null;
    }

    private static List<FileDescriptor> files(String source) {
        if (source.isEmpty() || source.equals("local://")) {
            List<FileDescriptor> all = new ArrayList<>();
            add(GraphDef.getDescriptor().getFile(), all);
            return all;
        }
        ByteString given = WireText.bytes(source), bytes;
        try {
            bytes = given.startsWith(BYTES)
                    ? given.substring(BYTES.size())
                    : ByteString.copyFrom(Files.readAllBytes(Path.of(source)));
        } catch (IOException | InvalidPathException e) {
            throw new OxbowException(NOT_FOUND, "descriptor_source: the file can not be read: " + e, e);
        }
        try {
            return linked(FileDescriptorSet.parseFrom(bytes).getFileList());
        } catch (InvalidProtocolBufferException | DescriptorValidationException e) {
            throw new OxbowException(INVALID_ARGUMENT, "descriptor_source holds no FileDescriptorSet: " + e, e);
        }
    }

    private static void add(FileDescriptor f, List<FileDescriptor> to) {
        if (to.contains(f)) return;
        to.add(f);
        for (FileDescriptor d : f.getDependencies()) add(d, to);
    }

    /** Files in the order in which they come, each after those that it needs. */
    private static List<FileDescriptor> linked(List<FileDescriptorProto> all) throws DescriptorValidationException {
        Map<String, FileDescriptor> made = new HashMap<>();
        List<FileDescriptorProto> left = new ArrayList<>(all);
        while (!left.isEmpty()) {
            FileDescriptorProto next = null;
            for (FileDescriptorProto f : left)
                if (next == null && made.keySet().containsAll(f.getDependencyList())) next = f;
            require(
                    next != null,
                    INVALID_ARGUMENT,
                    "descriptor_source: %s wants files that are not there",
                    left.getFirst().getName());
            FileDescriptor[] needs =
                    next.getDependencyList().stream().map(made::get).toArray(FileDescriptor[]::new);
            made.put(next.getName(), FileDescriptor.buildFrom(next, needs));
            left.remove(next);
        }
        return new ArrayList<>(made.values());
    }

    /** Whether values of a field may have a dtype. */
    private static boolean takes(FieldDescriptor f, DType t) {
        return switch (f.getType()) {
            case DOUBLE -> t == DType.F64;
            case FLOAT -> t == DType.F32 || t == DType.F64;
            case INT64, SINT64, SFIXED64 -> t == DType.I64;
            case UINT64, FIXED64 -> t == DType.I64 || t == DType.U64;
            case INT32, SINT32, SFIXED32 -> t == DType.I32 || t == DType.I64;
            case UINT32, FIXED32 -> t == DType.I32 || t == DType.I64 || t == DType.U32;
            case BOOL -> t == DType.BOOL;
            case ENUM -> t == DType.I32;
            case STRING, BYTES, MESSAGE, GROUP -> t == DType.STRING;
        };
    }
}
