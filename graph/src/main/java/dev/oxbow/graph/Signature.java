package dev.oxbow.graph;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * The op's name, arguments and attributes on the wire, in the notation of {@link OpSignature}, for example
 * {@code MatMul(a: T, b: T) -> (product: T) {T: type in [FLOATING INT32 INT64 COMPLEX]; transpose_a: bool = false; ...}}.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
public @interface Signature {
    String value();
}
