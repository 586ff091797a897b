package dev.oxbow.cli;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Arrays;

/** Runs the {@code main} of the class that the first argument names, in a process that ends with its launcher. */
public final class RankMain {
    private static final int NO_SUCH_MAIN = 2;

    private RankMain() {}

    public static void main(String[] arguments) throws Throwable {
        Lifeline.hold();
        Method main;
        try {
            Class<?> type = Class.forName(arguments[0], true, ClassLoader.getSystemClassLoader());
            main = type.getMethod("main", String[].class);
            main.setAccessible(true);
        } catch (ClassNotFoundException | NoSuchMethodException e) {
            System.err.println("oxbow: launch: no class with a public static void main(String[]) is called "
                    + arguments[0] + " on the class path: " + e);
            System.exit(NO_SUCH_MAIN);
            return;
        }
        try {
            main.invoke(null, (Object) Arrays.copyOfRange(arguments, 1, arguments.length));
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }
}
