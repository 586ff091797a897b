package dev.oxbow.net.tcp;

import dev.oxbow.net.Token;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.HexFormat;

/** How the two ends of a connection prove to each other who they are, as a state machine on bytes. */
final class Introduction {

    /*
     * The connecting end says hello (magic, version, rank, size, job, nonce), the accepting end answers with its own
     * hello; then the connecting end proves that it knows the token, and only then the accepting end says yes or no
     * and proves it in turn. A proof is the HMAC of who gives it and of both hellos, so that it is good for this
     * connection, this direction and these ranks only. Every message has a fixed length, so there is no length to lie
     * about, and the magic is judged before the rest is waited for. A stranger learns nothing but the listener's hello.
     */

    /** What a connection is for. */
    enum Purpose {
        NETWORK("OxbowNet"),
        STORE("OxbowSto"),
        SWITCHBOARD("OxbowSwi");

        private final byte[] magic;

        Purpose(String magic) {
            this.magic = magic.getBytes(StandardCharsets.US_ASCII);
        }
    }

    /** Who this process is. */
    record Identity(int rank, int size, Token token, byte[] job) {
        static Identity of(int rank, int size, TcpConfig config) {
            byte[] job = Token.digest(config.job().getBytes(StandardCharsets.UTF_8));
            return new Identity(rank, size, config.token(), job);
        }
    }

    /** Decides whether a rank that has proved itself is let in. */
    @FunctionalInterface
    interface Admission {
        Verdict admit(int rank);
    }

    /** The accepting end's answer. */
    enum Verdict {
        WELCOME("welcome"),
        WRONG_TOKEN("the tokens differ"),
        WRONG_JOB("the jobs differ"),
        WRONG_SIZE("the sizes of the jobs differ"),
        WRONG_RANK("that rank has no place in this job"),
        DUPLICATE_RANK("that rank has already joined");

        private final String reason;

        Verdict(String reason) {
            this.reason = reason;
        }
    }

    private enum State {
        MAGIC,
        HELLO,
        PROOF,
        VERDICT,
        DONE
    }

    private static final int VERSION = 1;
    private static final int MAGIC = 8;
    private static final int DIGEST = 32;
    private static final int HELLO = MAGIC + 3 * Integer.BYTES + 2 * DIGEST;
    private static final byte[] CONNECTING = "connecting".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] ACCEPTING = "accepting".getBytes(StandardCharsets.US_ASCII);
    private static final SecureRandom RANDOM = new SecureRandom();

    /** No message is longer. */
    static final int LONGEST = HELLO;

    private final Purpose purpose;
    private final Identity me;
    private final Admission admission;
    private final byte[] mine;
    private final byte[] theirs = new byte[HELLO];
    private State state = State.MAGIC;
    private byte[] output;
    private int peer;

    private Introduction(Purpose purpose, Identity me, int peer, Admission admission) {
        this.purpose = purpose;
        this.me = me;
        this.peer = peer;
        this.admission = admission;
        byte[] nonce = new byte[DIGEST];
        RANDOM.nextBytes(nonce);
        mine = ByteBuffer.allocate(HELLO)
                .put(purpose.magic)
                .putInt(VERSION)
                .putInt(me.rank)
                .putInt(me.size)
                .put(me.job)
                .put(nonce)
                .array();
        output = admission == null ? mine : new byte[0];
    }

    /** The end that connects, and expects {@code peer} there. */
    static Introduction connecting(Purpose purpose, Identity me, int peer) {
        return new Introduction(purpose, me, peer, null);
    }

    /** The end that accepts whom {@code admission} lets in. */
    static Introduction accepting(Purpose purpose, Identity me, Admission admission) {
        return new Introduction(purpose, me, -1, admission);
    }

    /** The bytes to send now; each is given once. */
    byte[] output() {
        byte[] out = output;
        output = new byte[0];
        return out;
    }

    /** How many bytes the next {@link #take} needs: 0 when all is said. */
    int wanted() {
        return switch (state) {
            case MAGIC -> MAGIC;
            case HELLO -> HELLO - MAGIC;
            case PROOF -> Token.PROOF_BYTES;
            case VERDICT -> 1 + Token.PROOF_BYTES;
            case DONE -> 0;
        };
    }

    boolean isDone() {
        return state == State.DONE;
    }

    /** The rank at the other end, once that is known. */
    int peer() {
        return peer;
    }

    /** Takes the {@link #wanted} bytes. */
    void take(byte[] input) throws Refusal {
        switch (state) {
            case MAGIC -> {
                if (!Arrays.equals(input, purpose.magic)) throw Refusal.of(notOurs(input));
                System.arraycopy(input, 0, theirs, 0, MAGIC);
                state = State.HELLO;
            }
            case HELLO -> {
                System.arraycopy(input, 0, theirs, MAGIC, input.length);
                hello();
            }
            case PROOF -> judge(input);
            case VERDICT -> verdict(input);
            case DONE -> throw new IllegalStateException("the introduction is over");
        }
    }

    private void hello() throws Refusal {
        ByteBuffer hello = ByteBuffer.wrap(theirs, MAGIC, HELLO - MAGIC);
        int version = hello.getInt(), rank = hello.getInt();
        // a connection to a free port of this host can get that very port, and is then answered by itself
        if (Arrays.equals(mine, theirs)) throw Refusal.of("nobody listens there");
        if (version != VERSION) {
            String reason = "it speaks version %d of the protocol, this is version %d".formatted(version, VERSION);
            throw admission == null ? Refusal.forGood(reason) : Refusal.of(reason, mine);
        }
        if (admission == null) {
            if (rank != peer) throw Refusal.forGood("it is rank %d, not rank %d".formatted(rank, peer));
            output = me.token.proof(CONNECTING, mine, theirs);
            state = State.VERDICT;
        } else {
            peer = rank;
            output = mine;
            state = State.PROOF;
        }
    }

    private void judge(byte[] proof) throws Refusal {
        ByteBuffer hello = ByteBuffer.wrap(theirs, MAGIC + Integer.BYTES, HELLO - MAGIC - Integer.BYTES);
        int rank = hello.getInt(), size = hello.getInt();
        byte[] job = new byte[DIGEST];
        hello.get(job);
        if (!me.token.accepts(proof, CONNECTING, theirs, mine)) {
            throw Refusal.of(
                    "the tokens differ: rank %d of %d".formatted(rank, size),
                    answer(Verdict.WRONG_TOKEN, new byte[Token.PROOF_BYTES]));
        }
        Verdict verdict = !Arrays.equals(job, me.job)
                ? Verdict.WRONG_JOB
                : size != me.size
                        ? Verdict.WRONG_SIZE
                        : rank < 0 || rank >= size ? Verdict.WRONG_RANK : admission.admit(rank);
        byte[] answer = answer(verdict, me.token.proof(ACCEPTING, theirs, mine, new byte[] {(byte) verdict.ordinal()}));
        if (verdict != Verdict.WELCOME) {
            throw Refusal.of("%s: rank %d of %d".formatted(verdict.reason, rank, size), answer);
        }
        output = answer;
        state = State.DONE;
    }

    private void verdict(byte[] answer) throws Refusal {
        int code = answer[0];
        if (code < 0 || code >= Verdict.values().length) throw Refusal.of("it gave the unknown answer " + code);
        Verdict verdict = Verdict.values()[code];
        byte[] proof = Arrays.copyOfRange(answer, 1, answer.length);
        if (verdict == Verdict.WRONG_TOKEN) throw Refusal.forGood("it turned this rank away: " + verdict.reason);
        if (!me.token.accepts(proof, ACCEPTING, mine, theirs, new byte[] {answer[0]})) {
            throw Refusal.forGood("it could not prove that it knows the token");
        }
        if (verdict != Verdict.WELCOME) throw Refusal.forGood("it turned this rank away: " + verdict.reason);
        state = State.DONE;
    }

    private static byte[] answer(Verdict verdict, byte[] proof) {
        return ByteBuffer.allocate(1 + proof.length)
                .put((byte) verdict.ordinal())
                .put(proof)
                .array();
    }

    private static String notOurs(byte[] first) {
        String text = new String(first, StandardCharsets.ISO_8859_1);
        String kind = "it does not speak Oxbow's protocol";
        if (text.matches("(GET|PUT|POST|HEAD|OPTIONS|DELETE|CONNECT|PATCH|TRACE|PRI) ?.*")) kind = "it speaks HTTP";
        if (first[0] == 0x16 && first[1] == 0x03) kind = "it speaks TLS, and this port does not";
        return kind + ": the first bytes are " + HexFormat.ofDelimiter(" ").formatHex(first);
    }
}
