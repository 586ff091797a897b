package dev.oxbow.testing.samples;

import static dev.oxbow.tensor.DType.BF16;
import static dev.oxbow.tensor.DType.BOOL;
import static dev.oxbow.tensor.DType.C128;
import static dev.oxbow.tensor.DType.C64;
import static dev.oxbow.tensor.DType.F16;
import static dev.oxbow.tensor.DType.F32;
import static dev.oxbow.tensor.DType.F64;
import static dev.oxbow.tensor.DType.I16;
import static dev.oxbow.tensor.DType.I32;
import static dev.oxbow.tensor.DType.I64;
import static dev.oxbow.tensor.DType.I8;
import static dev.oxbow.tensor.DType.U16;
import static dev.oxbow.tensor.DType.U8;

import dev.oxbow.graph.Op;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.List;
import java.util.Set;

/** Samples of elementwise ops, reductions, scans, segments and counts. */
public final class MathSamples extends SampleFamily {

    /** Unary ops that TensorFlow's CPU kernels lack for f16. */
    private static final Set<String> NO_HALF =
            Set.of("Dawsn", "Erfinv", "Expint", "FresnelCos", "FresnelSin", "Ndtri", "Rint", "Spence");

    @Override
    public String name() {
        return "math";
    }

    @Override
    protected void define() {
        unary();
        binary();
        comparisons();
        bits();
        choices();
        complexParts();
        casts();
        sums();
        reductions();
        scans();
        segments();
        sparseSegments();
        counts();
        quantised();
        for (String op : "SegmentSumV2 SegmentProdV2 SegmentMinV2 SegmentMaxV2".split(" ")) {
            unanswered(op, "TensorFlow has it for accelerators only");
        }
        unanswered("CompareAndBitpack", "no longer part of TensorFlow");
        unanswered("QuantizeAndDequantize", "removed from current versions of GraphDef");
    }

    private void unary() {
        unary(-2, 2, "Neg Sign Square Exp Expm1 Sin Cos Tan Atan Sinh Cosh Tanh Asinh Sigmoid");
        unary(0.2, 3, "Sqrt Rsqrt Log Log1p Inv Reciprocal");
        unary(-0.8, 0.8, "Asin Acos Atanh");
        unary(1.2, 4, "Acosh");
        realUnary(-8, 8, "Softplus");
        realUnary(-2, 2, "Abs Erf Erfc Softsign Elu Selu Relu BesselI0 BesselI0e BesselI1 BesselI1e");
        realUnary(-0.8, 0.8, "Erfinv");
        realUnary(0.1, 0.9, "Ndtri");
        realUnary(0.3, 4, "Lgamma Digamma BesselJ0 BesselJ1 BesselK0 BesselK0e BesselK1 BesselK1e BesselY0 BesselY1");
        realUnary(0.3, 2, "Dawsn Expint FresnelCos FresnelSin Spence");
        realUnary(-3, 8, "Relu6 Round Rint Floor Ceil");
        for (String op : List.of("Relu", "Relu6", "Abs", "Neg", "Sign", "Square")) {
            sample(named(op), ints(-7, -1, 0, 3, 6, 9));
        }
        for (double alpha : new double[] {0.2, 0.7})
            sample(named("LeakyRelu", "alpha", (float) alpha), doubles(3, 2, 3));
        Tensor odd = Tensor.of(Shape.of(4), Float.NaN, Float.POSITIVE_INFINITY, Float.NEGATIVE_INFINITY, 1f);
        for (String op : List.of("IsNan", "IsInf", "IsFinite", "Floor", "Relu", "Sign", "Abs", "Tanh", "Sigmoid")) {
            sampleWithoutGradient(named(op), odd);
        }
        sample(named("LogicalNot"), Tensor.of(Shape.of(2), true, false));
    }

    private void unary(double low, double high, String ops) {
        realUnary(low, high, ops);
        for (String op : ops.split(" ")) {
            sampleWithoutGradient(named(op), random(C64, low, high, 11, 3));
            sampleWithoutGradient(named(op), random(C128, low, high, 12, 2, 2));
        }
    }

    private void realUnary(double low, double high, String ops) {
        for (String op : ops.split(" ")) {
            sample(named(op), random(F64, low, high, 7, 2, 3));
            sampleWithoutGradient(named(op), random(F32, low, high, 8, 5));
            if (!NO_HALF.contains(op)) sampleWithoutGradient(named(op), random(F16, low, high, 9, 3));
            sampleWithoutGradient(named(op), random(F32, low, high, 10, 0, 2));
            sampleWithoutGradient(named(op), random(F32, low, high, 10));
        }
    }

    private void binary() {
        String smooth = "Add AddV2 Sub Mul Div RealDiv DivNoNan MulNoNan Xlogy Xlog1py Xdivy Pow SquaredDifference";
        for (String op : smooth.split(" ")) {
            numbers(op, 0.3, 2);
            sampleWithoutGradient(named(op), random(C64, 0.3, 2, 21, 3), random(C64, 0.3, 2, 22, 1));
        }
        for (String op : "Maximum Minimum Atan2 FloorMod".split(" ")) numbers(op, 0.3, 4);
        for (String op : "Mod TruncateMod FloorDiv TruncateDiv".split(" ")) plain(op, -5, 5);
        sample(named("NextAfter"), 1e-4, 1e-3, doubles(1, 3), doubles(2, 3));
        for (String op : "Igamma Igammac".split(" ")) {
            sample(named(op), random(F64, 0.5, 3, 31, 3), random(F64, 0.5, 3, 32, 3));
            sampleWithoutGradient(named(op), random(F32, 0.5, 3, 33, 2, 1), random(F32, 0.5, 3, 34, 3));
        }
        sample(named("IgammaGradA"), random(F64, 0.5, 3, 35, 3), random(F64, 0.5, 3, 36, 3));
        sampleWithoutGradient(named("Zeta"), random(F64, 2, 4, 37, 3), random(F64, 0.5, 3, 38, 3));
        sampleWithoutGradient(named("Polygamma"), Tensor.of(Shape.of(3), 0d, 1d, 2d), random(F64, 0.5, 3, 39, 3));
        for (String op : "InvGrad ReciprocalGrad SqrtGrad RsqrtGrad SigmoidGrad TanhGrad".split(" ")) {
            sample(named(op), random(F64, 0.3, 0.9, 41, 2, 2), random(F64, -1, 1, 42, 2, 2));
            sampleWithoutGradient(named(op), random(F32, 0.3, 0.9, 43, 3), random(F32, -1, 1, 44, 3));
            sampleWithoutGradient(named(op), random(C64, 0.3, 0.9, 43, 3), random(C64, -1, 1, 44, 3));
        }
        for (String op : "SoftplusGrad EluGrad SeluGrad".split(" ")) {
            sample(named(op), random(F64, -1, 1, 45, 2, 2), random(F64, -0.9, 0.9, 46, 2, 2));
        }
        for (String op : "SoftsignGrad ReluGrad Relu6Grad".split(" ")) {
            sampleWithoutGradient(named(op), random(F32, -1, 1, 45, 2, 3), random(F32, -4, 8, 46, 2, 3));
        }
        sampleWithoutGradient(named("LeakyReluGrad", "alpha", 0.3f), doubles(47, 4), doubles(48, 4));
        sample(named("Betainc"), random(F64, 0.5, 2, 51, 3), random(F64, 0.5, 2, 52, 3), random(F64, 0.2, 0.8, 53, 3));
        sampleWithoutGradient(
                named("Betainc"), random(F32, 1, 2, 54), random(F32, 1, 2, 55), random(F32, 0, 1, 56, 2, 2));
        sample(named("Add"), Tensor.of(Shape.of(2, 1), "a", "b"), Tensor.of(Shape.of(2), "x", ""));
        sample(named("Cross"), doubles(57, 2, 3), doubles(58, 2, 3));
        sample(named("Cross"), ints(1, 2, 3), ints(-4, 5, 6));
    }

    private void numbers(String op, double low, double high) {
        sample(named(op), random(F64, low, high, 13, 2, 3), random(F64, low, high, 14, 2, 3));
        sample(named(op), random(F64, low, high, 15, 2, 1), random(F64, low, high, 16, 3));
        plain(op, low, high);
    }

    private void plain(String op, double low, double high) {
        sampleWithoutGradient(named(op), random(F32, low, high, 17, 2, 3), random(F32, low, high, 18));
        sampleWithoutGradient(named(op), random(F32, low, high, 17, 0, 3), random(F32, low, high, 18, 3));
        if (allows(op, I32) && !op.equals("RealDiv")) {
            sample(named(op), ints(7, 9, -8, 4, 0), ints(2, 3, 3, 4, 5));
            sample(named(op), random(I64, 1, 9, 19, 2, 2), random(I64, 1, 4, 20, 2));
        }
    }

    private static boolean allows(String op, DType dtype) {
        Set<DType> types = named(op).signature().attribute("T").allowedTypes();
        return types == null || types.contains(dtype);
    }

    private void comparisons() {
        for (String op : "Less LessEqual Greater GreaterEqual Equal NotEqual".split(" ")) {
            for (DType d : List.of(F32, F64, F16, I32, I64, U8, I8)) {
                sample(named(op), random(d, 0, 4, 61, 2, 3), random(d, 0, 4, 62, 3));
            }
            sample(named(op), floats(1, 0), floats(2, 1));
        }
        for (String op : List.of("Equal", "NotEqual")) {
            sample(named(op), Tensor.of(Shape.of(2), "a", "b"), Tensor.scalar("a"));
            sample(named(op), Tensor.of(Shape.of(2), true, false), Tensor.of(Shape.of(2), true, true));
            sample(named(op), random(C64, 0, 2, 63, 2), random(C64, 0, 2, 63, 2));
            sample(named(op, "incompatible_shape_error", false), floats(1, 2), floats(2, 3));
        }
        sample(named("ApproximateEqual", "tolerance", 0.5f), floats(64, 4), floats(65, 4));
        sample(named("ApproximateEqual"), doubles(66, 3), doubles(66, 3));
    }

    private void bits() {
        Tensor truths = Tensor.of(Shape.of(2, 1), true, false), others = Tensor.of(Shape.of(2), false, true);
        for (String op : List.of("LogicalAnd", "LogicalOr")) sample(named(op), truths, others);
        for (DType d : List.of(I8, I16, I32, I64, U8, U16)) {
            for (String op : "BitwiseAnd BitwiseOr BitwiseXor LeftShift RightShift".split(" ")) {
                sample(named(op), random(d, 1, 100, 71, 2, 2), random(d, 0, 6, 72, 2));
            }
            sample(named("Invert"), random(d, 0, 100, 73, 3));
            sample(named("PopulationCount"), random(d, 0, 100, 74, 3));
        }
    }

    private void choices() {
        Tensor matrix = Tensor.of(Shape.of(2, 2), true, false, false, true), rows = Tensor.of(Shape.of(2), true, false);
        sample(named("Select"), matrix, doubles(81, 2, 2), doubles(82, 2, 2));
        sample(named("Select"), rows, doubles(81, 2, 2), doubles(82, 2, 2));
        sample(named("Select"), Tensor.scalar(true), floats(83, 3), floats(84, 3));
        sample(named("Select"), rows, Tensor.of(Shape.of(2), "a", "b"), Tensor.of(Shape.of(2), "c", "d"));
        sample(named("SelectV2"), matrix, doubles(81, 2), doubles(82, 2, 1));
        sample(named("SelectV2"), rows, Tensor.of(Shape.of(2), "a", "b"), Tensor.scalar("c"));
        sample(named("SelectV2"), rows, random(C64, 0, 1, 85, 2), random(C64, 0, 1, 86, 2));
        sample(named("ClipByValue"), doubles(87, 6), Tensor.scalar(-0.5), Tensor.scalar(0.7));
        sample(named("ClipByValue"), ints(-3, 0, 9), scalar(-1), scalar(5));
    }

    private void complexParts() {
        for (DType d : List.of(C64, C128)) {
            for (String op : "Real Imag Angle ComplexAbs".split(" ")) {
                sample(named(op, "Tout", d.real()), random(d, -2, 2, 91, 2, 2));
            }
            sample(named("Conj"), random(d, -2, 2, 92, 3));
            sample(named("Complex", "Tout", d), random(d.real(), -2, 2, 93, 2, 1), random(d.real(), -2, 2, 94, 2));
        }
    }

    private void casts() {
        List<DType> types = List.of(F32, F64, F16, BF16, I8, I16, I32, I64, U8, U16, BOOL, C64, C128);
        for (DType from : types) {
            for (DType to : types) {
                Tensor x = from == BOOL ? Tensor.of(Shape.of(3), true, false, true) : random(from, 0, 9, 95, 3);
                sampleWithoutGradient(named("Cast", "DstT", to), x);
            }
        }
        sample(named("Cast", "DstT", F64), 1e-3, 1e-2, floats(96, 2, 2));
        sample(named("LinSpace"), Tensor.scalar(1f), Tensor.scalar(2f), scalar(5));
        sample(named("LinSpace"), Tensor.scalar(1d), Tensor.scalar(-2d), scalar(1));
        sample(named("Bucketize", "boundaries", List.of(0f, 1f, 2.5f)), floats(97, 2, 4));
        sample(named("Bucketize", "boundaries", List.of()), ints(1, 2));
        sample(named("CompareAndBitpack"), floats(98, 2, 8), Tensor.scalar(0.3f));
        sample(named("CompareAndBitpack"), random(I32, -5, 5, 99, 16), scalar(1));
    }

    private void sums() {
        sample(named("AddN"), doubles(101, 2, 2), doubles(102, 2, 2), doubles(103, 2, 2));
        sample(named("AddN"), ints(1, 2));
        sample(named("AccumulateNV2", "shape", Shape.of(2)), doubles(104, 2), doubles(105, 2));
        sample(named("L2Loss"), doubles(106, 2, 3));
        sample(named("L2Loss"), floats(107, 0));
    }

    private void reductions() {
        for (String op : "Sum Mean Prod Max Min EuclideanNorm".split(" ")) {
            for (boolean keep : new boolean[] {false, true}) {
                Op reduction = named(op, "keep_dims", keep);
                sample(reduction, random(F64, 0.5, 2, 111, 2, 3, 2), ints(1));
                sample(reduction, random(F64, -2, 2, 112, 2, 3), ints(0, -1));
                sampleWithoutGradient(reduction, random(F32, -2, 2, 113, 2, 3), ints());
                sampleWithoutGradient(reduction, random(F32, -2, 2, 114, 2, 1), Tensor.scalar(1L));
            }
            sampleWithoutGradient(named(op), random(F32, -2, 2, 115, 3, 0, 2), ints(2));
            sampleWithoutGradient(named(op), random(F16, -2, 2, 116, 3, 2), ints(0));
            if (!op.equals("EuclideanNorm")) sample(named(op), random(I32, -9, 9, 117, 2, 3), ints(1));
        }
        for (String op : "Sum Mean Prod EuclideanNorm".split(" ")) {
            sampleWithoutGradient(named(op), random(C64, -1, 1, 118, 2, 3), ints(1));
        }
        Tensor truths = Tensor.of(Shape.of(2, 2), true, false, true, true);
        for (String op : List.of("All", "Any")) {
            sample(named(op), truths, ints(0));
            sample(named(op, "keep_dims", true), truths, ints(-1));
            sample(named(op), Tensor.zeros(BOOL, Shape.of(0, 2)), ints(0));
        }
        for (String op : List.of("ArgMax", "ArgMin")) {
            sample(named(op), floats(119, 3, 4), scalar(1));
            sample(named(op, "output_type", I32), random(I32, 0, 5, 120, 3, 4), scalar(-2));
            sample(named(op), random(F64, 0, 5, 121, 2, 1, 3), Tensor.scalar(0L));
            sample(named(op), floats(122, 0, 2), scalar(1));
        }
    }

    private void scans() {
        for (String op : "Cumsum Cumprod CumulativeLogsumexp".split(" ")) {
            for (int flags = 0; flags < 4; flags++) {
                Op scan = named(op, "exclusive", (flags & 1) != 0, "reverse", (flags & 2) != 0);
                boolean first = op.equals("CumulativeLogsumexp") && (flags & 1) != 0;
                if (first) sampleWithoutGradient(scan, random(F64, 0.5, 2, 131, 3, 2), scalar(0));
                else sample(scan, random(F64, 0.5, 2, 131, 3, 2), scalar(0));
                sampleWithoutGradient(scan, random(F32, -2, 2, 132, 2, 3, 2), scalar(-2));
            }
            sampleWithoutGradient(named(op), floats(133, 2, 0), scalar(1));
            if (!op.equals("CumulativeLogsumexp")) sample(named(op), ints(1, 2, 3, 4), scalar(0));
        }
    }

    private void segments() {
        for (String op : "SegmentSum SegmentMean SegmentProd SegmentMin SegmentMax".split(" ")) {
            sample(named(op), random(F64, 0.5, 2, 141, 4, 2), ints(0, 0, 1, 3));
            sample(named(op), random(F64, 0.5, 2, 142, 3), Tensor.of(Shape.of(3), 0L, 1L, 1L));
            sampleWithoutGradient(named(op), random(I32, 1, 9, 143, 4, 1), ints(0, 1, 1, 1));
            sampleWithoutGradient(named(op), floats(144, 0, 2), ints());
        }
        for (String op : "SegmentSumV2 SegmentProdV2 SegmentMinV2 SegmentMaxV2".split(" ")) {
            sampleWithoutGradient(named(op), random(F32, 0.5, 2, 145, 4, 2), ints(0, 0, 1, 3), scalar(5));
        }
        for (String op : "UnsortedSegmentSum UnsortedSegmentProd UnsortedSegmentMin UnsortedSegmentMax".split(" ")) {
            sample(named(op), random(F64, 0.5, 2, 146, 4, 2), ints(2, 0, 2, 1), scalar(3));
            sample(named(op), random(F64, 0.5, 2, 147, 2, 2), Tensor.of(Shape.of(2, 2), 1, -1, 0, 1), scalar(2));
            sampleWithoutGradient(named(op), random(F32, 0.5, 2, 148, 3), ints(0, 0, 3), scalar(5));
            sampleWithoutGradient(named(op), random(I32, 1, 9, 149, 3, 0), ints(0, 0, 1), scalar(2));
        }
    }

    private void sparseSegments() {
        Tensor indices = ints(2, 0, 1, 1), ids = ints(0, 0, 1, 3);
        for (String op : "SparseSegmentSum SparseSegmentMean SparseSegmentSqrtN".split(" ")) {
            sample(named(op), doubles(151, 3, 2), indices, ids);
            sample(named(op + "WithNumSegments"), doubles(152, 3, 2), indices, ids, scalar(5));
            sampleWithoutGradient(named(op), floats(153, 3), ints(), ints());
            sampleWithoutGradient(named(op + "Grad"), floats(154, 4, 2), indices, ids, scalar(4));
            sampleWithoutGradient(named(op + "GradV2"), floats(155, 4, 2), indices, ids, scalar(4));
        }
    }

    private void counts() {
        Tensor x = ints(1, 1, 4, 0, 7), none = floats(1, 0);
        isotonic();
        sample(named("Bincount"), x, scalar(5), ints());
        sample(named("Bincount"), x, scalar(9), floats(161, 5));
        Tensor matrix = Tensor.of(Shape.of(2, 3), 1, 2, 1, 0, 5, 0);
        for (boolean binary : new boolean[] {false, true}) {
            sample(named("DenseBincount", "binary_output", binary), matrix, scalar(4), none);
            sample(named("DenseBincount", "binary_output", binary), x, scalar(8), none);
            Tensor splits = Tensor.of(Shape.of(4), 0L, 2L, 2L, 5L);
            sample(named("RaggedBincount", "binary_output", binary), splits, x, scalar(5), none);
            Tensor places = Tensor.of(Shape.of(3, 2), 0L, 1L, 1L, 0L, 1L, 2L);
            Tensor dense = Tensor.of(Shape.of(2), 2L, 3L);
            sample(named("SparseBincount", "binary_output", binary), places, ints(1, 3, 1), dense, scalar(4), none);
        }
        sample(named("HistogramFixedWidth"), floats(162, 9), Tensor.of(Shape.of(2), -1f, 1f), scalar(4));
        sample(named("HistogramFixedWidth", "dtype", I64), ints(-3, 0, 4, 9), ints(0, 5), scalar(3));
    }

    private void quantised() {
        Tensor x = floats(171, 2, 3), dy = floats(172, 2, 3);
        Tensor low = Tensor.scalar(-1f), high = Tensor.scalar(1.5f);
        Tensor lows = Tensor.of(Shape.of(3), -1f, -0.5f, 0f), highs = Tensor.of(Shape.of(3), 1f, 0.7f, 2f);
        for (boolean narrow : new boolean[] {false, true}) {
            Object[] fixed = {"min", -1f, "max", 1.2f, "num_bits", 4L, "narrow_range", narrow};
            Object[] learned = {"num_bits", 3L, "narrow_range", narrow};
            sampleWithoutGradient(named("FakeQuantWithMinMaxArgs", fixed), x);
            sampleWithoutGradient(named("FakeQuantWithMinMaxArgsGradient", fixed), dy, x);
            sampleWithoutGradient(named("FakeQuantWithMinMaxVars", learned), x, low, high);
            sampleWithoutGradient(named("FakeQuantWithMinMaxVarsGradient", learned), dy, x, low, high);
            sampleWithoutGradient(named("FakeQuantWithMinMaxVarsPerChannel", learned), x, lows, highs);
            sampleWithoutGradient(named("FakeQuantWithMinMaxVarsPerChannelGradient", learned), dy, x, lows, highs);
        }
        levels(x, dy, lows, highs);
    }

    private void levels(Tensor x, Tensor dy, Tensor lows, Tensor highs) {
        Tensor low = Tensor.scalar(-1f), high = Tensor.scalar(1.5f);
        for (boolean signed : new boolean[] {true, false}) {
            Object[] bits = {"signed_input", signed, "num_bits", 4L, "range_given", true};
            sampleWithoutGradient(named("QuantizeAndDequantizeV2", bits), x, low, high);
            sampleWithoutGradient(named("QuantizeAndDequantizeV4", bits), x, low, high);
            sampleWithoutGradient(
                    named("QuantizeAndDequantizeV3", "signed_input", signed, "range_given", false),
                    x,
                    low,
                    high,
                    scalar(5));
            sampleWithoutGradient(
                    named("QuantizeAndDequantize", "signed_input", signed, "num_bits", 5L), random(F64, -1, 2, 173, 4));
        }
        Object[] channel = {"axis", 1L, "num_bits", 3L, "round_mode", "HALF_UP", "narrow_range", true};
        sampleWithoutGradient(named("QuantizeAndDequantizeV2", channel), x, lows, highs);
        sampleWithoutGradient(named("QuantizeAndDequantizeV4", channel), x, lows, highs);
        sample(named("QuantizeAndDequantizeV4Grad"), dy, x, low, high);
        sample(named("QuantizeAndDequantizeV4Grad", "axis", 1L), dy, x, lows, highs);
        for (String mode : List.of("MIN_COMBINED", "MIN_FIRST", "SCALED")) {
            for (DType d : List.of(DType.QI8, DType.QU8, DType.QI16, DType.QU16)) {
                if (mode.equals("MIN_FIRST") && d.size() > 1) continue;
                sampleWithoutGradient(named("QuantizeV2", "T", d, "mode", mode), x, low, high);
                Tensor q = random(d.storage(), 0, 100, 174, 5);
                sampleWithoutGradient(named("Dequantize", "mode", mode), q.as(d, q.shape()), low, high);
            }
        }
        Object[] even = {"T", DType.QI8, "mode", "SCALED", "round_mode", "HALF_TO_EVEN", "narrow_range", true};
        sampleWithoutGradient(named("QuantizeV2", even), x, low, high);
    }

    private void isotonic() {
        for (DType d : List.of(F32, F64))
            sample(named("IsotonicRegression", "output_dtype", d), random(d, -4, 4, 164, 2, 3, 7));
        for (DType d : List.of(DType.F16, DType.BF16))
            sampleWithoutGradient(named("IsotonicRegression", "output_dtype", d), random(d, -4, 4, 164, 2, 3, 7));
        for (DType d : List.of(DType.I8, DType.I16)) sample(named("IsotonicRegression"), random(d, -40, 40, 165, 5, 6));
        for (DType d : List.of(DType.I32, DType.I64))
            sample(named("IsotonicRegression", "output_dtype", F64), random(d, -40, 40, 166, 9));
        sample(named("IsotonicRegression"), floats(167, 3, 0));
        sample(named("IsotonicRegression"), floats(168, 0, 3));
        sample(named("IsotonicRegression"), floats(169, 2, 1));
    }
}
