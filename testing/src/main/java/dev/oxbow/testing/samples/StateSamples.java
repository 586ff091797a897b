package dev.oxbow.testing.samples;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.OpRegistry;
import dev.oxbow.graph.OpSignature;
import dev.oxbow.graph.core.Placeholder;
import dev.oxbow.ops.state.Assign;
import dev.oxbow.ops.state.AssignVariableOp;
import dev.oxbow.ops.state.ReadVariableOp;
import dev.oxbow.ops.state.VarHandleOp;
import dev.oxbow.ops.state.VariableV2;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Samples of variables, their updates and the optimizers. */
public final class StateSamples extends SampleFamily {
    private static final Map<String, Double> SCALARS = Map.ofEntries(
            Map.entry("lr", 0.1),
            Map.entry("alpha", 0.3),
            Map.entry("l1", 0.05),
            Map.entry("l2", 0.02),
            Map.entry("l2_shrinkage", 0.1),
            Map.entry("lr_power", -0.5),
            Map.entry("momentum", 0.9),
            Map.entry("rho", 0.8),
            Map.entry("epsilon", 1e-3),
            Map.entry("beta", 0.7),
            Map.entry("beta1", 0.9),
            Map.entry("beta2", 0.99),
            Map.entry("beta1_power", 0.81),
            Map.entry("beta2_power", 0.98),
            Map.entry("logbase", 1.0),
            Map.entry("sign_decay", 0.6));

    @Override
    public String name() {
        return "state";
    }

    @Override
    protected void define() {
        variables();
        assignments();
        counters();
        scatters();
        gathers();
        for (String op : OpRegistry.get().names()) {
            if (op.matches("(Resource)?(Sparse)?Apply.*")) optimizer(op);
        }
    }

    private static Op op(String name, Map<String, Object> attributes) {
        return OpRegistry.get().definition(name).create(attributes);
    }

    private static Op op(String name) {
        return op(name, Map.of());
    }

    /** A variable of either kind, with the node that gives it its first value. */
    private record Initialised(Edge handle, Node init, DType dtype, boolean isResource) {}

    private static Initialised variable(Program p, boolean resource, String name, Tensor value) {
        Edge x = p.constant(value);
        if (resource) {
            Edge h = p.add(new VarHandleOp("", name, "", value.dtype(), value.shape(), List.of()))
                    .edge(0);
            return new Initialised(h, p.add(new AssignVariableOp(false), h, x), value.dtype(), true);
        }
        Edge r = p.add(new VariableV2(value.shape(), value.dtype(), "", name)).edge(0);
        return new Initialised(r, p.add(new Assign(true), r, x), value.dtype(), false);
    }

    private static Edge read(Program p, Initialised v) {
        return v.isResource ? p.add(new ReadVariableOp(v.dtype), v.handle).edge(0) : v.handle;
    }

    private void variables() {
        for (String kind : List.of("VariableV2", "Variable")) {
            for (DType d : List.of(DType.F32, DType.I64, DType.BF16)) {
                program(kind, p -> {
                    Edge v = p.add(op(kind, Map.of("shape", Shape.of(2, 3), "dtype", d)))
                            .edge(0);
                    Node init = p.add(new Assign(true), v, p.constant(random(d, -4, 4, 1, 2, 3)));
                    p.fetch(v).target(init).fetch(v);
                });
            }
        }
        program("VarHandleOp", p -> {
            Edge h = p.add(new VarHandleOp("box", "shared", "", DType.F64, Shape.UNKNOWN, List.of()))
                    .edge(0);
            Edge again = p.add(new VarHandleOp("box", "shared", "", DType.F64, Shape.UNKNOWN, List.of()))
                    .edge(0);
            Node init = p.add(new AssignVariableOp(false), h, p.constant(doubles(2, 4)));
            p.target(init).fetch(p.add(new ReadVariableOp(DType.F64), again).edge(0));
        });
        for (Tensor value : List.of(floats(3, 2, 2), floats(3, 0, 2), floats(3), Tensor.of(Shape.of(2), "a", "bc"))) {
            program("ReadVariableOp", p -> {
                Initialised v = variable(p, true, "v", value);
                Edge y = read(p, v);
                p.fetch(y).target(v.init).fetch(y);
            });
            for (String shape : List.of("VariableShape", "VarIsInitializedOp")) {
                program(shape, p -> {
                    Initialised v = variable(p, true, "v", value);
                    Edge y = p.add(op(shape), v.handle).edge(0);
                    p.fetch(y).target(v.init).fetch(y);
                });
            }
            program("DisableCopyOnRead", p -> {
                Initialised v = variable(p, true, "v", value);
                p.target(v.init).target(p.add(op("DisableCopyOnRead"), v.handle));
            });
            program("IsVariableInitialized", p -> {
                Initialised v = variable(p, false, "v", value);
                Edge y = p.add(op("IsVariableInitialized"), v.handle).edge(0);
                p.fetch(y).target(v.init).fetch(y);
            });
        }
        program("VariableShape", p -> {
            Initialised v = variable(p, true, "v", floats(3, 2, 1, 4));
            p.target(v.init)
                    .fetch(p.add(op("VariableShape", Map.of("out_type", DType.I64)), v.handle)
                            .edge(0));
        });
        for (boolean ignore : List.of(true, false)) {
            program("DestroyResourceOp", p -> {
                Initialised v = variable(p, true, "v", floats(3, 2));
                Node destroy = p.add(op("DestroyResourceOp", Map.of("ignore_lookup_error", ignore)), v.handle);
                Edge exists = p.add(op("VarIsInitializedOp"), v.handle).edge(0);
                p.target(v.init).fetch(exists).target(destroy).fetch(exists).target(destroy);
            });
        }
        for (String op : List.of("TemporaryVariable", "DestroyTemporaryVariable")) {
            program(op, p -> {
                Edge t = p.add(op(
                                "TemporaryVariable", Map.of("shape", Shape.of(2), "dtype", DType.F32, "var_name", "t")))
                        .edge(0);
                Edge a = p.add(new Assign(true), t, p.constant(floats(5, 2))).edge(0);
                Edge b = p.add(op("AssignAdd"), a, p.constant(floats(6, 2))).edge(0);
                Edge y = p.add(op("DestroyTemporaryVariable", Map.of("var_name", "t")), b)
                        .edge(0);
                p.fetch(y).fetch(y);
            });
        }
    }

    private void assignments() {
        for (boolean validate : List.of(true, false)) {
            program("Assign", p -> {
                Initialised v = variable(p, false, "v", floats(1, 2, 3));
                Edge x = p.graph()
                        .add(new Placeholder(DType.F32, Shape.UNKNOWN), "x", List.of())
                        .edge(0);
                Edge y = p.add(new Assign(validate), v.handle, x).edge(0);
                p.target(v.init)
                        .run(Map.of("x:0", floats(2, 2, 3)), List.of(y))
                        .run(Map.of("x:0", floats(2, 3, 0)), List.of(y))
                        .fetch(v.handle);
            });
            program("AssignVariableOp", p -> {
                Edge h = p.add(new VarHandleOp("", "v", "", DType.F32, Shape.UNKNOWN, List.of()))
                        .edge(0);
                Edge x = p.graph()
                        .add(new Placeholder(DType.F32, Shape.UNKNOWN), "x", List.of())
                        .edge(0);
                Node assign = p.add(new AssignVariableOp(validate), h, x);
                Edge y = p.add(new ReadVariableOp(DType.F32), h).edge(0);
                p.run(Map.of("x:0", floats(2, 2, 3)), List.of(), assign)
                        .fetch(y)
                        .run(Map.of("x:0", floats(2, 3, 0)), List.of(), assign)
                        .fetch(y);
            });
        }
        for (String sign : List.of("Add", "Sub")) {
            for (DType d : List.of(DType.F32, DType.F64, DType.F16, DType.I32, DType.U8, DType.C64)) {
                program("Assign" + sign, p -> {
                    Initialised v = variable(p, false, "v", random(d, 0, 9, 1, 3, 2));
                    Edge y = p.add(op("Assign" + sign), v.handle, p.constant(random(d, 0, 9, 2, 3, 2)))
                            .edge(0);
                    p.fetch(y).target(v.init).fetch(y).fetch(y);
                });
                program("Assign" + sign + "VariableOp", p -> {
                    Initialised v = variable(p, true, "v", random(d, 0, 9, 1, 3, 2));
                    Node add =
                            p.add(op("Assign" + sign + "VariableOp"), v.handle, p.constant(random(d, 0, 9, 2, 3, 2)));
                    p.target(add).target(v.init).target(add).fetch(read(p, v));
                });
            }
        }
    }

    private void counters() {
        for (DType d : List.of(DType.I32, DType.I64)) {
            for (boolean resource : List.of(true, false)) {
                String name = resource ? "ResourceCountUpTo" : "CountUpTo";
                program(name, p -> {
                    Initialised v = variable(p, resource, "v", random(d, 1, 2, 1));
                    Map<String, Object> limit = resource ? Map.of("limit", 3L, "T", d) : Map.of("limit", 3L);
                    Edge y = p.add(op(name, limit), v.handle).edge(0);
                    p.fetch(y).target(v.init).fetch(y).fetch(y).fetch(y).fetch(read(p, v));
                });
            }
        }
    }

    private void scatters() {
        for (String name : OpRegistry.get().names()) {
            if (!name.matches("(Resource)?Scatter(Nd)?(Update|Add|Sub|Mul|Div|Min|Max)")) continue;
            boolean nd = name.contains("Nd"), resource = name.startsWith("Resource");
            for (DType d : List.of(DType.F32, DType.F64, DType.I32)) {
                Tensor rows = nd ? Tensor.of(Shape.of(3, 1), 2, 0, 2) : ints(2, 0, 2);
                scatter(name, resource, random(d, 1, 9, 1, 3, 2), rows, random(d, 1, 9, 2, 3, 2));
            }
            Tensor v = floats(1, 3, 2);
            Tensor none = nd ? Tensor.of(Shape.of(0, 1), new int[0]) : ints();
            scatter(name, resource, v, none, floats(2, 0, 2));
            Tensor outside = nd ? Tensor.of(Shape.of(1, 1), 3) : ints(-1);
            scatter(name, resource, v, outside, floats(2, 1, 2));
            if (nd) scatter(name, resource, v, Tensor.of(Shape.of(2, 2), 0L, 1L, 2L, 0L), floats(2, 2));
            else scatter(name, resource, v, Tensor.of(Shape.of(2, 1), 0L, 1L), floats(2, 2, 1, 2));
            if (!nd) scatter(name, resource, v, ints(1, 1), Tensor.scalar(2.5f));
            if (name.endsWith("Update")) {
                Tensor at = nd ? Tensor.of(Shape.of(1, 1), 1) : ints(1);
                scatter(name, resource, Tensor.of(Shape.of(2), "a", "b"), at, Tensor.of(Shape.of(1), "c"));
            }
        }
    }

    private void scatter(String name, boolean resource, Tensor value, Tensor indices, Tensor updates) {
        program(name, p -> {
            Initialised v = variable(p, resource, "v", value);
            Node n = p.add(op(name), v.handle, p.constant(indices), p.constant(updates));
            p.target(v.init).target(n).fetch(read(p, v));
        });
    }

    private void gathers() {
        gather("ResourceGather", Map.of("dtype", DType.F32), floats(1, 4, 2), Tensor.of(Shape.of(2, 2), 3, 0, 1, 3));
        gather("ResourceGather", Map.of("dtype", DType.F64), doubles(1, 4), Tensor.scalar(2L));
        gather("ResourceGather", Map.of("dtype", DType.F32), floats(1, 4, 2), ints());
        gather("ResourceGather", Map.of("dtype", DType.F32), floats(1, 4, 2), ints(4));
        gather(
                "ResourceGather",
                Map.of("dtype", DType.F32, "batch_dims", 1L),
                floats(1, 2, 3, 2),
                Tensor.of(Shape.of(2, 2), 2, 0, 1, 1));
        gather("ResourceGather", Map.of("dtype", DType.STRING), Tensor.of(Shape.of(2), "a", "b"), ints(1, 1, 0));
        gather(
                "ResourceGatherNd",
                Map.of("dtype", DType.F32),
                floats(1, 3, 2, 2),
                Tensor.of(Shape.of(2, 2), 2, 0, 1, 1));
        gather("ResourceGatherNd", Map.of("dtype", DType.I32), ints(4, 5, 6), Tensor.of(Shape.of(3, 1), 2L, 0L, 1L));
        gather("ResourceGatherNd", Map.of("dtype", DType.F32), floats(1, 3, 2), Tensor.of(Shape.of(1, 2), 2, 2));
    }

    private void gather(String name, Map<String, Object> attributes, Tensor value, Tensor indices) {
        program(name, p -> {
            Initialised v = variable(p, true, "v", value);
            p.target(v.init)
                    .fetch(p.add(op(name, attributes), v.handle, p.constant(indices))
                            .edge(0));
        });
    }

    private void optimizer(String name) {
        OpSignature s = op(name).signature();
        boolean half = !name.contains("Proximal") && !name.contains("AdagradDA");
        for (DType d : half ? List.of(DType.F32, DType.F64, DType.F16) : List.of(DType.F32, DType.F64))
            optimizer(name, Map.of(), d, 0.05, -0.5, 3, 2);
        optimizer(name, Map.of(), DType.F32, 0, -0.5, 3, 2);
        optimizer(name, Map.of(), DType.F32, 0.05, -0.5, 1, 1);
        if (!name.contains("Sparse")) optimizer(name, Map.of(), DType.F32, 0.05, -0.5, 0, 2);
        if (s.attribute("lr_power") == null && name.contains("Ftrl"))
            optimizer(name, Map.of(), DType.F32, 0.05, -0.7, 3, 2);
        for (String flag : List.of("use_nesterov", "multiply_linear_by_lr"))
            if (s.attribute(flag) != null) optimizer(name, Map.of(flag, true), DType.F32, 0.05, -0.5, 3, 2);
        if (s.attribute("update_slots") != null)
            optimizer(name, Map.of("update_slots", false), DType.F32, 0.05, -0.5, 3, 2);
    }

    private void optimizer(
            String name, Map<String, Object> attributes, DType d, double l1, double power, long... dims) {
        program(name, p -> {
            Op op = op(name, attributes);
            List<Edge> inputs = new ArrayList<>();
            List<Initialised> variables = new ArrayList<>();
            boolean sparse = name.contains("Sparse");
            for (OpSignature.Arg a : op.signature().inputs()) {
                if (a.isRef() || a.dtype() == DType.RESOURCE) {
                    Tensor value = variables.isEmpty()
                            ? random(d, -1, 1, 7, dims)
                            : random(d, 0.5, 1, 7 + variables.size(), dims);
                    Initialised v = variable(p, !a.isRef(), "v" + variables.size(), value);
                    variables.add(v);
                    inputs.add(v.handle);
                } else if (a.name().equals("grad") || a.name().equals("delta")) {
                    long[] shape = dims.clone();
                    if (sparse) shape[0] = Math.min(2, dims[0]);
                    inputs.add(p.constant(random(d, -0.6, 0.6, 99, shape)));
                } else if (a.name().equals("indices")) {
                    inputs.add(p.constant(dims[0] > 1 ? ints(2, 0) : ints(0)));
                } else if (a.name().equals("global_step")) {
                    inputs.add(p.constant(Tensor.scalar(3L)));
                } else {
                    Tensor t = Tensor.zeros(d, Shape.SCALAR);
                    t.set(0, a.name().equals("l1") ? l1 : a.name().equals("lr_power") ? power : SCALARS.get(a.name()));
                    inputs.add(p.constant(t));
                }
            }
            Node step = p.add(op, inputs.toArray(Edge[]::new));
            p.target(variables.stream().map(Initialised::init).toArray(Node[]::new))
                    .target(step)
                    .target(step);
            for (Initialised v : variables) p.fetch(read(p, v));
        });
    }
}
