package dev.oxbow.graph;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.ErrorCode.NOT_FOUND;
import static dev.oxbow.tensor.ErrorCode.RESOURCE_EXHAUSTED;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.core.Arg;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.wire.proto.AttrValue;
import dev.oxbow.wire.proto.FunctionDef;
import dev.oxbow.wire.proto.OpDef;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Makes a function from its definition and values for its type attributes. */
final class FunctionImporter {
    private final FunctionDef definition;
    private final FunctionRef ref;
    private final Graph body;
    private final Map<String, Object> bound;
    private final List<Node> arguments = new ArrayList<>();
    private final List<String> argumentNames = new ArrayList<>();
    private final Map<String, Integer> argumentStart = new HashMap<>();
    private final Map<String, Integer> argumentCount = new HashMap<>();
    private final Map<Node, Map<String, Object>> attributes = new HashMap<>();

    FunctionImporter(FunctionLibrary library, FunctionDef definition, FunctionRef ref) {
        this.definition = definition;
        this.ref = ref;
        this.body = new Graph(library);
        this.bound = new HashMap<>(ref.attributes());
        AttributeCodec defaults = new AttributeCodec(library.budget(), Map.of());
        for (OpDef.AttrDef a : definition.getSignature().getAttrList()) {
            if (a.hasDefaultValue() && !bound.containsKey(a.getName()))
                bound.put(a.getName(), defaults.decode(a.getName(), a.getDefaultValue(), a.getType()));
        }
    }

    /** The functions that the body calls. */
    List<FunctionRef> calls() {
        return reader().calls(definition.getNodeDefList());
    }

    private NodeReader reader() {
        return new NodeReader(body, new Inputs(), bound);
    }

    Function read() {
        try {
            return readNodes();
        } catch (OxbowException e) {
            throw ref.located(e);
        }
    }

    private Function readNodes() {
        for (OpDef.ArgDef a : definition.getSignature().getInputArgList()) {
            argumentStart.put(a.getName(), arguments.size());
            List<DType> types = types(a);
            int most = body.functions().limits().inputs();
            require(
                    arguments.size() + types.size() <= most,
                    RESOURCE_EXHAUSTED,
                    "takes at most %,d arguments, got %,d",
                    most,
                    arguments.size() + (long) types.size());
            argumentCount.put(a.getName(), types.size());
            for (int i = 0; i < types.size(); i++)
                addArgument(types.size() == 1 ? a.getName() : a.getName() + "_" + i, types.get(i));
        }
        reader().read(definition.getNodeDefList());
        List<Edge> results = new ArrayList<>();
        List<String> names = new ArrayList<>();
        for (OpDef.ArgDef a : definition.getSignature().getOutputArgList()) {
            String from = definition.getRetMap().get(a.getName());
            require(from != null, INVALID_ARGUMENT, "result '%s' is not given", a.getName());
            int n = types(a).size();
            for (int i = 0; i < n; i++) {
                results.add(edge(from, i));
                names.add(a.getName());
            }
        }
        List<Node> controls = new ArrayList<>();
        definition.getControlRetMap().values().forEach(name -> controls.add(body.node(name)));
        return new Function(
                ref.name(), body, arguments, argumentNames, results, names, controls, definition.getAttrMap());
    }

    private void addArgument(String name, DType type) {
        int index = arguments.size();
        Map<String, AttrValue> extras = definition.getArgAttrMap().containsKey(index)
                ? definition.getArgAttrMap().get(index).getAttrMap()
                : Map.of();
        Arg arg = new Arg(type, index);
        Node n = body.derive(null, new NodeSpec(body.unique(name), arg, List.of(), List.of(), "", extras));
        arguments.add(n);
        argumentNames.add(name);
    }

    private List<DType> types(OpDef.ArgDef a) {
        if (!a.getTypeListAttr().isEmpty()) {
            require(
                    AttributeCodec.isKind(bound.get(a.getTypeListAttr()), "list(type)"),
                    INVALID_ARGUMENT,
                    "attribute '%s' has no value",
                    a.getTypeListAttr());
            List<DType> list = new ArrayList<>();
            for (Object o : (List<?>) bound.get(a.getTypeListAttr())) list.add((DType) o);
            return list;
        }
        Object t = a.getTypeAttr().isEmpty() ? AttributeCodec.dtype(a.getTypeValue()) : bound.get(a.getTypeAttr());
        require(t instanceof DType, INVALID_ARGUMENT, "attribute '%s' has no value", a.getTypeAttr());
        int n = 1;
        if (!a.getNumberAttr().isEmpty()) {
            require(
                    bound.get(a.getNumberAttr()) instanceof Long,
                    INVALID_ARGUMENT,
                    "attribute '%s' has no value",
                    a.getNumberAttr());
            long wanted = (Long) bound.get(a.getNumberAttr());
            require(
                    wanted >= 0 && wanted <= body.functions().limits().inputs(),
                    INVALID_ARGUMENT,
                    "'%s' stands for %,d values, at most %,d may be",
                    a.getName(),
                    wanted,
                    body.functions().limits().inputs());
            n = (int) wanted;
        }
        return Collections.nCopies(n, (DType) t);
    }

    /** The value written {@code argument:i}, {@code node:output:i}, {@code node:i} or without a number for 0, or the {@code next}-th after it. */
    private Edge edge(String input, int next) {
        String[] parts = input.split(":", -1);
        String last = parts[parts.length - 1];
        require(
                parts.length == 1 || parts.length <= 3 && last.matches("[0-9]{1,9}"),
                INVALID_ARGUMENT,
                "'%s' is not node:output:number",
                input);
        int port = next + (parts.length == 1 ? 0 : Integer.parseInt(last));
        Integer start = argumentStart.get(parts[0]);
        Node n = start != null ? null : body.node(parts[0]);
        int from = n == null || parts.length < 3
                ? 0
                : n.op().signature().outputStart(parts[1], attributes.computeIfAbsent(n, Node::attributes));
        int count = n == null ? argumentCount.get(parts[0]) : n.outputCount() - from;
        require(
                from >= 0 && port < count,
                INVALID_ARGUMENT,
                "'%s' has no value '%s'%s",
                parts[0],
                input,
                next == 0 ? "" : " and " + next + " more");
        return n == null ? arguments.get(start + port).edge(0) : n.edge(from + port);
    }

    private final class Inputs implements NodeReader.Inputs {
        @Override
        public Edge edge(String input) {
            return FunctionImporter.this.edge(input, 0);
        }

        @Override
        public String node(String input) {
            int colon = input.indexOf(':');
            String name = colon < 0 ? input : input.substring(0, colon);
            return argumentStart.containsKey(name) ? null : name;
        }
    }

    /** The wire interface of an imported or built function, for calls by name. */
    static OpSignature signature(FunctionLibrary library, String name) {
        OpDef d = library.signature(name);
        if (d == null) {
            require(library.has(name), NOT_FOUND, "there is no op or function '%s'", name);
            Function f = library.get(new FunctionRef(name));
            List<OpSignature.Arg> ins = new ArrayList<>(), outs = new ArrayList<>();
            for (int i = 0; i < f.arguments().size(); i++)
                ins.add(new OpSignature.Arg(
                        f.argumentNames().get(i),
                        false,
                        f.arguments().get(i).output(0).dtype(),
                        null,
                        null,
                        null));
            for (int i = 0; i < f.results().size(); i++)
                outs.add(new OpSignature.Arg(
                        f.resultNames().get(i), false, f.results().get(i).type().dtype(), null, null, null));
            return new OpSignature(name, ins, outs, List.of(), f.isStateful());
        }
        List<OpSignature.Arg> ins = new ArrayList<>(), outs = new ArrayList<>();
        d.getInputArgList().forEach(a -> ins.add(arg(a)));
        d.getOutputArgList().forEach(a -> outs.add(arg(a)));
        List<OpSignature.Attribute> attrs = new ArrayList<>();
        AttributeCodec defaults = new AttributeCodec(library.budget(), Map.of());
        for (OpDef.AttrDef a : d.getAttrList()) {
            Object value = a.hasDefaultValue() ? defaults.decode(a.getName(), a.getDefaultValue(), a.getType()) : null;
            attrs.add(new OpSignature.Attribute(a.getName(), a.getType(), value, (Set<DType>) null, null, null));
        }
        OpSignature signature = new OpSignature(name, ins, outs, attrs, d.getIsStateful());
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
