package dev.oxbow.graph;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Shape;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class OpSignatureTest {
    private static final TensorType F32 = TensorType.of(DType.F32);
    private static final TensorType I32 = TensorType.of(DType.I32);

    @Test
    void typesAndCountsFollowFromTheInputs() {
        var s = OpSignature.parse("DynamicStitch(indices: N*int32, data: N*T) -> (merged: T) {N: int >= 1; T: type}");
        var b = s.bind(Map.of(), List.of(I32, I32, F32, F32));
        assertEquals(2L, b.attributes().get("N"));
        assertEquals(DType.F32, b.attributes().get("T"));
        assertEquals(List.of(DType.F32), b.outputTypes());
    }

    @Test
    void listsOfTypesTakeTheRest() {
        var s = OpSignature.parse(
                "Assert(condition: bool, data: T) -> () {T: list(type) >= 1; summarize: int = 3} stateful");
        var b = s.bind(Map.of(), List.of(TensorType.of(DType.BOOL), F32, I32));
        assertEquals(List.of(DType.F32, DType.I32), b.attributes().get("T"));
        assertEquals(3L, b.attributes().get("summarize"));
        assertTrue(s.isStateful());
    }

    @Test
    void defaultsOfEveryKindAreRead() {
        var s = OpSignature.parse(
                "X() -> (y: float) {a: list(int) = list { i: 1 i: 2 }; b: list(int) = []; c: string = \"a\\nb\"; "
                        + "d: type = INT64; e: shape = shape { unknown_rank: true }; f: float = -0.5; g: bool = true; h: int = -1 >= -1}");
        var b = s.bind(Map.of(), List.of());
        assertEquals(List.of(1L, 2L), b.attributes().get("a"));
        assertEquals(List.of(), b.attributes().get("b"));
        assertEquals("a\nb", b.attributes().get("c"));
        assertEquals(DType.I64, b.attributes().get("d"));
        assertEquals(Shape.UNKNOWN, b.attributes().get("e"));
        assertEquals(-0.5f, b.attributes().get("f"));
        assertEquals(true, b.attributes().get("g"));
        assertEquals(-1L, b.attributes().get("h"));
    }

    @Test
    void outputsAreNamedAndCounted() {
        var s = OpSignature.parse(
                "Split(split_dim: int32, value: T) -> (output: num_split*T) {num_split: int >= 1; T: type}");
        var b = s.bind(Map.of("num_split", 3L), List.of(I32, F32));
        assertEquals(3, b.outputTypes().size());
        assertEquals("output:2", s.outputName(2, b.attributes()));
        assertEquals(0, s.outputStart("output", b.attributes()));
    }

    @Test
    void wrongInputsAreNamedWithTheRuleAndBothValues() {
        var s = OpSignature.parse("Add(x: T, y: T) -> (z: T) {T: type in [FLOATING]}");
        assertEquals("Add: input 1 'y' must be f32 (T), got i32", fails(s, F32, I32));
        assertEquals("Add: T must be one of [bf16, f16, f32, f64], got i32", fails(s, I32, I32));
        assertEquals("Add: needs more inputs: argument 'y' wants 1, 0 are left", fails(s, F32));
        assertEquals("Add: takes 2 inputs, got 3", fails(s, F32, F32, F32));
        var ref = OpSignature.parse("Assign(ref: ref T, value: T) -> (output_ref: ref T) {T: type}");
        assertEquals("Assign: input 0 'ref' must be a variable reference, got f32<unknown>", fails(ref, F32, F32));
    }

    private static String fails(OpSignature s, TensorType... inputs) {
        return assertThrows(OxbowException.class, () -> s.bind(Map.of(), List.of(inputs)))
                .getMessage();
    }
}
