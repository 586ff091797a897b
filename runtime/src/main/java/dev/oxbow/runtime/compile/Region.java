package dev.oxbow.runtime.compile;

/**
 * A straight line of instructions that wait for the same things.
 *
 * @param isDraw whether it is a draw of a loop that runs ahead of it, see {@link Waits}
 */
public record Region(int index, Instruction[] instructions, boolean isDraw) {

    /** Whether it is one waiting op. */
    public boolean waits() {
        return instructions.length == 1 && instructions[0].node.op().waits();
    }
}
