package dev.oxbow.graph.wire;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.ErrorCode.RESOURCE_EXHAUSTED;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Function;
import dev.oxbow.graph.FunctionDefinition;
import dev.oxbow.graph.FunctionLibrary;
import dev.oxbow.graph.FunctionRef;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.NodeSpec;
import dev.oxbow.graph.core.Arg;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.wire.proto.FunctionDef;
import dev.oxbow.wire.proto.OpDef;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Makes a function from its definition and values for its type attributes. */
final class FunctionImporter implements FunctionDefinition.Instance {
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
        AttributeCodec defaults = new AttributeCodec(library, Map.of());
        for (OpDef.AttrDef a : definition.getSignature().getAttrList()) {
            if (a.hasDefaultValue() && !bound.containsKey(a.getName()))
                bound.put(a.getName(), defaults.decode(a.getName(), a.getDefaultValue(), a.getType()));
        }
    }

    @Override
    public List<FunctionRef> calls() {
        return reader().calls(definition.getNodeDefList());
    }

    private NodeReader reader() {
        return new NodeReader(body, new Inputs(), bound);
    }

    @Override
    public Function read() {
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
                ref.name(),
                body,
                arguments,
                argumentNames,
                results,
                names,
                controls,
                AttributeCodec.extras(definition.getAttrMap()));
    }

    private void addArgument(String name, DType type) {
        int index = arguments.size();
        Map<String, Object> extras = definition.getArgAttrMap().containsKey(index)
                ? AttributeCodec.extras(definition.getArgAttrMap().get(index).getAttrMap())
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
}
