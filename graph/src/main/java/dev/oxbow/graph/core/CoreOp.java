package dev.oxbow.graph.core;

import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Op;
import dev.oxbow.tensor.ErrorCode;
import dev.oxbow.tensor.OxbowException;

/** The ops that passes and the executor know by class, and no others. */
public sealed interface CoreOp extends Op
        permits Arg,
                Case,
                Const,
                ControlTrigger,
                Enter,
                Exit,
                FunctionCall,
                Identity,
                If,
                Invalid,
                LoopCond,
                Merge,
                NextIteration,
                NoOp,
                Park,
                PartitionedCall,
                Placeholder,
                Recv,
                RefEnter,
                RefExit,
                RefIdentity,
                RefMerge,
                RefNextIteration,
                RefSwitch,
                Retval,
                Send,
                StatefulPartitionedCall,
                StatelessCase,
                StatelessIf,
                StatelessWhile,
                Switch,
                ToDevice,
                Unpark,
                While {

    /** Control flow, calls and transfers are run by the executor itself. */
    @Override
    default Kernel cpu() {
        return c -> {
            throw new OxbowException(ErrorCode.INTERNAL, "is run by the executor, not as a kernel");
        };
    }
}
