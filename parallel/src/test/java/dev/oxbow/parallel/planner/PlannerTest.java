package dev.oxbow.parallel.planner;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Closed forms against numbers worked out by hand, and the simulator against the closed forms. */
final class PlannerTest {
    private static final double MB = 1e6;
    /** VGG-16 as gradients of four bytes on four workers at 1 Gbit/s. */
    private static final Estimate VGG = Estimate.of(Way.RING, 553.36 * MB, 0.55, 4, 125 * MB);

    @Test
    void theSeedNumbersComeOut() {
        assertEquals(0.0765, VGG.efficiency(), 5e-5);
        assertEquals(7.19, VGG.step(), 5e-3); // 0.55 + 2 * 553.36 * 3 / (4 * 125) = 7.190
        assertEquals(0.31, VGG.speedUp(), 5e-3);
        assertEquals(13_582, VGG.rateFor(0.9) / MB, 0.5);
        assertEquals(108_660, 8 * VGG.rateFor(0.9) / MB, 5);
        assertEquals(1.3333, VGG.withWorkers(100_000).rateFor(0.9) / VGG.rateFor(0.9), 5e-5);
        double framed = VGG.framed().step();
        assertTrue(framed > 7.5 && framed < 7.63, "" + framed);
        assertEquals(0.9235, VGG.linkUse(), 5e-5); // 6.6403 / 7.1903
        assertEquals("links", VGG.bottleneck());
    }

    @Test
    void everyWayHasItsClosedForm() {
        double d = 100, s = 10;
        record Case(Way way, long n, long servers, double seconds) {}
        List<Case> cases = List.of(
                new Case(Way.RING, 4, 0, 15), // 2 * 100 * 3 / 40
                new Case(Way.STAR, 4, 0, 60), // 2 * 100 * 3 / 10
                new Case(Way.TREE, 8, 0, 60), // 2 * 100 * 3 / 10
                new Case(Way.HALVING_DOUBLING, 4, 0, 15),
                new Case(Way.HALVING_DOUBLING, 3, 0, 40.0 / 3 + 20), // and one of the three tells another all, twice
                new Case(Way.PARAMETER_SERVER, 4, 2, 40), // 2 * 100 * 2 / 10
                new Case(Way.PARAMETER_SERVER, 4, 8, 20),
                new Case(Way.PARAMETER_SERVER, 4, 0, 15), // beside the workers: the ring's
                new Case(Way.OVERLAPPED_SERVER, 4, 2, 20),
                new Case(Way.PUSH_PULL, 4, 0, 15), // without servers: the ring's
                new Case(Way.PUSH_PULL, 4, 4, 10), // as many as workers: everything once each way
                new Case(Way.PUSH_PULL, 4, 2, 2 * 100 * 4 * 3 / (20.0 * 10))); // 16 + 8 - 4
        for (Case c : cases) {
            Estimate e = new Estimate(c.way, d, 1, c.n, s, 0, c.servers, false);
            assertEquals(c.seconds, e.exchange(), 1e-9, c.toString());
        }
        assertEquals(15 + 6 * 0.5, new Estimate(Way.RING, d, 1, 4, s, 0.5, 0, false).exchange(), 1e-9);
    }

    @Test
    void strongScalingSharesOneBatchOut() {
        Estimate e = new Estimate(Way.RING, 100, 8, 4, 100, 0, 0, true);
        assertEquals(8.0 / 4 + 1.5, e.step(), 1e-9);
        assertEquals(8 / 3.5, e.speedUp(), 1e-9);
    }

    @Test
    void pushPullIsRankedFirstWithServersAndTheRingWithout() {
        assertEquals(Way.RING, VGG.ranked().getFirst().way());
        Estimate with = new Estimate(Way.RING, 553.36 * MB, 0.55, 4, 125 * MB, 0, 4, false);
        assertEquals(
                with.ranked().getFirst().step(), with.withWay(Way.PUSH_PULL).step(), 1e-9);
    }

    @Test
    void namedModelsHaveTheirParameters() {
        assertEquals(138_357_544, Network.named("vgg16").parameters());
        assertEquals(16, Network.named("vgg16").layers().size());
        assertEquals(25_557_032, Network.named("resnet50").parameters());
        assertEquals(61_100_840, Network.named("alexnet").parameters());
        assertEquals(23_834_568, Network.named("inception3").parameters());
        assertEquals(15.5e9, Network.named("vgg16").work(), 0.05e9);
        assertEquals(4.1e9, Network.named("resnet50").work(), 0.1e9);
        assertEquals(5.7e9, Network.named("inception3").work(), 0.1e9);
        assertEquals(0.71e9, Network.named("alexnet").work(), 0.02e9);
    }

    @Test
    void aStepWithoutOverlapIsComputeAndTheClosedForm() {
        Network vgg = Network.named("vgg16");
        for (long n : new long[] {2, 3, 4, 16}) {
            Simulator s = Simulator.of(vgg, 0.55, 4, 1e12, false, 125 * MB, 0);
            Estimate e = Estimate.of(Way.RING, 4.0 * vgg.parameters(), 0.55, n, 125 * MB);
            assertEquals(e.step(), s.play(n).step(), 1e-9 * e.step(), n + " workers");
        }
    }

    @Test
    void ranksThatAreAlikeCanBePlayedByOne() {
        Random random = new Random(11);
        for (int n : new int[] {2, 3, 5, 8, 31, 100, 256}) {
            int buckets = 1 + random.nextInt(4);
            double[] ready = new double[buckets], bytes = new double[buckets];
            for (int b = 0; b < buckets; b++) {
                ready[b] = (b == 0 ? 0 : ready[b - 1]) + random.nextDouble();
                bytes[b] = 1000 * random.nextDouble();
            }
            Simulator s = new Simulator(ready, bytes, ready[buckets - 1], 1000, 1e-3 * random.nextDouble());
            assertEquals(s.play(n, new double[n]).step(), s.play(n).step(), 1e-9, n + " ranks");
        }
    }

    @Test
    void overlapHidesTheExchangeBehindTheBackwardPassAndAStragglerDelaysAll() {
        // four buckets of which each takes as long as the part of the backward pass that makes the next
        double[] ready = {1, 2, 3, 4}, bytes = {100, 100, 100, 100};
        Simulator s = new Simulator(ready, bytes, 4, 100, 0);
        Simulator.Played played = s.play(2); // 2 * 100 * 1 / (2 * 100) = 1 second each
        assertEquals(5, played.step(), 1e-9);
        assertEquals(1, played.exposed(), 1e-9);
        assertEquals(4, played.exchange(), 1e-9);
        assertEquals(5.5, s.play(2, new double[] {0, 0.5}).step(), 1e-9);
    }

    @Test
    @Timeout(300)
    void aCurveToAHundredThousandWorkersIsDrawnInSeconds() throws IOException {
        List<Estimate> points = new ArrayList<>();
        Simulator s = Simulator.of(Network.named("vgg16"), 0.55, 4, 32 << 20, true, 125 * MB, 1e-5);
        double last = 0;
        for (long n = 1; n <= 100_000; n *= 10) {
            points.add(VGG.withWorkers(n));
            last = s.play(n).step();
        }
        assertTrue(last > 8.8, "" + last); // 553 MB twice through 125 MB/s are 8.85 s
        Curve curve = new Curve(List.of(new Curve.Line("ring", points)));
        assertTrue(curve.svg().contains("<polyline"));
        DataInputStream png = new DataInputStream(new ByteArrayInputStream(curve.png()));
        assertEquals(0x89504e470d0a1a0aL, png.readLong());
    }
}
