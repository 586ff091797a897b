package dev.oxbow.kernels.expr.interpret;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.kernels.expr.special.Special;
import dev.oxbow.tensor.DType;
import java.util.EnumMap;
import java.util.List;

/** Expressions as a straight list of instructions over registers; a register holds one tile of one kind. */
public final class Program {

    /*
     * Constants and inputs keep their registers, so that what is the same for all tiles is set once.
     * Other values give theirs back after their last use. BOOL shares the registers of I32.
     */

    /** One primitive; registers a, b, c are of {@code kind}, except a SELECT's condition a. */
    public record Instruction(Primitive op, Kind kind, Kind to, Special function, int target, int a, int b, int c) {}

    /** A constant's register and bits. */
    public record Constant(Kind kind, int register, long bits) {}

    /** A register filled from input {@code index}; of a complex input, part 0 or 1. */
    public record Load(int index, DType dtype, int part, Kind kind, int register) {}

    /** A register stored to output {@code index}; of a complex output, part 0 or 1. */
    public record Store(int index, DType dtype, int part, Kind kind, int register) {}

    public final Instruction[] code;
    public final Constant[] constants;
    public final Load[] loads;
    public final Store[] stores;
    /** The number of inputs: one more than the highest that is used. */
    public final int inputs;
    /** The dtype of each input, null where it is not used. */
    public final DType[] inputTypes;

    private final EnumMap<Kind, Integer> registers;

    /** The registers are counted by kind. */
    public Program(
            List<Instruction> code,
            List<Constant> constants,
            List<Load> loads,
            List<Store> stores,
            EnumMap<Kind, Integer> registers) {
        this.code = code.toArray(Instruction[]::new);
        this.constants = constants.toArray(Constant[]::new);
        this.loads = loads.toArray(Load[]::new);
        this.stores = stores.toArray(Store[]::new);
        this.registers = registers.clone();
        int n = 0;
        for (Load load : loads) n = Math.max(n, load.index + 1);
        this.inputs = n;
        this.inputTypes = new DType[n];
        for (Load load : loads) {
            DType known = inputTypes[load.index];
            require(
                    known == null || known == load.dtype,
                    INVALID_ARGUMENT,
                    "Expr: input %d is both %s and %s",
                    load.index,
                    known,
                    load.dtype);
            inputTypes[load.index] = load.dtype;
        }
    }

    /** The kind whose registers hold values of a kind. */
    public static Kind file(Kind kind) {
        return kind == Kind.BOOL ? Kind.I32 : kind;
    }

    /** How many registers of a kind are needed. */
    public int registers(Kind kind) {
        return registers.getOrDefault(file(kind), 0);
    }
}
