package dev.oxbow.ops;

import dev.oxbow.ops.math.Abs;
import dev.oxbow.ops.math.AddV2;
import dev.oxbow.ops.math.Cast;
import dev.oxbow.ops.math.Complex;
import dev.oxbow.ops.math.ComplexAbs;
import dev.oxbow.ops.math.Conj;
import dev.oxbow.ops.math.Cos;
import dev.oxbow.ops.math.Div;
import dev.oxbow.ops.math.Elu;
import dev.oxbow.ops.math.Equal;
import dev.oxbow.ops.math.Erf;
import dev.oxbow.ops.math.Exp;
import dev.oxbow.ops.math.Greater;
import dev.oxbow.ops.math.GreaterEqual;
import dev.oxbow.ops.math.Imag;
import dev.oxbow.ops.math.LeakyRelu;
import dev.oxbow.ops.math.Less;
import dev.oxbow.ops.math.LessEqual;
import dev.oxbow.ops.math.Log;
import dev.oxbow.ops.math.Maximum;
import dev.oxbow.ops.math.Minimum;
import dev.oxbow.ops.math.Mul;
import dev.oxbow.ops.math.Neg;
import dev.oxbow.ops.math.NotEqual;
import dev.oxbow.ops.math.Pow;
import dev.oxbow.ops.math.Real;
import dev.oxbow.ops.math.RealDiv;
import dev.oxbow.ops.math.Reciprocal;
import dev.oxbow.ops.math.Relu;
import dev.oxbow.ops.math.Rsqrt;
import dev.oxbow.ops.math.Sigmoid;
import dev.oxbow.ops.math.Sign;
import dev.oxbow.ops.math.Sin;
import dev.oxbow.ops.math.Softplus;
import dev.oxbow.ops.math.Sqrt;
import dev.oxbow.ops.math.Square;
import dev.oxbow.ops.math.Sub;
import dev.oxbow.ops.math.Tanh;
import dev.oxbow.tensor.DType;

/** The methods of a {@link Value} that work element by element, with broadcasting. */
abstract sealed class Elements permits Value {

    private Value self() {
        return (Value) this;
    }

    public abstract DType dtype();

    /** A constant of this value's dtype, in its graph. */
    public abstract Value constantLike(double value);

    public Value plus(Value y) {
        return Value.apply(new AddV2(), self(), y);
    }

    public Value plus(double y) {
        return plus(constantLike(y));
    }

    public Value times(Value y) {
        return Value.apply(new Mul(), self(), y);
    }

    public Value times(double y) {
        return times(constantLike(y));
    }

    public Value minus(Value y) {
        return Value.apply(new Sub(), self(), y);
    }

    public Value minus(double y) {
        return minus(constantLike(y));
    }

    /** The quotient; integers are divided as {@code Div} does, truncated. */
    public Value dividedBy(Value y) {
        return Value.apply(dtype().isInteger() ? new Div() : new RealDiv(), self(), y);
    }

    public Value dividedBy(double y) {
        return dividedBy(constantLike(y));
    }

    public Value negated() {
        return Value.apply(new Neg(), self());
    }

    public Value reciprocal() {
        return Value.apply(new Reciprocal(), self());
    }

    public Value abs() {
        return dtype().isComplex()
                ? Value.apply(new ComplexAbs(dtype().real()), self())
                : Value.apply(new Abs(), self());
    }

    public Value sign() {
        return Value.apply(new Sign(), self());
    }

    public Value square() {
        return Value.apply(new Square(), self());
    }

    public Value sqrt() {
        return Value.apply(new Sqrt(), self());
    }

    public Value rsqrt() {
        return Value.apply(new Rsqrt(), self());
    }

    public Value pow(Value y) {
        return Value.apply(new Pow(), self(), y);
    }

    public Value maximum(Value y) {
        return Value.apply(new Maximum(), self(), y);
    }

    public Value minimum(Value y) {
        return Value.apply(new Minimum(), self(), y);
    }

    public Value cos() {
        return Value.apply(new Cos(), self());
    }

    public Value exp() {
        return Value.apply(new Exp(), self());
    }

    public Value log() {
        return Value.apply(new Log(), self());
    }

    public Value relu() {
        return Value.apply(new Relu(), self());
    }

    public Value sigmoid() {
        return Value.apply(new Sigmoid(), self());
    }

    public Value sin() {
        return Value.apply(new Sin(), self());
    }

    public Value softplus() {
        return Value.apply(new Softplus(), self());
    }

    public Value tanh() {
        return Value.apply(new Tanh(), self());
    }

    /** {@code min(max(y, low), high)}. */
    public Value clipped(double low, double high) {
        return maximum(constantLike(low)).minimum(constantLike(high));
    }

    public Value erf() {
        return Value.apply(new Erf(), self());
    }

    /** {@code x Phi(x)}, with the distribution function of the normal distribution (Hendrycks and Gimpel, 2016). */
    public Value gelu() {
        return times(0.5).times(times(Math.sqrt(0.5)).erf().plus(1));
    }

    /** {@code x sigmoid(x)}, also called swish. */
    public Value silu() {
        return times(sigmoid());
    }

    /** {@code x} where it is positive, else {@code exp(x) - 1}. */
    public Value elu() {
        return Value.apply(new Elu(), self());
    }

    /** {@code x} where it is positive, else {@code alpha x}. */
    public Value leakyRelu(double alpha) {
        return Value.apply(new LeakyRelu((float) alpha), self());
    }

    public Value equalTo(Value y) {
        return Value.apply(new Equal(), self(), y);
    }

    public Value notEqualTo(Value y) {
        return Value.apply(new NotEqual(), self(), y);
    }

    public Value less(Value y) {
        return Value.apply(new Less(), self(), y);
    }

    public Value lessEqual(Value y) {
        return Value.apply(new LessEqual(), self(), y);
    }

    public Value greater(Value y) {
        return Value.apply(new Greater(), self(), y);
    }

    public Value greaterEqual(Value y) {
        return Value.apply(new GreaterEqual(), self(), y);
    }

    /** The value in another dtype; itself when it has it. */
    public Value cast(DType to) {
        return dtype() == to ? self() : Value.apply(new Cast(to), self());
    }

    /** The complex number with self() real part and that imaginary part. */
    public Value complexWith(Value imaginary) {
        return Value.apply(new Complex(dtype() == DType.F64 ? DType.C128 : DType.C64), self(), imaginary);
    }

    /** The real part; a real value itself. */
    public Value real() {
        return dtype().isComplex() ? Value.apply(new Real(dtype().real()), self()) : self();
    }

    public Value imag() {
        return Value.apply(new Imag(dtype().real()), self());
    }

    /** The complex conjugate; a real value is its own. */
    public Value conj() {
        return dtype().isComplex() ? Value.apply(new Conj(), self()) : self();
    }
}
