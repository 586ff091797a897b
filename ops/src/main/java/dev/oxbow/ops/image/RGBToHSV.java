package dev.oxbow.ops.image;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.image.Colours;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.math.DivNoNan;
import java.util.List;

/** Red, green and blue to hue, saturation and value. */
@Signature("RGBToHSV(images: T) -> (output: T) {T: type in [HALF BFLOAT16 FLOAT DOUBLE] = FLOAT}")
public record RGBToHSV() implements Differentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return Images.pixels(c, 1);
    }

    @Override
    public Kernel cpu() {
        return Images.pixelwise(Colours::toHsv);
    }

    /**
     * With {@code v = max(r, g, b)}, {@code d = v - min(r, g, b)}, {@code s = d / v} and {@code h = n / (6 d)} but for a
     * constant, where {@code n} is the difference of the two that are not the greatest. Of equals red is greatest, then
     * green, and blue is least, then green.
     */
    @Override
    public List<Value> gradient(GradientContext context) {
        List<Value> rgb = context.input(0).split(3, -1),
                dy = context.gradient(0).split(3, -1);
        Value r = rgb.get(0), g = rgb.get(1), b = rgb.get(2), dh = dy.get(0), ds = dy.get(1), dv = dy.get(2);
        Value max = r.maximum(g).maximum(b), min = r.minimum(g).minimum(b), spread = max.minus(min);
        Value redMost = number(r.equalTo(max), r);
        Value greenMost = number(g.equalTo(max), r).times(one(redMost));
        Value blueMost = one(redMost).minus(greenMost);
        Value blueLeast = number(b.equalTo(min), r);
        Value greenLeast = number(g.equalTo(min), r).times(one(blueLeast));
        Value redLeast = one(blueLeast).minus(greenLeast);

        Value n = redMost.times(g.minus(b)).plus(greenMost.times(b.minus(r))).plus(blueMost.times(r.minus(g)));
        Value dn = over(dh, spread).times(1 / 6.0);
        Value dSpread = over(dn.times(n), spread).negated();
        Value lit = number(max.greater(max.constantLike(0)), r);
        Value dMax = dv.plus(over(over(ds.times(min), max), max).times(lit)).plus(dSpread);
        Value dMin = over(ds, max).times(lit).plus(dSpread).negated();
        Value dr = redMost.times(dMax).plus(redLeast.times(dMin)).plus(dn.times(blueMost.minus(greenMost)));
        Value dg = greenMost.times(dMax).plus(greenLeast.times(dMin)).plus(dn.times(redMost.minus(blueMost)));
        Value db = blueMost.times(dMax).plus(blueLeast.times(dMin)).plus(dn.times(greenMost.minus(redMost)));
        return List.of(Value.concat(-1, dr, dg, db));
    }

    private static Value number(Value condition, Value like) {
        return condition.cast(like.dtype());
    }

    private static Value one(Value less) {
        return less.negated().plus(1);
    }

    /** {@code a / b}, and 0 where b is. */
    private static Value over(Value a, Value b) {
        return Value.apply(new DivNoNan(), a, b);
    }
}
