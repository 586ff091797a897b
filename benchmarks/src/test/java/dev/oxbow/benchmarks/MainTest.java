package dev.oxbow.benchmarks;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Wrong usage is answered with one line that says what is right, before anything is built or timed. */
final class MainTest {

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "one tensor mlp | no system tensor; there are [oxbow, tf-java, djl]",
                "one oxbow mlp --threads 0 | --threads must be positive, got 0",
                "one oxbow mlp --seconds -0.5 | --seconds must be positive, got -0.5",
                "cpu --systems abacus | no system abacus; there are "
                        + "[oxbow, tf-java, tf-java-onednn, djl, jax, torch, tf, tf-xla]",
                "cpu --rounds 0 | --rounds must be positive, got 0",
                "cpu --build /no/such/folder | --build: /no/such/folder is no checkout of Oxbow",
                "distributed --build /no/such/folder | --build: /no/such/folder is no checkout of Oxbow",
                "collective --build /no/such/folder | --build: /no/such/folder is no checkout of Oxbow",
                "cpu --graphs /no/such/folder | --graphs: /no/such/folder has no folder with a graph.pb",
                "cpu --json /no/such/folder/x | --json: /no/such/folder/x can not be written",
                "kernels Gemm -p size | -p is NAME=VALUES, such as threads=1,2, not size",
                "distributed --transport pigeon | no transport pigeon; there are tcp, shm, auto",
                "distributed --plan star | no plan star; there are [ring, owners, replicas, replica-owners, on-host, ps,"
                        + " ps-async]",
                "distributed --model resnet | no model resnet; there are [mlp, mlp-large, mlp-deep] and [alexnet, inception3,"
                        + " resnet50, vgg16]",
                "distributed --weak --strong | --weak and --strong exclude each other",
                "distributed --against mpi | no peer mpi; there are [ddp, tf, tf-ps, tf-ps-async, paddle], or none",
                "distributed --workers 1 | --workers must be at least 2, got 1",
                "collective --transport pigeon | no transport pigeon; there are tcp, shm, auto",
                "collective --warm 0 | --warm must be positive, got 0",
                "collective --algorithm fast | all-reduce: no algorithm is called 'fast'; there are flat, doubling,"
                        + " star, tree, ring, halving-doubling, direct, hierarchical, shared"
            })
    void wrongUsageIsOneLine(String arguments, String line) {
        StringWriter text = new StringWriter();
        assertEquals(2, Main.run(new PrintWriter(text), arguments.split(" ")));
        assertEquals(line, text.toString().lines().findFirst().orElse(""));
    }
}
