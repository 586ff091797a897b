package dev.oxbow.graph.wire;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;

import dev.oxbow.graph.FunctionDefinition;
import dev.oxbow.graph.FunctionLibrary;
import dev.oxbow.graph.FunctionRef;
import dev.oxbow.graph.OpSignature;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.wire.proto.FunctionDef;
import dev.oxbow.wire.proto.OpDef;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** A function of a GraphDef, which stays a message until it is called. */
record WireFunction(FunctionDef message) implements FunctionDefinition {
    @Override
    public String name() {
        return message.getSignature().getName();
    }

    @Override
    public int size() {
        return message.getNodeDefCount() + message.getSignature().getInputArgCount();
    }

    @Override
    public Instance instance(FunctionLibrary library, FunctionRef ref) {
        return new FunctionImporter(library, message, ref);
    }

    @Override
    public OpSignature signature(FunctionLibrary library) {
        List<OpSignature.Arg> ins = new ArrayList<>(), outs = new ArrayList<>();
        message.getSignature().getInputArgList().forEach(a -> ins.add(arg(a)));
        message.getSignature().getOutputArgList().forEach(a -> outs.add(arg(a)));
        List<OpSignature.Attribute> attrs = new ArrayList<>();
        AttributeCodec defaults = new AttributeCodec(library, Map.of());
        for (OpDef.AttrDef a : message.getSignature().getAttrList()) {
            Object value = a.hasDefaultValue() ? defaults.decode(a.getName(), a.getDefaultValue(), a.getType()) : null;
            attrs.add(new OpSignature.Attribute(a.getName(), a.getType(), value, (Set<DType>) null, null, null));
        }
        OpSignature signature =
                new OpSignature(name(), ins, outs, attrs, message.getSignature().getIsStateful());
        for (List<OpSignature.Arg> args : List.of(ins, outs)) {
            for (OpSignature.Arg a : args) {
                requireKind(signature, a, a.typeAttr(), "type");
                requireKind(signature, a, a.listAttr(), "list(type)");
                requireKind(signature, a, a.numberAttr(), "int");
            }
        }
        return signature;
    }

    private static void requireKind(OpSignature s, OpSignature.Arg arg, String attribute, String kind) {
        if (attribute == null) return;
        OpSignature.Attribute a = s.attribute(attribute);
        if (a != null && a.kind().equals(kind)) return;
        String text = "'%s' follows attribute '%s', which must be of kind %s, got %s"
                .formatted(arg.name(), attribute, kind, a == null ? "none" : a.kind());
        throw new FunctionRef(s.name()).located(new OxbowException(INVALID_ARGUMENT, text));
    }

    private static OpSignature.Arg arg(OpDef.ArgDef a) {
        boolean fixed = a.getTypeAttr().isEmpty() && a.getTypeListAttr().isEmpty();
        return new OpSignature.Arg(
                a.getName(),
                a.getIsRef(),
                fixed ? AttributeCodec.dtype(a.getTypeValue()) : null,
                a.getTypeAttr().isEmpty() ? null : a.getTypeAttr(),
                a.getTypeListAttr().isEmpty() ? null : a.getTypeListAttr(),
                a.getNumberAttr().isEmpty() ? null : a.getNumberAttr());
    }
}
