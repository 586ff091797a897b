package dev.oxbow.kernels.expr.reduce;

import dev.oxbow.kernels.expr.Assembler;
import dev.oxbow.kernels.expr.Expr;
import dev.oxbow.kernels.expr.compile.Broadcast;
import dev.oxbow.kernels.expr.compile.Gather;
import dev.oxbow.kernels.expr.interpret.Interpreter;
import dev.oxbow.kernels.expr.interpret.Program;
import dev.oxbow.kernels.expr.interpret.Tile;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.List;

/** The values of an expression over broadcast inputs, widened to f64 (complex: two) or i64, fetched tile by tile. */
final class MappedInput {

    /** What is the same for all threads: the program that maps and widens. */
    record Plan(Program program, boolean isComplex, boolean isInteger) {

        /** With {@code ordered}, u64 values get their top bit turned, so that their signed order is right. */
        static Plan of(Expr map, boolean ordered) {
            if (map.dtype().isComplex()) {
                return new Plan(
                        Assembler.assemble(
                                List.of(map.real().cast(DType.F64), map.imag().cast(DType.F64))),
                        true,
                        false);
            }
            if (map.dtype().isFloating())
                return new Plan(Assembler.assemble(List.of(map.cast(DType.F64))), false, false);
            Expr wide = map.cast(DType.I64);
            if (ordered && map.dtype() == DType.U64) wide = wide.xor(Expr.constant(DType.I64, Long.MIN_VALUE));
            return new Plan(Assembler.assemble(List.of(wide)), false, true);
        }
    }

    private final Program program;
    private final Broadcast broadcast;
    private final Tensor[] inputs;
    private final Tile tile;

    /** A view for the calling thread, which may use one at a time. */
    MappedInput(Plan plan, Shape shape, Tensor[] inputs) {
        this.program = plan.program;
        this.inputs = inputs;
        Shape[] shapes = new Shape[program.inputs];
        for (int i = 0; i < shapes.length; i++) {
            shapes[i] = program.inputTypes[i] == null ? Shape.SCALAR : inputs[i].shape();
        }
        this.broadcast = Broadcast.of(shape, shapes);
        this.tile = Tile.of(program, Tile.SIZE);
    }

    /** Brings the elements {@code [at, at + n)}, in row-major order, to the start of the arrays below. */
    void fetch(long at, int n) {
        for (Program.Load load : program.loads) {
            Gather.load(tile, load, broadcast, inputs[load.index()].address(), at, n);
        }
        Interpreter.run(program, tile, n);
    }

    double[] doubles() {
        return tile.doubles[program.stores[0].register()];
    }

    double[] imaginary() {
        return tile.doubles[program.stores[1].register()];
    }

    long[] longs() {
        return tile.longs[program.stores[0].register()];
    }
}
