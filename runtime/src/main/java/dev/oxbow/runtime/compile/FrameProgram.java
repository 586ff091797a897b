package dev.oxbow.runtime.compile;

import java.util.List;

/**
 * The instructions of one loop frame, or of the whole program, the root.
 *
 * @param parent the frame around it; null for the root
 * @param instructions those of all regions, by index
 * @param pending by instruction, how many values of other regions or frames it waits for
 * @param regionOf the region of each instruction
 * @param slots how many values an iteration holds
 * @param enters how many Enters, which run in the parent, must have come before the frame can end
 * @param exits they give dead values when the frame ends without having given live ones
 * @param constantEnters each new iteration is told of their values
 * @param firstEnters Enters, not constant, that others than a loop's Merge read: such readers live in the first iteration only
 */
public record FrameProgram(
        int number,
        String name,
        FrameProgram parent,
        int parallelIterations,
        List<Region> regions,
        Instruction[] instructions,
        int[] pending,
        int[] regionOf,
        int slots,
        int enters,
        List<Instruction> exits,
        List<Instruction> constantEnters,
        List<Instruction> firstEnters) {}
