/**
 * What training does, as one stream of events with several readers. Start at {@link dev.oxbow.observe.EventStream} for the
 * contract, {@link dev.oxbow.observe.Observer} for trainers and {@link dev.oxbow.observe.RunLog} for programs of one's own.
 * Training knows none of them: an observer is a callback of the trainer, and readers are attached to its stream.
 *
 * <p>A run is a folder with event files, which TensorBoard shows as they are: those of the first process lie in it, those of the
 * others in {@code worker-N}. Whoever looks at a run reads the files, so that nothing that looks can hold up training.
 *
 * {@snippet :
 * // a reader of one's own, beside the file
 * record Alarm(double limit) implements EventReader {
 *     public void event(long millis, Event event) {
 *         if (event instanceof Event.Step s && s.loss() > limit) IO.println("step " + s.step() + ": " + s.loss());
 *     }
 * }
 *
 * static void watch(Observer observer) {
 *     RunLog log = observer.log();
 *     EventStream stream = log.stream();
 *     stream.attach("alarm", new Alarm(10));
 * }
 * }
 */
package dev.oxbow.observe;
