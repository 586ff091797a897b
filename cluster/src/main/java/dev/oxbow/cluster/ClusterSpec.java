package dev.oxbow.cluster;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.ErrorCode.NOT_FOUND;
import static dev.oxbow.tensor.OxbowException.require;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import dev.oxbow.net.HostPort;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.wire.proto.ClusterDef;
import dev.oxbow.wire.proto.JobDef;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/** The jobs of a cluster, and the tasks of each by number with their addresses. Immutable. */
public final class ClusterSpec {
    private final Map<TaskName, HostPort> tasks = new LinkedHashMap<>();

    private ClusterSpec(Map<String, SortedMap<Integer, String>> jobs) {
        jobs.forEach((job, all) ->
                all.forEach((number, address) -> tasks.put(new TaskName(job, number), HostPort.parse(address))));
        require(!tasks.isEmpty(), INVALID_ARGUMENT, "cluster: there is no task in it");
    }

    /** One job whose tasks are numbered in the order of their addresses. */
    public static ClusterSpec of(String job, List<String> addresses) {
        return of(Map.of(job, addresses));
    }

    /** Jobs whose tasks are numbered in the order of their addresses. */
    public static ClusterSpec of(Map<String, List<String>> jobs) {
        Map<String, SortedMap<Integer, String>> numbered = new TreeMap<>();
        jobs.forEach((job, addresses) -> {
            SortedMap<Integer, String> all = new TreeMap<>();
            for (int i = 0; i < addresses.size(); i++) all.put(i, addresses.get(i));
            numbered.put(job, all);
        });
        return new ClusterSpec(numbered);
    }

    /** From JSON: jobs to lists of addresses, or to objects of number and address. */
    public static ClusterSpec json(String text) {
        try {
            return read(JsonParser.parseString(text).getAsJsonObject());
        } catch (JsonParseException | IllegalStateException | NumberFormatException e) {
            throw malformed("the cluster", text, e);
        }
    }

    /** What TensorFlow's {@code TF_CONFIG} says: the cluster, and which task of it this process is. */
    public record Place(ClusterSpec cluster, TaskName task) {}

    /** From the text of {@code TF_CONFIG}: {@code {"cluster": {...}, "task": {"type": "worker", "index": 0}}}. */
    public static Place tfConfig(String text) {
        try {
            JsonObject all = JsonParser.parseString(text).getAsJsonObject();
            require(
                    all.has("cluster") && all.has("task"),
                    INVALID_ARGUMENT,
                    "TF_CONFIG: wants a cluster and a task, got '%s'",
                    text);
            JsonObject task = all.getAsJsonObject("task");
            require(
                    task.has("type") && task.has("index"),
                    INVALID_ARGUMENT,
                    "TF_CONFIG: a task has a type and an index, got %s",
                    task);
            TaskName name = new TaskName(
                    task.get("type").getAsString(), task.get("index").getAsInt());
            ClusterSpec cluster = read(all.getAsJsonObject("cluster"));
            cluster.address(name);
            return new Place(cluster, name);
        } catch (JsonParseException | IllegalStateException | ClassCastException | NumberFormatException e) {
            throw malformed("TF_CONFIG", text, e);
        }
    }

    private static OxbowException malformed(String what, String text, RuntimeException e) {
        return new OxbowException(
                INVALID_ARGUMENT,
                "cluster: %s is no JSON of the form {\"job\": [\"host:port\", ...]}: '%s'".formatted(what, text),
                e);
    }

    private static ClusterSpec read(JsonObject jobs) {
        Map<String, SortedMap<Integer, String>> all = new TreeMap<>();
        for (var job : jobs.entrySet()) {
            SortedMap<Integer, String> tasks = new TreeMap<>();
            JsonElement value = job.getValue();
            if (value.isJsonArray())
                for (JsonElement a : value.getAsJsonArray()) tasks.put(tasks.size(), a.getAsString());
            else
                for (var t : value.getAsJsonObject().entrySet())
                    tasks.put(Integer.valueOf(t.getKey()), t.getValue().getAsString());
            all.put(job.getKey(), tasks);
        }
        return new ClusterSpec(all);
    }

    /** As JSON, of jobs to objects of number and address. */
    public String json() {
        JsonObject jobs = new JsonObject();
        tasks.forEach((task, address) -> {
            if (!jobs.has(task.job())) jobs.add(task.job(), new JsonObject());
            jobs.getAsJsonObject(task.job()).addProperty(Integer.toString(task.task()), address.toString());
        });
        return jobs.toString();
    }

    /** All tasks, by job and number. */
    public List<TaskName> tasks() {
        return new ArrayList<>(tasks.keySet());
    }

    public boolean has(TaskName task) {
        return tasks.containsKey(task);
    }

    /** Where a task listens, or NOT_FOUND. */
    public HostPort address(TaskName task) {
        HostPort a = tasks.get(task);
        require(a != null, NOT_FOUND, "cluster: there is no task %s, its tasks are %s", task, tasks.keySet());
        return a;
    }

    /** TensorFlow's message. */
    public ClusterDef definition() {
        Map<String, JobDef.Builder> jobs = new LinkedHashMap<>();
        tasks.forEach((t, address) -> jobs.computeIfAbsent(
                        t.job(), job -> JobDef.newBuilder().setName(job))
                .putTasks(t.task(), address.toString()));
        ClusterDef.Builder def = ClusterDef.newBuilder();
        jobs.values().forEach(def::addJob);
        return def.build();
    }

    /** From TensorFlow's message. */
    public static ClusterSpec of(ClusterDef def) {
        Map<String, SortedMap<Integer, String>> jobs = new TreeMap<>();
        for (JobDef j : def.getJobList()) jobs.put(j.getName(), new TreeMap<>(j.getTasksMap()));
        return new ClusterSpec(jobs);
    }

    @Override
    public String toString() {
        return tasks.toString();
    }
}
