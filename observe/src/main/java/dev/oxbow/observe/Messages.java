package dev.oxbow.observe;

import com.google.protobuf.ByteString;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import dev.oxbow.wire.event.Summaries;
import dev.oxbow.wire.proto.DeviceStepStats;
import dev.oxbow.wire.proto.HParamInfo;
import dev.oxbow.wire.proto.HParamsExperiment;
import dev.oxbow.wire.proto.HParamsPluginData;
import dev.oxbow.wire.proto.MetricInfo;
import dev.oxbow.wire.proto.MetricName;
import dev.oxbow.wire.proto.NodeExecStats;
import dev.oxbow.wire.proto.RunMetadata;
import dev.oxbow.wire.proto.SessionEndInfo;
import dev.oxbow.wire.proto.SessionStartInfo;
import dev.oxbow.wire.proto.SettingValue;
import dev.oxbow.wire.proto.StepStats;
import dev.oxbow.wire.proto.Summary;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What TensorBoard's plugins want to find in event files: settings, step stats. */
final class Messages {
    /** The tags under which every run has its figures. */
    static final String LOSS = "train/loss", STEP = "time/step_ms", INPUT = "time/input_ms", RATE = "rate/examples";

    private static final String SETTINGS = "_hparams_/";
    private static final int TEXT = 1, BOOLEAN = 2, NUMBER = 3;

    private Messages() {}

    static Summary step(Event.Step s) {
        double seconds = s.nanos() / 1e9;
        return Summary.newBuilder()
                .addValue(Summaries.scalar(LOSS, s.loss()))
                .addValue(Summaries.scalar(STEP, s.nanos() / 1e6))
                .addValue(Summaries.scalar(INPUT, s.inputNanos() / 1e6))
                .addValue(Summaries.scalar(RATE, seconds > 0 ? s.examples() / seconds : 0))
                .build();
    }

    static Summary figures(String prefix, Map<String, Double> values) {
        Summary.Builder all = Summary.newBuilder();
        values.forEach((name, v) -> all.addValue(Summaries.scalar(prefix + name.replace(' ', '_'), v)));
        return all.build();
    }

    /** What a session of the hyperparameters plugin began with, and a table of it as text. */
    static Summary settings(Map<String, Object> settings, double seconds) {
        SessionStartInfo.Builder start = SessionStartInfo.newBuilder().setStartTimeSecs(seconds);
        HParamsExperiment.Builder experiment = HParamsExperiment.newBuilder()
                .addMetricInfos(
                        MetricInfo.newBuilder().setName(MetricName.newBuilder().setTag(LOSS)));
        StringBuilder table = new StringBuilder("| setting | value |\n|---|---|\n");
        settings.forEach((name, value) -> {
            SettingValue.Builder v = SettingValue.newBuilder();
            HParamInfo.Builder known = HParamInfo.newBuilder().setName(name);
            switch (value) {
                case Boolean b -> experiment.addHparamInfos(known.setType(BOOLEAN));
                case Number n -> experiment.addHparamInfos(known.setType(NUMBER));
                default -> experiment.addHparamInfos(known.setType(TEXT));
            }
            switch (value) {
                case Boolean b -> v.setBoolValue(b);
                case Number n -> v.setNumberValue(n.doubleValue());
                default -> v.setStringValue(value.toString());
            }
            start.putHparams(name, v.build());
            table.append("| ")
                    .append(name)
                    .append(" | ")
                    .append(value.toString().replace("|", "\\|"))
                    .append(" |\n");
        });
        return Summary.newBuilder()
                .addValue(plugin("experiment", HParamsPluginData.newBuilder().setExperiment(experiment)))
                .addValue(plugin(
                        "session_start_info", HParamsPluginData.newBuilder().setSessionStartInfo(start)))
                .addValue(Summaries.text("settings", table.toString()))
                .build();
    }

    static Summary end(boolean well, double seconds) {
        SessionEndInfo.Builder end =
                SessionEndInfo.newBuilder().setStatus(well ? 1 : 2).setEndTimeSecs(seconds);
        return Summary.newBuilder()
                .addValue(plugin(
                        "session_end_info", HParamsPluginData.newBuilder().setSessionEndInfo(end)))
                .build();
    }

    private static Summary.Value plugin(String name, HParamsPluginData.Builder data) {
        try (Tensor nothing = Tensor.zeros(DType.F32, Shape.of(0))) {
            return Summaries.tensor(
                    SETTINGS + name,
                    nothing,
                    Summaries.plugin("hparams", data.build().toByteString()));
        }
    }

    /** The spans of a step by device, as TensorFlow tells them. */
    static ByteString trace(List<Event.Span> spans) {
        Map<String, DeviceStepStats.Builder> devices = new LinkedHashMap<>();
        for (Event.Span s : spans) {
            DeviceStepStats.Builder d = devices.computeIfAbsent(
                    s.device(), name -> DeviceStepStats.newBuilder().setDevice(name));
            for (int i = 0; i < s.nodes().size(); i++) {
                long length = s.toNanos() - s.fromNanos();
                d.addNodeStats(NodeExecStats.newBuilder()
                        .setNodeName(s.nodes().get(i))
                        .setTimelineLabel(label(s, i))
                        .setAllStartMicros(s.fromNanos() / 1_000)
                        .setScheduledMicros(s.fromNanos() / 1_000)
                        .setOpEndRelMicros(length / 1_000)
                        .setAllEndRelMicros(length / 1_000)
                        .setAllStartNanos(s.fromNanos())
                        .setScheduledNanos(s.fromNanos())
                        .setOpEndRelNanos(length)
                        .setAllEndRelNanos(length));
            }
        }
        StepStats.Builder all = StepStats.newBuilder();
        devices.values().forEach(all::addDevStats);
        return RunMetadata.newBuilder().setStepStats(all).build().toByteString();
    }

    /** {@code node = Op()}, with how many it ran as one and the line that made it. */
    private static String label(Event.Span s, int i) {
        return s.nodes().get(i) + " = " + s.ops().get(i) + "()"
                + (s.nodes().size() > 1 ? " in one of " + s.nodes().size() : "")
                + (s.origin().isEmpty() ? "" : " at " + s.origin());
    }
}
