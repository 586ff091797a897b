package dev.oxbow.net.tcp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.net.Token;
import dev.oxbow.net.tcp.Introduction.Identity;
import dev.oxbow.net.tcp.Introduction.Purpose;
import dev.oxbow.net.tcp.Introduction.Verdict;
import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

final class IntroductionTest {
    private static final TcpConfig CONFIG = TcpConfig.LOOPBACK.withToken(Token.of("secret"));

    /** Changes one bit of what one end sends; nothing for an index of -1. */
    private record Tampering(boolean connecting, int index, int bit) {}

    private final ByteArrayOutputStream[] sent = {new ByteArrayOutputStream(), new ByteArrayOutputStream()};

    @Test
    void endsWithTheSameSecretAcceptEachOther() {
        assertNull(converse(CONFIG, CONFIG, new Tampering(true, -1, 0)));
        assertEquals(84 + 32, sent[0].size());
        assertEquals(84 + 33, sent[1].size());
        assertNull(converse(TcpConfig.LOOPBACK, TcpConfig.LOOPBACK, new Tampering(true, -1, 0)));
    }

    @Test
    void endsWithDifferentSecretsOrJobsDoNot() {
        var none = new Tampering(true, -1, 0);
        assertEquals("the tokens differ: rank 3 of 4", converse(CONFIG, TcpConfig.LOOPBACK, none));
        assertEquals("the tokens differ: rank 3 of 4", converse(TcpConfig.LOOPBACK, CONFIG, none));
        assertEquals("the jobs differ: rank 3 of 4", converse(CONFIG.withJob("a"), CONFIG.withJob("b"), none));
    }

    @Test
    void anyBitThatIsChangedOnTheWayIsNoticedByOneEnd() {
        assertNull(converse(CONFIG, CONFIG, new Tampering(true, -1, 0)));
        int connecting = sent[0].size(), accepting = sent[1].size();
        for (int i = 0; i < connecting + accepting; i++) {
            int index = i < connecting ? i : i - connecting;
            for (int bit = 0; bit < 8; bit += 7) {
                String refusal = converse(CONFIG, CONFIG, new Tampering(i < connecting, index, bit));
                assertTrue(
                        refusal != null, "byte " + index + " of the " + (i < connecting ? "connecting" : "accepting"));
            }
        }
    }

    @Test
    void whatWasSaidOnceIsWorthNothingLater() throws Exception {
        converse(CONFIG, CONFIG, new Tampering(true, -1, 0));
        byte[] old = sent[0].toByteArray();
        var accepting = Introduction.accepting(Purpose.NETWORK, Identity.of(0, 4, CONFIG), _ -> Verdict.WELCOME);
        String refusal = null;
        try {
            for (int at = 0; at < old.length; ) {
                int n = accepting.wanted();
                accepting.take(Arrays.copyOfRange(old, at, at + n));
                at += n;
            }
        } catch (Refusal e) {
            refusal = e.getMessage();
        }
        assertEquals("the tokens differ: rank 3 of 4", refusal);
    }

    /** Lets rank 3 connect to rank 0: null when both accept, else the first refusal. */
    private String converse(TcpConfig connecting, TcpConfig accepting, Tampering tampering) {
        Introduction[] ends = {
            Introduction.connecting(Purpose.NETWORK, Identity.of(3, 4, connecting), 0),
            Introduction.accepting(Purpose.NETWORK, Identity.of(0, 4, accepting), _ -> Verdict.WELCOME)
        };
        int[] taken = new int[2];
        for (ByteArrayOutputStream s : sent) s.reset();
        for (int turn = 0; turn < 20; turn++) {
            int end = turn % 2;
            byte[] output = ends[end].output();
            int index = tampering.index - sent[end].size();
            boolean hit = tampering.connecting == (end == 0) && index >= 0 && index < output.length;
            if (hit) {
                output = output.clone();
                output[index] ^= (byte) (1 << tampering.bit);
            }
            sent[end].writeBytes(output);
            byte[] input = sent[end].toByteArray();
            try {
                Introduction other = ends[1 - end];
                while (other.wanted() > 0 && input.length - taken[end] >= other.wanted()) {
                    int n = other.wanted();
                    other.take(Arrays.copyOfRange(input, taken[end], taken[end] + n));
                    taken[end] += n;
                }
            } catch (Refusal e) {
                return e.getMessage();
            }
            if (ends[0].isDone() && ends[1].isDone()) return null;
        }
        return "they did not come to an end";
    }
}
