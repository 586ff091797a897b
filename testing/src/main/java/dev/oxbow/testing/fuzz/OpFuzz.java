package dev.oxbow.testing.fuzz;

import dev.oxbow.testing.samples.Families;
import dev.oxbow.testing.samples.Sample;
import java.io.PrintStream;
import java.util.List;
import java.util.regex.Pattern;

/**
 * Feeds every op what it does not expect, with memory fenced: {@code OpFuzz --minutes 5 --seed 1 [--only REGEX] [--case
 * N]}. A case follows from seed and number alone. Prints each failure with its number, and exits 1 if there was one.
 */
public final class OpFuzz implements Fuzz {
    private final List<Sample> samples;

    public OpFuzz(Pattern only) {
        samples = Families.all().stream()
                .flatMap(f -> f.samples().stream())
                .filter(s -> only.matcher(s.op()).find())
                .toList();
    }

    public static void main(String[] arguments) throws Exception {
        System.exit(run(arguments, System.out));
    }

    /** Does what the arguments say; the exit status. */
    public static int run(String[] arguments, PrintStream out) throws Exception {
        String fence = System.getProperty("oxbow.fence", "end");
        return ForkedFuzz.main(OpFuzz.class, OpFuzz::new, List.of("-Doxbow.fence=" + fence), arguments, out);
    }

    @Override
    public Trial trial(long seed) {
        OpCase c = new OpCase(samples, seed);
        return new Trial() {
            @Override
            public String subject() {
                return c.sample().op();
            }

            @Override
            public Throwable run() throws Exception {
                return c.run();
            }

            @Override
            public void describe(PrintStream out) {
                out.println("  sample " + c.sample().name());
                c.changes().forEach(x -> out.println("  " + x));
            }
        };
    }
}
