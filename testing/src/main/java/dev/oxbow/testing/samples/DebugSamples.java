package dev.oxbow.testing.samples;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.Op;
import dev.oxbow.ops.state.Assign;
import dev.oxbow.ops.state.VariableV2;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.List;

/** Samples of what a debugger puts beside values, and of maps of tensors. */
public final class DebugSamples extends SampleFamily {

    @Override
    public String name() {
        return "debug";
    }

    @Override
    protected void define() {
        seen();
        references();
        maps();
        scripts();
    }

    private void seen() {
        Tensor odd =
                Tensor.of(Shape.of(2, 3), Float.NaN, -1.5f, 0f, 2f, Float.POSITIVE_INFINITY, Float.NEGATIVE_INFINITY);
        for (String op : List.of("Copy", "CopyHost", "DebugIdentity", "DebugIdentityV2", "DebugGradientIdentity")) {
            sampleWithoutGradient(named(op), odd);
            sampleWithoutGradient(named(op), Tensor.of(Shape.of(2), "a", ""));
        }
        sample(named("DebugGradientIdentity"), floats(1, 3));
        for (String op : List.of("DebugIdentity", "DebugNanCount", "DebugNumericSummary")) {
            sample(named(op, "tensor_name", "x:0"), odd);
            sample(named(op, "tensor_name", "x:0"), ints(-2, 0, 4, 4));
            sample(named(op, "tensor_name", "x:0"), doubles(2, 0));
            sample(named(op, "tensor_name", "x:0"), floats(3));
            sample(named(op), floats(3));
        }
        sample(
                named("DebugNumericSummary", "tensor_name", "x:0", "lower_bound", -1f, "upper_bound", 1f),
                floats(4, 5, 2));
        for (long mode : new long[] {2, 3, 4, 5, 8}) {
            for (DType d : List.of(DType.F32, DType.F64)) {
                Op op = named("DebugNumericSummaryV2", "tensor_debug_mode", mode, "tensor_id", 7L, "output_dtype", d);
                sample(op, odd);
                sample(op, ints(-2, 0, 4, 4));
                sample(op, doubles(2, 0));
                sample(op, random(DType.F16, -2, 2, 9, 1, 2, 1, 3, 1, 1, 2));
            }
        }
        sample(named("AdjustContrast"), random(DType.U8, 0, 255, 5, 2, 3, 4, 2), value(1.5), value(10), value(200));
        sample(named("AdjustContrast"), floats(6, 3, 2, 1), value(-0.5), value(-1), value(1));
    }

    private void references() {
        program("DebugGradientRefIdentity", p -> {
            Edge v = variable(p, "seen", 1);
            p.fetch(p.add(named("DebugGradientRefIdentity"), v).edge(0));
        });
        for (int i : new int[] {0, 1, 2, -1})
            program("RefSelect", p -> {
                Edge index = p.constant(Tensor.scalar(i)), a = variable(p, "a", 1), b = variable(p, "b", 2);
                p.fetch(p.add(named("RefSelect"), index, a, b).edge(0));
            });
        for (List<String> names :
                List.of(List.of("CPU", "GPU"), List.of("GPU", "CPU"), List.of("TPU"), List.<String>of()))
            program(
                    "DeviceIndex",
                    p -> p.fetch(
                            p.add(named("DeviceIndex", "device_names", names)).edge(0)));
    }

    private static Edge variable(Program p, String name, int seed) {
        Edge v = p.add(new VariableV2(Shape.of(2), DType.F32, "", name)).edge(0);
        p.target(p.add(new Assign(true), v, p.constant(floats(seed, 2))));
        return v;
    }

    private static Tensor value(double v) {
        return Tensor.scalar((float) v);
    }

    private void maps() {
        program("TensorMapInsert", p -> {
            Edge none = p.add(named("EmptyTensorMap")).edge(0);
            Edge one = insert(p, none, Tensor.scalar(3), floats(7, 2)),
                    two = insert(p, one, Tensor.scalar(5), floats(8, 2));
            Edge changed = insert(p, two, Tensor.scalar(3), floats(9, 2));
            Edge key = p.constant(Tensor.scalar(3));
            p.fetch(
                    size(p, none),
                    size(p, two),
                    size(p, changed),
                    p.add(named("TensorMapLookup", "value_dtype", DType.F32), two, key)
                            .edge(0),
                    p.add(named("TensorMapLookup", "value_dtype", DType.F32), changed, key)
                            .edge(0));
        });
        for (boolean there : new boolean[] {true, false}) {
            Tensor key = Tensor.of(Shape.of(2), there ? "a" : "x", "b");
            for (String op : List.of("TensorMapHasKey", "TensorMapErase", "TensorMapLookup"))
                program(op, p -> {
                    Edge map = insert(
                            p,
                            p.add(named("EmptyTensorMap")).edge(0),
                            Tensor.of(Shape.of(2), "a", "b"),
                            Tensor.scalar(1.5));
                    Edge k = p.constant(key);
                    Node n = op.equals("TensorMapHasKey")
                            ? p.add(named(op), map, k)
                            : p.add(named(op, "value_dtype", DType.F64), map, k);
                    p.fetch(op.equals("TensorMapErase") ? size(p, n.edge(0)) : n.edge(0));
                });
        }
        program("TensorMapStackKeys", p -> {
            Edge map = insert(p, p.add(named("EmptyTensorMap")).edge(0), ints(4, 1), value(1));
            p.fetch(p.add(named("TensorMapStackKeys", "key_dtype", DType.I32), map)
                    .edge(0));
        });
        program(
                "TensorMapStackKeys",
                p -> p.fetch(p.add(
                                named("TensorMapStackKeys", "key_dtype", DType.I32),
                                p.add(named("EmptyTensorMap")).edge(0))
                        .edge(0)));
        program(
                "TensorMapSize",
                p -> p.fetch(size(p, p.add(named("EmptyTensorMap")).edge(0))));
        program(
                "EmptyTensorMap",
                p -> p.fetch(size(p, p.add(named("EmptyTensorMap")).edge(0))));
    }

    private static Edge insert(Program p, Edge map, Tensor key, Tensor value) {
        return p.add(named("TensorMapInsert"), map, p.constant(key), p.constant(value))
                .edge(0);
    }

    private static Edge size(Program p, Edge map) {
        return p.add(named("TensorMapSize"), map).edge(0);
    }

    private void scripts() {
        sample(
                named("UnicodeScript"),
                ints('a', 0x3b1, 0x4e00, 0x5d0, ' ', 0x300, -1, 0x110000, 0xd800, 0x1e900, 0x3042));
        sample(named("UnicodeScript"), Tensor.of(Shape.of(2, 2), 1, 2, 0xe01, 0x10ffff));
    }
}
