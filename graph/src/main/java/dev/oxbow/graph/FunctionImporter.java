package dev.oxbow.graph;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.ErrorCode.NOT_FOUND;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.core.Arg;
import dev.oxbow.tensor.DType;
import dev.oxbow.wire.proto.AttrValue;
import dev.oxbow.wire.proto.FunctionDef;
import dev.oxbow.wire.proto.OpDef;
import java.util.ArrayList;
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

    FunctionImporter(FunctionLibrary library, FunctionDef definition, FunctionRef ref) {
        this.definition = definition;
        this.ref = ref;
        this.body = new Graph(library);
        this.bound = new HashMap<>(ref.attributes());
        for (OpDef.AttrDef a : definition.getSignature().getAttrList()) {
            if (a.hasDefaultValue())
                bound.putIfAbsent(a.getName(), AttributeCodec.decode(a.getDefaultValue(), a.getType(), Map.of()));
        }
    }

    Function read() {
        for (OpDef.ArgDef a : definition.getSignature().getInputArgList()) {
            argumentStart.put(a.getName(), arguments.size());
            List<DType> types = types(a);
            for (int i = 0; i < types.size(); i++)
                addArgument(types.size() == 1 ? a.getName() : a.getName() + "_" + i, types.get(i));
        }
        new NodeReader(body, new Inputs(), bound).read(definition.getNodeDefList());
        List<Edge> results = new ArrayList<>();
        List<String> names = new ArrayList<>();
        for (OpDef.ArgDef a : definition.getSignature().getOutputArgList()) {
            String from = definition.getRetMap().get(a.getName());
            require(from != null, INVALID_ARGUMENT, "function %s: result '%s' is not given", ref.name(), a.getName());
            int n = types(a).size();
            Edge first = new Inputs().edge(from);
            for (int i = 0; i < n; i++) {
                results.add(i == 0 ? first : new Edge(first.node(), first.port() + i));
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
        Node n = body.add(new NodeSpec(body.unique(name), arg, List.of(), List.of(), "", extras));
        arguments.add(n);
        argumentNames.add(name);
    }

    private List<DType> types(OpDef.ArgDef a) {
        if (!a.getTypeListAttr().isEmpty()) {
            require(
                    bound.get(a.getTypeListAttr()) instanceof List<?>,
                    INVALID_ARGUMENT,
                    "function %s: attribute '%s' has no value",
                    ref.name(),
                    a.getTypeListAttr());
            List<DType> list = new ArrayList<>();
            for (Object o : (List<?>) bound.get(a.getTypeListAttr())) list.add((DType) o);
            return list;
        }
        Object t = a.getTypeAttr().isEmpty() ? AttributeCodec.dtype(a.getType()) : bound.get(a.getTypeAttr());
        require(
                t instanceof DType,
                INVALID_ARGUMENT,
                "function %s: attribute '%s' has no value",
                ref.name(),
                a.getTypeAttr());
        int n = 1;
        if (!a.getNumberAttr().isEmpty()) {
            require(
                    bound.get(a.getNumberAttr()) instanceof Long,
                    INVALID_ARGUMENT,
                    "function %s: attribute '%s' has no value",
                    ref.name(),
                    a.getNumberAttr());
            n = Math.toIntExact((Long) bound.get(a.getNumberAttr()));
        }
        return java.util.Collections.nCopies(n, (DType) t);
    }

    private final class Inputs implements NodeReader.Inputs {
        @Override
        public Edge edge(String input) {
            String[] parts = input.split(":");
            Integer start = argumentStart.get(parts[0]);
            if (start != null)
                return arguments
                        .get(start + (parts.length > 1 ? Integer.parseInt(parts[parts.length - 1]) : 0))
                        .edge(0);
            Node n = body.node(parts[0]);
            if (parts.length == 1) return n.edge(0);
            if (parts.length == 2) return n.edge(Integer.parseInt(parts[1]));
            int from = n.op().signature().outputStart(parts[1], n.attributes());
            int port = from + Integer.parseInt(parts[2]);
            require(
                    from >= 0 && port < n.outputCount(),
                    INVALID_ARGUMENT,
                    "function %s: node '%s' has no output '%s:%s'",
                    ref.name(),
                    parts[0],
                    parts[1],
                    parts[2]);
            return n.edge(port);
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
        for (OpDef.AttrDef a : d.getAttrList()) {
            Object value =
                    a.hasDefaultValue() ? AttributeCodec.decode(a.getDefaultValue(), a.getType(), Map.of()) : null;
            attrs.add(new OpSignature.Attribute(a.getName(), a.getType(), value, (Set<DType>) null, null, null));
        }
        return new OpSignature(name, ins, outs, attrs, d.getIsStateful());
    }

    private static OpSignature.Arg arg(OpDef.ArgDef a) {
        boolean fixed = a.getTypeAttr().isEmpty() && a.getTypeListAttr().isEmpty();
        return new OpSignature.Arg(
                a.getName(),
                a.getIsRef(),
                fixed ? AttributeCodec.dtype(a.getType()) : null,
                a.getTypeAttr().isEmpty() ? null : a.getTypeAttr(),
                a.getTypeListAttr().isEmpty() ? null : a.getTypeListAttr(),
                a.getNumberAttr().isEmpty() ? null : a.getNumberAttr());
    }
}
