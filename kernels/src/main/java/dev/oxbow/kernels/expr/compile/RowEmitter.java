package dev.oxbow.kernels.expr.compile;

import static java.lang.constant.ConstantDescs.CD_boolean;
import static java.lang.constant.ConstantDescs.CD_long;
import static java.lang.constant.ConstantDescs.CD_void;

import dev.oxbow.kernels.expr.compile.RowProgram.Input;
import dev.oxbow.kernels.expr.compile.RowProgram.Pass;
import dev.oxbow.kernels.expr.compile.RowProgram.Sink;
import dev.oxbow.kernels.expr.compile.RowProgram.Target;
import dev.oxbow.kernels.expr.interpret.Kind;
import dev.oxbow.kernels.expr.interpret.Primitive;
import dev.oxbow.kernels.expr.interpret.Program;
import dev.oxbow.tensor.Memory;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.Label;
import java.lang.classfile.TypeKind;
import java.lang.constant.MethodTypeDesc;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Writes the body of {@link RowCode#run}: a loop over rows, in it for each pass a loop over columns. */
final class RowEmitter {

    /*
     * A pass that folds takes as many vectors at a time as hold Fold.LANES values, each with accumulators of its
     * own; others take one. The rest of a row goes through the same code once more under masks. Values that are
     * the same for the whole row are computed before the loop over its columns.
     */

    private static final int ADDRESSES = 1;
    private static final int STEPS = 2;
    private static final int ROWS = 3;
    private static final int COLUMNS = 5;

    /** A loop of so few instructions is unrolled. */
    private static final int SHORT = 2;

    private static final int UNROLLED = 4;

    private final RowProgram program;
    private final CodeBuilder code;
    private final VectorCode vectors;
    private final FoldCode folds;
    private final int lanes;
    private final int[] address;
    private final int[] step;
    private final int[] rowValues;
    private final int[] results;
    private final int[] masks;
    private final int singleMask;
    private final int allLanes;
    private final boolean compact;
    private final int at4;
    private final int at8;
    private final int end;

    /** With {@code compact}, shorter code that is somewhat slower. */
    RowEmitter(RowProgram program, CodeBuilder code, boolean compact) {
        this.compact = compact;
        this.program = program;
        this.code = code;
        this.vectors = new VectorCode(code, program.has64());
        this.folds = new FoldCode(vectors);
        this.lanes = Lanes.count(vectors.has64);
        int streams = program.tensors + program.kept.length + program.outputs.length;
        this.address = new int[streams];
        this.step = new int[streams];
        for (int i = 0; i < streams; i++) {
            address[i] = code.allocateLocal(TypeKind.LONG);
            step[i] = code.allocateLocal(TypeKind.LONG);
        }
        this.at4 = code.allocateLocal(TypeKind.LONG);
        this.at8 = code.allocateLocal(TypeKind.LONG);
        this.end = code.allocateLocal(TypeKind.LONG);
        this.rowValues = new int[program.tensors];
        for (int i = 0; i < rowValues.length; i++) rowValues[i] = vectors.local();
        this.results = new int[program.results.length];
        for (int i = 0; i < results.length; i++) results[i] = vectors.local();
        this.masks = new int[Fold.LANES / lanes];
        for (int i = 0; i < masks.length; i++) masks[i] = vectors.local();
        this.singleMask = vectors.local();
        this.allLanes = vectors.local();
    }

    void emit() {
        for (int i = 0; i < address.length; i++) {
            code.aload(ADDRESSES).loadConstant(i).laload().lstore(address[i]);
            code.aload(STEPS).loadConstant(i).laload().lstore(step[i]);
        }
        for (Pass p : program.passes) {
            for (Program.Constant c : p.program().constants) vectors.constant(c.kind(), c.bits());
            for (Target t : p.targets()) if (t.fold() != null) folds.neutral(t.fold(), kindOf(p, t));
            for (Program.Load l : p.program().loads) {
                if (program.inputs[l.index()].source() == RowProgram.Source.INDEX) folds.iota();
            }
        }
        for (int k = 0; k < masks.length; k++) mask(masks[k], k * lanes, Fold.LANES);
        mask(singleMask, 0, lanes);
        if (compact) {
            vectors.species(Kind.I32).iconst_1();
            code.invokeinterface(VectorCode.SPECIES, "maskAll", MethodTypeDesc.of(VectorCode.MASK, CD_boolean));
            vectors.storeMask(allLanes, Kind.I32);
        }
        Label row = code.newLabel(), check = code.newLabel();
        code.goto_(check).labelBinding(row);
        for (Input in : program.inputs) {
            if (in.source() == RowProgram.Source.ROW && program.reads[in.number()]) rowValue(in);
        }
        for (Pass p : program.passes) pass(p);
        for (int i = 0; i < address.length; i++) {
            code.lload(address[i]).lload(step[i]).ladd().lstore(address[i]);
        }
        code.lload(ROWS).lconst_1().lsub().lstore(ROWS);
        code.labelBinding(check).lload(ROWS).lconst_0().lcmp().ifgt(row);
        code.return_();
    }

    private static Kind kindOf(Pass p, Target t) {
        for (Program.Store s : p.program().stores) if (p.targets()[s.index()] == t) return s.kind();
        throw new AssertionError(t);
    }

    /** The lanes from {@code from} on of what is left after whole blocks of {@code block}. */
    private void mask(int target, int from, int block) {
        vectors.species(Kind.I32).loadConstant((long) from).lload(COLUMNS).loadConstant((long) block - 1);
        code.land()
                .invokeinterface(
                        VectorCode.SPECIES, "indexInRange", MethodTypeDesc.of(VectorCode.MASK, CD_long, CD_long));
        vectors.storeMask(target, Kind.I32);
    }

    private void rowValue(Input in) {
        Kind kind = Kind.of(in.dtype()), held = VectorCode.held(kind);
        vectors.broadcast(
                kind,
                () -> code.lload(address[in.number()])
                        .invokestatic(
                                VectorCode.desc(Memory.class),
                                "get" + name(held),
                                MethodTypeDesc.of(VectorCode.scalar(held), CD_long)),
                rowValues[in.number()]);
    }

    private static String name(Kind kind) {
        return switch (kind) {
            case I32, BOOL -> "Int";
            case I64 -> "Long";
            case F32 -> "Float";
            case F64 -> "Double";
        };
    }

    /** A pass with locals in the place of registers. */
    private final class Located {
        final List<Program.Instruction> before = new ArrayList<>();
        final List<Program.Instruction> inside = new ArrayList<>();
        final Map<Integer, Integer> loads = new HashMap<>();
        final int[] stores;
        private final Map<Kind, Map<Integer, Integer>> current = new HashMap<>();
        private final Map<Kind, Map<Integer, Integer>> varying = new HashMap<>();
        private final Map<Integer, Boolean> varies = new HashMap<>();

        Located(Program p) {
            for (Program.Constant c : p.constants)
                bind(c.kind(), c.register(), vectors.constant(c.kind(), c.bits()), false);
            for (Program.Load l : p.loads) {
                Input in = program.inputs[l.index()];
                switch (in.source()) {
                    case ROW -> bind(l.kind(), l.register(), rowValues[in.number()], false);
                    case RESULT -> bind(l.kind(), l.register(), results[in.number()], false);
                    case MATRIX, KEPT, INDEX -> {
                        int local = vectors.local();
                        loads.put(l.index(), local);
                        bind(l.kind(), l.register(), local, true);
                    }
                }
            }
            for (Program.Instruction in : p.code) locate(in);
            stores = new int[p.stores.length];
            for (int i = 0; i < stores.length; i++) stores[i] = local(p.stores[i].kind(), p.stores[i].register());
        }

        private void locate(Program.Instruction in) {
            Kind first = in.op() == Primitive.SELECT ? Kind.BOOL : in.kind();
            int a = local(first, in.a());
            int b = in.b() < 0 ? -1 : local(in.kind(), in.b()), c = in.c() < 0 ? -1 : local(in.kind(), in.c());
            boolean v = varies.get(a) || b >= 0 && varies.get(b) || c >= 0 && varies.get(c);
            // What is computed before the loop must not share a local with what is computed in it.
            int target = v
                    ? varying.computeIfAbsent(in.to(), _ -> new HashMap<>())
                            .computeIfAbsent(in.target(), _ -> vectors.local())
                    : vectors.local();
            bind(in.to(), in.target(), target, v);
            (v ? inside : before)
                    .add(new Program.Instruction(in.op(), in.kind(), in.to(), in.function(), target, a, b, c));
        }

        private void bind(Kind kind, int register, int local, boolean v) {
            current.computeIfAbsent(kind, _ -> new HashMap<>()).put(register, local);
            varies.put(local, v);
        }

        private int local(Kind kind, int register) {
            return current.get(kind).get(register);
        }
    }

    private void pass(Pass p) {
        Located located = new Located(p.program());
        for (Program.Instruction in : located.before) vectors.instruction(in);
        if (p.perRow()) {
            storeRow(p, located);
            return;
        }
        int vectorsAtOnce = p.folds() ? Fold.LANES / lanes : 1, block = vectorsAtOnce * lanes;
        FoldCode.Accumulators[] accumulators = new FoldCode.Accumulators[p.targets().length];
        for (Program.Store s : p.program().stores) {
            Target t = p.targets()[s.index()];
            if (t.sink() == Sink.RESULT) accumulators[s.index()] = folds.start(t.fold(), s.kind(), vectorsAtOnce);
        }
        code.lconst_0().lstore(at4);
        if (vectors.has64) code.lconst_0().lstore(at8);
        code.lload(COLUMNS).loadConstant((long) -block).land().iconst_2().lshl().lstore(end);
        if (compact) compactLoop(p, located, accumulators, vectorsAtOnce);
        else loopAndRest(p, located, accumulators, vectorsAtOnce);
        for (int i = 0; i < accumulators.length; i++) {
            if (accumulators[i] == null) continue;
            int number = p.targets()[i].number();
            RowProgram.Result r = program.results[number];
            folds.finish(accumulators[i], Kind.of(r.to()), r.divisor(), results[number]);
        }
    }

    private void loopAndRest(Pass p, Located located, FoldCode.Accumulators[] accumulators, int vectorsAtOnce) {
        int block = vectorsAtOnce * lanes;
        if (vectors.has64 && !p.folds() && located.inside.size() <= SHORT) unrolledLoop(p, located, accumulators);
        Label body = code.newLabel(), check = code.newLabel(), done = code.newLabel();
        code.goto_(check).labelBinding(body);
        for (int k = 0; k < vectorsAtOnce; k++) body(p, located, accumulators, k, -1);
        advance(block);
        code.labelBinding(check).lload(at4).lload(end).lcmp().iflt(body);
        code.lload(COLUMNS)
                .loadConstant((long) block - 1)
                .land()
                .lconst_0()
                .lcmp()
                .ifeq(done);
        for (int k = 0; k < vectorsAtOnce; k++) {
            body(p, located, accumulators, k, p.folds() ? masks[k] : singleMask);
        }
        code.labelBinding(done);
    }

    /** Whole blocks of several vectors, as long as there are any: the JIT compiler does not unroll these itself. */
    private void unrolledLoop(Pass p, Located located, FoldCode.Accumulators[] accumulators) {
        Label body = code.newLabel(), check = code.newLabel();
        code.goto_(check).labelBinding(body);
        for (int k = 0; k < UNROLLED; k++) body(p, located, accumulators, k, -1);
        advance(UNROLLED * lanes);
        code.labelBinding(check).lload(at4).loadConstant(4L * (UNROLLED - 1) * lanes);
        code.ladd().lload(end).lcmp().iflt(body);
    }

    /** The body once: every block under masks, which only the last one needs. */
    private void compactLoop(Pass p, Located located, FoldCode.Accumulators[] accumulators, int vectorsAtOnce) {
        Label next = code.newLabel(), check = code.newLabel(), rest = code.newLabel(), body = code.newLabel();
        code.goto_(check).labelBinding(next);
        int[] current = new int[vectorsAtOnce];
        for (int k = 0; k < vectorsAtOnce; k++) current[k] = vectors.local();
        code.lload(at4).lload(end).lcmp().ifge(rest);
        for (int local : current) {
            code.aload(allLanes);
            vectors.storeMask(local, Kind.I32);
        }
        code.goto_(body).labelBinding(rest);
        for (int k = 0; k < vectorsAtOnce; k++) {
            code.aload(p.folds() ? masks[k] : singleMask);
            vectors.storeMask(current[k], Kind.I32);
        }
        code.labelBinding(body);
        for (int k = 0; k < vectorsAtOnce; k++) body(p, located, accumulators, k, current[k]);
        advance(vectorsAtOnce * lanes);
        code.labelBinding(check)
                .lload(at4)
                .lload(COLUMNS)
                .iconst_2()
                .lshl()
                .lcmp()
                .iflt(next);
    }

    private void advance(int block) {
        code.lload(at4).loadConstant(4L * block).ladd().lstore(at4);
        if (vectors.has64) code.lload(at8).loadConstant(8L * block).ladd().lstore(at8);
    }

    /** The k-th vector of a block. */
    private void body(Pass p, Located located, FoldCode.Accumulators[] accumulators, int k, int mask) {
        for (Program.Load l : p.program().loads) {
            Integer local = located.loads.get(l.index());
            if (local == null) continue;
            Input in = program.inputs[l.index()];
            switch (in.source()) {
                case MATRIX -> vectors.load(l.kind(), () -> push(in.number(), l.kind(), k), mask, local);
                case KEPT ->
                    vectors.load(l.kind(), () -> push(program.tensors + in.number(), l.kind(), k), mask, local);
                default ->
                    folds.index(
                            () -> code.lload(at4)
                                    .iconst_2()
                                    .lushr()
                                    .l2i()
                                    .loadConstant(k * lanes)
                                    .iadd(),
                            local);
            }
        }
        for (Program.Instruction in : located.inside) vectors.instruction(in);
        for (int i = 0; i < p.program().stores.length; i++) {
            Program.Store s = p.program().stores[i];
            Target t = p.targets()[s.index()];
            int value = located.stores[i];
            switch (t.sink()) {
                case OUTPUT, KEPT -> {
                    int stream = stream(t);
                    vectors.store(s.kind(), value, () -> push(stream, s.kind(), k), mask);
                }
                case RESULT -> folds.take(accumulators[s.index()], k, value, mask);
                case COLUMN -> {
                    int stream = stream(t);
                    Kind wide = t.fold().accumulated(s.kind());
                    folds.column(t.fold(), s.kind(), value, mask, part -> {
                        push(stream, wide, k);
                        if (part > 0)
                            code.loadConstant(8L * part * Lanes.count(true)).ladd();
                    });
                }
            }
        }
    }

    private int stream(Target t) {
        return t.sink() == Sink.KEPT
                ? program.tensors + t.number()
                : program.tensors + program.kept.length + t.number();
    }

    private void push(int stream, Kind kind, int k) {
        boolean wide = kind.is64();
        code.lload(address[stream]).lload(wide && vectors.has64 ? at8 : at4);
        // Accumulators may be wider than all else.
        if (wide && !vectors.has64) code.iconst_1().lshl();
        code.ladd();
        if (k > 0) code.loadConstant((wide ? 8L : 4L) * k * lanes).ladd();
    }

    private void storeRow(Pass p, Located located) {
        for (int i = 0; i < p.program().stores.length; i++) {
            Program.Store s = p.program().stores[i];
            code.lload(address[stream(p.targets()[s.index()])]);
            vectors.first(s.kind(), located.stores[i]);
            Kind held = VectorCode.held(s.kind());
            code.invokestatic(
                    VectorCode.desc(Memory.class),
                    "put" + name(held),
                    MethodTypeDesc.of(CD_void, CD_long, VectorCode.scalar(held)));
        }
    }
}
