package dev.oxbow.cluster.worker;

import static dev.oxbow.tensor.ErrorCode.ABORTED;
import static dev.oxbow.tensor.ErrorCode.CANCELLED;
import static dev.oxbow.tensor.ErrorCode.UNIMPLEMENTED;

import dev.oxbow.cluster.TaskName;
import dev.oxbow.cluster.rpc.Schedule;
import dev.oxbow.collective.keyed.KeyedGroup;
import dev.oxbow.collective.keyed.Leader;
import dev.oxbow.collective.keyed.Meeting;
import dev.oxbow.collective.keyed.Member;
import dev.oxbow.graph.Cancellation;
import dev.oxbow.graph.Rendezvous;
import dev.oxbow.runtime.DeviceSpec;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.wire.proto.CompleteGroupRequest;
import dev.oxbow.wire.proto.CompleteGroupResponse;
import dev.oxbow.wire.proto.CompleteInstanceRequest;
import dev.oxbow.wire.proto.CompleteInstanceResponse;
import dev.oxbow.wire.proto.DeviceAttributes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.BiConsumer;
import java.util.function.Function;

/** How the devices of this task meet those of others for TensorFlow's collectives, and, in one task, where all meet. */
final class Collectives implements Meeting {

    /*
     * Groups and rounds are agreed on at one task of the cluster. The values of a round lie where they were made until they
     * are fetched, like those of a step, under the number of the round. Who has ended a round may still be asked for what it
     * sent; so a round is forgotten when the next one of the same instance has ended here, which all of the group have come
     * to, or when one has failed.
     */

    /** Numbers from here on are those of rounds; steps have smaller ones. */
    private static final long FIRST_ROUND = 1L << 60;

    /** How long a collective waits that does not say. */
    private static final Duration DEADLINE = Duration.ofMinutes(10);

    /** How much longer the leader may take than it was told to wait. */
    private static final Duration SLACK = Duration.ofSeconds(5);

    private static final int MOST_INSTANCES = 10_000;

    private record Instance(int group, int key) {}

    private final Map<String, DeviceSpec> devices;
    private final Schedule schedule;
    private final TaskName leading;
    private final Function<TaskName, Worker> workers;
    private final StepTable rounds;
    private final Duration lease;
    private final Leader leader;
    private final Map<Integer, KeyedGroup> groups = new ConcurrentHashMap<>();
    private final Map<Instance, Long> last = new LinkedHashMap<>();

    /** {@code tasks} are those of the cluster, {@code rounds} keeps the values of rounds, so long at most. */
    Collectives(
            List<TaskName> tasks,
            Map<String, DeviceSpec> devices,
            Schedule schedule,
            Function<TaskName, Worker> workers,
            StepTable rounds,
            Duration lease) {
        this.devices = devices;
        this.schedule = schedule;
        this.leading = leading(tasks);
        this.workers = workers;
        this.rounds = rounds;
        this.lease = lease;
        this.leader = new Leader(
                schedule::after,
                came -> absent(tasks, came),
                () -> FIRST_ROUND + ThreadLocalRandom.current().nextLong(FIRST_ROUND));
    }

    static boolean isRound(long step) {
        return step >= FIRST_ROUND;
    }

    /** As TensorFlow chooses: the chief, else the first worker, else the first task. */
    private static TaskName leading(List<TaskName> tasks) {
        for (String job : List.of("chief", "worker"))
            if (tasks.contains(new TaskName(job, 0))) return new TaskName(job, 0);
        return tasks.getFirst();
    }

    private static String absent(List<TaskName> tasks, Set<String> came) {
        List<TaskName> none = new ArrayList<>(tasks);
        none.removeIf(t -> came.stream().anyMatch(t::owns));
        return none.isEmpty() ? "" : "; no device has come of " + none;
    }

    Step step(long round) {
        return rounds.step(round);
    }

    void expire() {
        rounds.expire(lease);
    }

    void close() {
        rounds.endAll(new OxbowException(CANCELLED, "the server is closed"));
    }

    @Override
    public void join(GroupWish w, Cancellation cancellation, BiConsumer<KeyedGroup, OxbowException> then) {
        DeviceSpec d = devices.get(w.device());
        KeyedGroup known = groups.get(w.key());
        int rank = known == null || known.size() != w.size() ? -1 : known.rankOf(w.device());
        if (rank >= 0 && (w.rank() < 0 || w.rank() == rank)) {
            then.accept(known, null);
            return;
        }
        CompleteGroupRequest request = CompleteGroupRequest.newBuilder()
                .setGroupKey(w.key())
                .setGroupSize(w.size())
                .setDeviceType(d.type())
                .setDeviceAttributes(Devices.encode(d))
                .setPatienceMillis(w.patience().toMillis())
                .setWantedRank(w.rank() + 1)
                .build();
        workers.apply(leading)
                .completeGroup(
                        request,
                        cancellation,
                        w.patience().plus(SLACK),
                        (answer, error) -> joined(w.key(), answer, error, then));
    }

    private void joined(
            int key, CompleteGroupResponse answer, OxbowException error, BiConsumer<KeyedGroup, OxbowException> then) {
        if (error == null && !answer.getOurs()) error = foreign();
        if (error != null) {
            then.accept(null, error);
            return;
        }
        List<Member> members = answer.getDeviceAttributesList().stream()
                .map(a -> new Member(a.getName(), a.getDeviceType(), a.getIncarnation()))
                .toList();
        KeyedGroup g = new KeyedGroup(key, members);
        groups.put(key, g);
        then.accept(g, null);
    }

    private OxbowException foreign() {
        return new OxbowException(
                UNIMPLEMENTED,
                "collectives together with tasks of TensorFlow's: %s, where groups meet, is one of them"
                        .formatted(leading));
    }

    @Override
    public void begin(RoundWish w, Cancellation cancellation, BiConsumer<Round, OxbowException> then) {
        CompleteInstanceRequest request = CompleteInstanceRequest.newBuilder()
                .setGroupKey(w.group().key())
                .setGroupSize(w.group().size())
                .setInstanceKey(w.instance())
                .setDevice(w.device())
                .setIsSource(w.source())
                .setWhat(w.what())
                .setPatienceMillis(w.patience().toMillis())
                .build();
        workers.apply(leading)
                .completeInstance(request, cancellation, w.patience().plus(SLACK), (answer, error) -> {
                    if (error == null && answer.getRound() == 0) error = foreign();
                    if (error == null) then.accept(new Round(answer.getRound(), answer.getSourceRank()), null);
                    else then.accept(null, error);
                });
    }

    @Override
    public Rendezvous rendezvous(Round round) {
        return rounds.step(round.number()).rendezvous;
    }

    @Override
    public void ended(RoundWish w, Round round, OxbowException error) {
        if (error != null) {
            groups.remove(w.group().key(), w.group());
            if (round != null) rounds.end(round.number(), error);
            return;
        }
        List<Long> gone = new ArrayList<>();
        synchronized (last) {
            Long before = last.put(new Instance(w.group().key(), w.instance()), round.number());
            if (before != null && before != round.number()) gone.add(before);
            var oldest = last.entrySet().iterator();
            while (last.size() > MOST_INSTANCES) {
                gone.add(oldest.next().getValue());
                oldest.remove();
            }
        }
        for (long g : gone) rounds.end(g, new OxbowException(ABORTED, "round %d has ended".formatted(g)));
    }

    @Override
    public Duration deadline() {
        return DEADLINE;
    }

    @Override
    public Future<?> after(Duration delay, Runnable task) {
        return schedule.after(delay, task);
    }

    @Override
    public Executor threads() {
        return schedule.slow();
    }

    /** Takes a device into a group. */
    void lead(CompleteGroupRequest r, Cancellation c, BiConsumer<CompleteGroupResponse, OxbowException> then) {
        DeviceAttributes d = r.getDeviceAttributes();
        if (r.getPatienceMillis() <= 0) {
            then.accept(null, refused("CompleteGroup", d.getName()));
            return;
        }
        Member m = new Member(d.getName(), d.getDeviceType(), d.getIncarnation());
        var joining = new Leader.Joining(
                r.getGroupKey(), r.getGroupSize(), m, r.getWantedRank() - 1, Duration.ofMillis(r.getPatienceMillis()));
        leader.join(joining, c, (g, error) -> then.accept(g == null ? null : answer(g, d), error));
    }

    private static CompleteGroupResponse answer(KeyedGroup g, DeviceAttributes asking) {
        CompleteGroupResponse.Builder b = CompleteGroupResponse.newBuilder()
                .setGroupKey(g.key())
                .setGroupSize(g.size())
                .setDeviceType(asking.getDeviceType())
                .setNumTasks((int) g.members().stream()
                        .map(m -> TaskName.ofDevice(m.device()))
                        .distinct()
                        .count())
                .setOurs(true);
        for (Member m : g.members())
            b.addDeviceAttributes(DeviceAttributes.newBuilder()
                    .setName(m.device())
                    .setDeviceType(m.type())
                    .setIncarnation(m.incarnation()));
        return b.build();
    }

    /** Notes that a device has come to a round. */
    void lead(CompleteInstanceRequest r, Cancellation c, BiConsumer<CompleteInstanceResponse, OxbowException> then) {
        if (r.getPatienceMillis() <= 0) {
            then.accept(null, refused("CompleteInstance", r.getDevice()));
            return;
        }
        var beginning = new Leader.Beginning(
                r.getGroupKey(),
                r.getGroupSize(),
                r.getInstanceKey(),
                r.getDevice(),
                r.getWhat(),
                r.getIsSource(),
                Duration.ofMillis(r.getPatienceMillis()));
        leader.begin(
                beginning,
                c,
                (round, error) -> then.accept(
                        round == null
                                ? null
                                : CompleteInstanceResponse.newBuilder()
                                        .setInstanceKey(r.getInstanceKey())
                                        .setSourceRank(round.source())
                                        .setRound(round.number())
                                        .build(),
                        error));
    }

    private static OxbowException refused(String method, String device) {
        return new OxbowException(
                UNIMPLEMENTED,
                "%s: %s is a device of TensorFlow's, which does no collectives with ours"
                        .formatted(method, device.isEmpty() ? "one that does not give its name" : device));
    }
}
