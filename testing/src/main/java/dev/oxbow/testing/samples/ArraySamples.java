package dev.oxbow.testing.samples;

import static dev.oxbow.tensor.DType.BOOL;
import static dev.oxbow.tensor.DType.C64;
import static dev.oxbow.tensor.DType.F16;
import static dev.oxbow.tensor.DType.F32;
import static dev.oxbow.tensor.DType.F64;
import static dev.oxbow.tensor.DType.I16;
import static dev.oxbow.tensor.DType.I32;
import static dev.oxbow.tensor.DType.I64;
import static dev.oxbow.tensor.DType.I8;
import static dev.oxbow.tensor.DType.U8;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.Op;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.List;
import java.util.Map;

/** Samples of shapes, slices, joins, gathers, scatters, diagonals, blocks and searches. */
public final class ArraySamples extends SampleFamily {
    private static final Tensor WORDS = Tensor.of(Shape.of(2, 2), "a", "bb", "", "d");

    @Override
    public String name() {
        return "array";
    }

    @Override
    protected void define() {
        shapes();
        fills();
        joins();
        slices();
        assignments();
        transpositions();
        gathers();
        scatters();
        repeats();
        reversals();
        diagonals();
        blocks();
        patches();
        partitions();
        uniques();
        searches();
        placeholders();
        for (String op :
                "BatchMatrixBandPart BatchMatrixDiag BatchMatrixDiagPart BatchMatrixSetDiag TileGrad TopK".split(" ")) {
            unanswered(op, "removed from current versions of GraphDef");
        }
        unanswered("PlaceholderV2", "removed from current versions of GraphDef");
    }

    private static Tensor longs(long... values) {
        return Tensor.of(Shape.of(values.length), values);
    }

    private static Tensor pairs(int... values) {
        return Tensor.of(Shape.of(values.length / 2, 2), values);
    }

    private void shapes() {
        Tensor x = doubles(1, 2, 1, 3), empty = floats(2, 0, 2);
        for (DType d : List.of(I32, I64)) {
            sample(named("Shape", "out_type", d), x);
            sample(named("Size", "out_type", d), empty);
            sample(named("ShapeN", "out_type", d), floats(3, 2), floats(4, 1, 3));
        }
        sample(named("Rank"), x);
        sample(named("Reshape"), x, ints(3, -1));
        sample(named("Reshape"), empty, longs(0, 5));
        sample(named("Reshape"), WORDS, ints(4));
        for (int axis : new int[] {0, 2, -1}) sample(named("ExpandDims"), x, scalar(axis));
        sample(named("Squeeze"), x);
        sample(named("Squeeze", "squeeze_dims", List.of(-2L)), x);
        sample(named("EnsureShape", "shape", Shape.of(2, -1, 3)), x);
        sample(named("EnsureShape", "shape", Shape.of(3, 3)), floats(5, 3, 3));
        sample(named("BroadcastTo"), doubles(6, 2, 1), ints(3, 2, 2));
        sample(named("BroadcastTo"), WORDS, longs(1, 2, 2));
        sample(named("BroadcastArgs"), ints(2, 1), ints(3, 1, 4));
        sample(named("BroadcastGradientArgs"), ints(2, 1), ints(3, 1, 4));
        sample(named("BroadcastGradientArgs"), longs(5), longs());
        sample(named("UnravelIndex"), ints(0, 5, 3), ints(2, 3));
        sample(named("UnravelIndex"), Tensor.scalar(4L), longs(2, 3));
        sample(named("Bitcast", "type", I32), floats(7, 2));
        sample(named("Bitcast", "type", U8), floats(7, 2));
        sample(named("Bitcast", "type", F64), ints(1, 2));
        sample(named("DataFormatDimMap"), ints(0, 1, 2, 3, -1));
        sample(named("DataFormatVecPermute"), ints(1, 2, 3, 4));
        sample(
                named("DataFormatVecPermute", "src_format", "NCHW", "dst_format", "NHWC"),
                pairs(1, 2, 3, 4, 5, 6, 7, 8));
    }

    private void fills() {
        sample(named("Fill"), ints(2, 3), Tensor.scalar(1.5));
        sample(named("Fill"), longs(0, 3), Tensor.scalar("a"));
        sample(named("Fill"), ints(), Tensor.scalar(true));
        for (DType d : List.of(F32, F64, I32, C64, BOOL)) {
            sample(named("ZerosLike"), Tensor.zeros(d, Shape.of(2, 1)));
            sample(named("OnesLike"), Tensor.zeros(d, Shape.of(2, 1)));
        }
        sample(named("ZerosLike"), WORDS);
        sample(named("Empty", "dtype", F32, "init", true), ints(2, 2));
        sample(named("HostConst", "value", WORDS));
        for (Shape shape : List.of(Shape.of(2, 3), Shape.of(-1, 3), Shape.UNKNOWN))
            program("FakeParam", p -> {
                Edge y = p.add(named("FakeParam", "dtype", F32, "shape", shape)).edge(0);
                p.fetch(p.add(named("Shape"), y).edge(0));
            });
        sample(named("DeepCopy"), floats(11, 3));
        sample(named("Snapshot"), floats(12, 3));
        sample(named("GuaranteeConst"), floats(13, 3));
        sample(named("Range"), scalar(2), scalar(9), scalar(3));
        sample(named("Range"), Tensor.scalar(1f), Tensor.scalar(-1f), Tensor.scalar(-0.5f));
        sample(named("Range"), Tensor.scalar(3L), Tensor.scalar(3L), Tensor.scalar(1L));
        sample(named("OneHot"), ints(0, 2, -1), scalar(3), Tensor.scalar(2f), Tensor.scalar(-1f));
        sample(
                named("OneHot", "axis", 0L),
                Tensor.of(Shape.of(1, 2), 0L, 1L),
                scalar(2),
                Tensor.scalar(true),
                Tensor.scalar(false));
        for (String op : List.of("InplaceUpdate", "InplaceAdd", "InplaceSub")) {
            sample(named(op), floats(14, 3, 2), ints(2, 0), floats(15, 2, 2));
        }
    }

    private void joins() {
        sample(named("ConcatV2"), doubles(21, 2, 1), doubles(22, 2, 3), scalar(1));
        sample(named("ConcatV2"), doubles(21, 2, 2), doubles(22, 0, 2), doubles(23, 1, 2), Tensor.scalar(-2L));
        sample(named("ConcatV2"), WORDS, WORDS, scalar(0));
        sample(named("Concat"), scalar(0), doubles(24, 2, 2), doubles(25, 1, 2));
        sample(named("ConcatOffset"), scalar(1), ints(2, 3), ints(2, 5), ints(2, 1));
        sample(named("ParallelConcat", "shape", Shape.of(2, 3)), floats(26, 1, 3), floats(27, 1, 3));
        for (int axis : new int[] {0, 1, -1}) {
            sample(named("Pack", "axis", (long) axis), doubles(28, 2, 3), doubles(29, 2, 3));
        }
        sample(named("Pack"), WORDS);
        sample(named("Unpack", "num", 2L), doubles(30, 2, 3));
        sample(named("Unpack", "num", 3L, "axis", -1L), random(I32, 0, 9, 31, 2, 3));
        sample(named("Split", "num_split", 2L), scalar(1), doubles(32, 2, 4));
        sample(named("Split", "num_split", 3L), scalar(-2), floats(33, 3, 0));
        sample(named("SplitV", "num_split", 3L), doubles(34, 5, 2), ints(1, -1, 2), scalar(0));
        sample(named("SplitV", "num_split", 2L), WORDS, longs(2, 0), scalar(1));
    }

    private void slices() {
        Tensor x = doubles(41, 3, 4, 2);
        sample(named("Slice"), x, ints(1, 0, 1), ints(2, -1, 1));
        sample(named("Slice"), WORDS, longs(0, 1), longs(2, 1));
        sample(named("Slice"), x, ints(3, 0, 0), ints(0, 4, 2));
        Tensor begin = ints(0, 3, 1), end = ints(2, 0, 2), step = ints(1, -2, 1);
        sample(named("StridedSlice"), x, begin, end, step);
        sample(named("StridedSlice", "begin_mask", 1L, "end_mask", 2L), x, begin, end, step);
        sample(named("StridedSlice", "shrink_axis_mask", 4L), x, begin, end, step);
        sample(named("StridedSlice", "ellipsis_mask", 1L, "new_axis_mask", 2L), x, begin, end, step);
        sample(named("StridedSlice"), WORDS, ints(1), ints(2), ints(1));
        sample(named("StridedSliceGrad"), ints(3, 4, 2), begin, end, step, doubles(42, 2, 2, 1));
        sample(named("StridedSliceGrad", "shrink_axis_mask", 4L), ints(3, 4, 2), begin, end, step, doubles(42, 2, 2));
        sample(named("TensorStridedSliceUpdate"), x, begin, end, step, doubles(43, 2, 2, 1));
        sample(named("TensorStridedSliceUpdate"), floats(44, 4), ints(0), ints(4), ints(2), floats(45, 2));
        for (String mode : List.of("REFLECT", "SYMMETRIC")) {
            sample(named("MirrorPad", "mode", mode), doubles(46, 3, 3), pairs(1, 2, 0, 1));
            sample(named("MirrorPadGrad", "mode", mode), doubles(47, 6, 4), pairs(1, 2, 0, 1));
        }
        sample(named("Pad"), doubles(48, 2, 1), pairs(1, 0, 0, 2));
        sample(named("Pad"), WORDS, pairs(0, 1, 1, 0));
        sample(named("PadV2"), doubles(48, 2, 1), pairs(1, 0, 0, 2), Tensor.scalar(3d));
        sample(named("PadV2"), random(I32, 0, 9, 49, 0, 2), pairs(1, 0, 0, 1), scalar(7));
    }

    private void assignments() {
        program("StridedSliceAssign", p -> {
            Node v = p.add(named("VariableV2", "shape", Shape.of(3, 2), "dtype", F32));
            Node set = p.add(named("Assign"), v.edge(0), p.constant(floats(51, 3, 2)));
            Edge from = p.constant(ints(0, 1)), to = p.constant(ints(3, 2)), by = p.constant(ints(2, 1));
            Node change = p.add(named("StridedSliceAssign"), v.edge(0), from, to, by, p.constant(floats(52, 2, 1)));
            p.target(set).fetch(change.edge(0)).run(Map.of(), List.of(v.edge(0)));
        });
        program("ResourceStridedSliceAssign", p -> {
            Node v = p.add(named("VarHandleOp", "dtype", F32, "shape", Shape.of(3, 2)));
            Node set = p.add(named("AssignVariableOp"), v.edge(0), p.constant(floats(53, 3, 2)));
            Edge from = p.constant(ints(1)), to = p.constant(ints(2)), by = p.constant(ints(1));
            Op assign = named("ResourceStridedSliceAssign", "shrink_axis_mask", 1L);
            Node change = p.add(assign, v.edge(0), from, to, by, p.constant(floats(54, 2)));
            Node read = p.add(named("ReadVariableOp", "dtype", F32), v.edge(0));
            p.target(set).target(change).fetch(read.edge(0));
        });
    }

    private void transpositions() {
        sample(named("Transpose"), doubles(61, 2, 3, 4), ints(2, 0, 1));
        sample(named("Transpose"), WORDS, ints(1, 0));
        sample(named("Transpose"), random(I8, 0, 9, 62, 3, 2), longs(1, 0));
        sample(named("ConjugateTranspose"), random(C64, -1, 1, 63, 2, 3), ints(1, 0));
        sample(named("ConjugateTranspose"), doubles(64, 2, 3), ints(1, 0));
        sample(named("InvertPermutation"), ints(2, 0, 1));
        sample(named("InvertPermutation"), longs(0));
    }

    private void gathers() {
        sample(named("Gather"), doubles(71, 4, 2), ints(3, 0, 0));
        sample(named("Gather"), WORDS, Tensor.of(Shape.of(1, 2), 1L, 0L));
        sample(named("GatherV2"), doubles(72, 2, 4), ints(3, 1, 1), scalar(1));
        sample(named("GatherV2"), doubles(73, 4, 2), Tensor.of(Shape.of(2, 2), 3, 1, 0, 3), scalar(0));
        sample(
                named("GatherV2", "batch_dims", 1L),
                doubles(74, 2, 3, 2),
                Tensor.of(Shape.of(2, 2), 2, 0, 1, 1),
                scalar(1));
        sample(
                named("GatherV2", "batch_dims", -1L),
                doubles(75, 2, 3, 2),
                Tensor.of(Shape.of(2, 2), 1, 0, 1, 1),
                scalar(-1));
        sample(named("GatherV2"), floats(76, 3, 2), ints(), scalar(0));
        sample(named("GatherNd"), doubles(77, 3, 2), pairs(0, 1, 2, 0));
        sample(named("GatherNd"), doubles(78, 3, 2), Tensor.of(Shape.of(2, 1), 2L, 2L));
        sample(named("GatherNd"), WORDS, pairs(1, 1));
    }

    private void scatters() {
        Tensor indices = Tensor.of(Shape.of(2, 1), 2, 0), twice = Tensor.of(Shape.of(3, 1), 1, 1, 0);
        sample(named("ScatterNd"), twice, doubles(81, 3, 2), ints(4, 2));
        sample(named("ScatterNd"), pairs(0, 1, 1, 0), ints(5, 6), ints(2, 2));
        sample(named("ScatterNdNonAliasingAdd"), doubles(82, 3, 2), twice, doubles(83, 3, 2));
        for (String op : "Update Add Sub Min Max".split(" ")) {
            sample(named("TensorScatter" + op), doubles(84, 3, 2), indices, doubles(85, 2, 2));
            sample(named("TensorScatter" + op), ints(4, 5, 6), indices, ints(1, 9));
        }
        Tensor places = pairs(0, 1, 1, 0);
        sample(named("SparseToDense"), places, ints(2, 2), doubles(86, 2), Tensor.scalar(0.5));
        sample(
                named("SparseToDense", "validate_indices", false),
                ints(3, 1),
                ints(4),
                Tensor.scalar("a"),
                Tensor.scalar("-"));
        sample(named("SparseToDense"), scalar(1), ints(3), scalar(7), scalar(0));
        Tensor rows = Tensor.of(Shape.of(3, 2), 0L, 0L, 0L, 1L, 1L, 0L), shape = longs(2, 2);
        for (boolean normalize : new boolean[] {true, false}) {
            sample(
                    named("EditDistance", "normalize", normalize),
                    rows,
                    Tensor.of(Shape.of(3), "a", "b", "c"),
                    shape,
                    Tensor.of(Shape.of(3, 2), 0L, 0L, 0L, 1L, 0L, 2L),
                    Tensor.of(Shape.of(3), "a", "x", "b"),
                    longs(2, 3));
        }
    }

    private void repeats() {
        sample(named("Tile"), doubles(91, 2, 3), ints(2, 1));
        sample(named("Tile"), WORDS, longs(1, 2));
        sample(named("Tile"), doubles(92, 2), ints(0));
        sample(named("TileGrad"), floats(93, 4, 6), ints(2, 3));
    }

    private void reversals() {
        sample(named("Reverse"), doubles(101, 2, 3), Tensor.of(Shape.of(2), false, true));
        sample(named("ReverseV2"), doubles(102, 2, 3), ints(0, -1));
        sample(named("ReverseV2"), WORDS, ints(1));
        sample(named("ReverseV2"), random(I16, 0, 9, 103, 3), ints());
        sample(named("ReverseSequence", "seq_dim", 1L, "batch_dim", 0L), doubles(104, 2, 4), ints(3, 0));
        sample(named("ReverseSequence", "seq_dim", 0L, "batch_dim", 2L), doubles(105, 3, 1, 2), longs(2, 3));
        sample(named("Roll"), doubles(106, 3, 4), ints(1, -2), ints(0, 1));
        sample(named("Roll"), random(I32, 0, 9, 107, 5), scalar(7), scalar(0));
    }

    private void diagonals() {
        sample(named("Diag"), doubles(111, 2));
        sample(named("Diag"), random(I32, 1, 9, 112, 2, 2));
        sample(named("DiagPart"), doubles(113, 2, 3, 2, 3));
        for (String prefix : List.of("", "Batch")) {
            sample(named(prefix + "MatrixDiag"), doubles(114, 2, 3));
            sample(named(prefix + "MatrixDiagPart"), doubles(115, 2, 3, 2));
            sample(named(prefix + "MatrixSetDiag"), doubles(116, 2, 3, 2), doubles(117, 2, 2));
            sample(named(prefix + "MatrixBandPart"), doubles(118, 2, 3, 4), Tensor.scalar(1L), Tensor.scalar(-1L));
        }
        sample(named("MatrixBandPart"), random(I32, 1, 9, 119, 3, 3), scalar(0), scalar(1));
        Tensor any = scalar(-1), zero = Tensor.scalar(0d), pad = Tensor.scalar(7d);
        sample(named("MatrixDiagV2"), doubles(120, 2, 3), ints(1), any, any, pad);
        sample(named("MatrixDiagPartV2"), doubles(121, 2, 3, 4), ints(-1, 1), pad);
        sample(named("MatrixSetDiagV2"), doubles(122, 3, 4), doubles(123, 2, 3), ints(0, 1));
        for (String align : List.of("LEFT_RIGHT", "RIGHT_LEFT", "LEFT_LEFT", "RIGHT_RIGHT")) {
            sample(named("MatrixDiagV3", "align", align), doubles(124, 3, 3), ints(-1, 1), any, any, zero);
            sample(named("MatrixDiagPartV3", "align", align), doubles(125, 3, 4), ints(-2, 1), pad);
            sample(named("MatrixSetDiagV3", "align", align), doubles(126, 3, 4), doubles(127, 4, 3), ints(-2, 1));
        }
        sample(named("MatrixDiagV3"), doubles(128, 2), scalar(-1), scalar(4), scalar(2), pad);
    }

    private void blocks() {
        sample(named("SpaceToBatchND"), doubles(131, 1, 3, 2, 2), ints(2, 1), pairs(1, 0, 0, 1));
        sample(named("BatchToSpaceND"), doubles(132, 4, 2, 1, 2), ints(2, 2), pairs(1, 0, 0, 1));
        sample(named("SpaceToBatch", "block_size", 2L), doubles(133, 1, 2, 3, 1), pairs(0, 0, 1, 0));
        sample(named("BatchToSpace", "block_size", 2L), doubles(134, 4, 1, 2, 1), pairs(0, 1, 1, 0));
        sample(named("SpaceToDepth", "block_size", 2L), doubles(135, 1, 2, 4, 2));
        sample(named("DepthToSpace", "block_size", 2L), doubles(136, 1, 1, 2, 8));
    }

    private void patches() {
        List<Long> sizes = List.of(1L, 2L, 3L, 1L), strides = List.of(1L, 1L, 2L, 1L), rates = List.of(1L, 2L, 1L, 1L);
        for (String padding : List.of("SAME", "VALID")) {
            sample(
                    named(
                            "ExtractImagePatches",
                            "ksizes",
                            sizes,
                            "strides",
                            strides,
                            "rates",
                            rates,
                            "padding",
                            padding),
                    doubles(141, 2, 3, 4, 2));
            sample(
                    named(
                            "ExtractVolumePatches",
                            "ksizes",
                            List.of(1L, 2L, 2L, 1L, 1L),
                            "strides",
                            List.of(1L, 1L, 2L, 1L, 1L),
                            "padding",
                            padding),
                    doubles(142, 1, 3, 3, 2, 2));
        }
    }

    private void partitions() {
        sample(named("DynamicPartition", "num_partitions", 3L), doubles(151, 4, 2), ints(2, 0, 2, 0));
        sample(named("DynamicPartition", "num_partitions", 2L), WORDS, pairs(0, 1, 1, 1));
        for (String op : List.of("DynamicStitch", "ParallelDynamicStitch")) {
            sample(named(op), ints(0, 3), Tensor.of(Shape.of(1, 2), 2, 1), doubles(152, 2, 2), doubles(153, 1, 2, 2));
            sample(named(op), ints(), scalar(0), floats(154, 0, 3), floats(155, 3));
        }
    }

    private void uniques() {
        Tensor x = ints(4, 1, 4, 2, 1), rows = Tensor.of(Shape.of(3, 2), 1, 2, 3, 4, 1, 2);
        Tensor words = Tensor.of(Shape.of(3), "b", "a", "b");
        for (DType d : List.of(I32, I64)) {
            for (String op : List.of("Unique", "UniqueWithCounts")) {
                sample(named(op, "out_idx", d), x);
                sample(named(op, "out_idx", d), words);
                sample(named(op, "out_idx", d), floats(161, 0));
                sample(named(op + "V2", "out_idx", d), rows, longs(0));
                sample(named(op + "V2", "out_idx", d), rows, longs(1));
                sample(named(op + "V2", "out_idx", d), words, longs());
            }
            sample(named("ListDiff", "out_idx", d), x, ints(1, 9));
            sample(named("ListDiff", "out_idx", d), words, Tensor.of(Shape.of(1), "b"));
        }
        sample(named("Where"), Tensor.of(Shape.of(2, 2), true, false, true, true));
        sample(named("Where"), Tensor.of(Shape.of(3), 0f, 2f, Float.NaN));
        sample(named("Where"), random(I64, 0, 2, 162, 2, 2, 2));
        sample(named("Where"), Tensor.zeros(BOOL, Shape.of(0)));
    }

    private void searches() {
        for (DType d : List.of(F64, F16, I32)) {
            sample(named("TopKV2"), random(d, -50, 50, 171, 2, 5), scalar(3));
            sample(named("TopK", "k", 2L), random(d, -50, 50, 172, 4));
        }
        sample(named("TopKV2"), floats(173, 3), scalar(0));
        for (boolean reverse : new boolean[] {false, true}) {
            sample(named("NthElement", "reverse", reverse), doubles(174, 2, 5), scalar(1));
        }
        sample(named("InTopK", "k", 2L), floats(175, 3, 4), ints(0, 3, 9));
        sample(named("InTopKV2"), floats(175, 3, 4), ints(0, 3, 1), scalar(1));
        Tensor sorted = Tensor.of(Shape.of(2, 4), 0f, 1f, 1f, 3f, -1f, 0f, 0f, 9f);
        Tensor values = Tensor.of(Shape.of(2, 2), 1f, 4f, 0f, -2f);
        for (DType d : List.of(I32, I64)) {
            sample(named("LowerBound", "out_type", d), sorted, values);
            sample(named("UpperBound", "out_type", d), sorted, values);
        }
    }

    private void placeholders() {
        sample(named("PlaceholderWithDefault", "shape", Shape.of(-1)), doubles(181, 3));
        program("PlaceholderV2", p -> {
            Node x = p.add(named("PlaceholderV2", "dtype", F32, "shape", Shape.of(2)));
            Node y = p.add(named("Neg"), x.edge(0));
            p.run(Map.of("PlaceholderV2:0", floats(182, 2)), List.of(y.edge(0)));
        });
    }
}
