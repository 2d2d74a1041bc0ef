import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * A Guess Who player that asks {@code turnwise stdio guesswho}, a child process, for its guesses.
 *
 * <p>Copy this file over the course's CustomGuessPlayer.java; it needs Java 8 or later, and of the
 * course's files only Player and Guess. The program is found by the system property
 * {@code turnwise.command}, else by the environment variable {@code TURNWISE}, else as
 * {@code turnwise} on the path. The system property {@code turnwise.patience} sets the seconds that it
 * has for a reply (20).
 *
 * <p>This class keeps the remaining candidates itself and answers from its own copy of the board.
 * Whenever the child cannot be started, dies, stays silent or says something that is no legal
 * guess, the child is given up with one line on standard error, and the player goes on by dividing
 * the candidates most evenly. The framework never notices. The child ends with its game, so that many
 * games can be played in one run of Java.
 */
public class CustomGuessPlayer implements Player
{
    /** Seconds that the child has for a reply, unless the system property says otherwise. */
    private static final long PATIENCE = Long.getLong("turnwise.patience", 20);

    /** Values by attribute, both in alphabetical order, in which turnwise breaks ties. */
    private final Map<String, Set<String>> attributes = new TreeMap<>();
    /** Attribute values by person's name. */
    private final Map<String, Map<String, String>> persons = new LinkedHashMap<>();
    /** Our own person. */
    private final Map<String, String> chosen;
    private final String chosenName;
    /** Who may be the opponent's person. */
    private List<String> candidates;
    /** The running turnwise, or null when this player is on its own. */
    private Child child;
    private boolean hasAnswered;
    /** Whether we guess first in each round. */
    private boolean isFirst;
    /** Whether the opponent has named our person. */
    private boolean opponentFinished;

    /**
     * @param gameFilename configuration file of the game
     * @param chosenName name of the person that this player has chosen
     * @throws IOException if the configuration cannot be read or does not have the person
     */
    public CustomGuessPlayer(String gameFilename, String chosenName) throws IOException
    {
        read(gameFilename);
        this.chosenName = chosenName;
        chosen = persons.get(chosenName);
        if (chosen == null) {
            throw new IOException(gameFilename + " has no person " + chosenName);
        }
        candidates = new ArrayList<>(persons.keySet());
        try {
            child = new Child();
            expect(child.ask("load " + gameFilename), "loaded " + persons.size());
            expect(child.ask("chosen " + chosenName), "ok");
        } catch (IOException problem) {
            giveUp(problem);
        }
    }

    @Override
    public Guess guess()
    {
        isFirst |= !hasAnswered;
        if (child != null) {
            try {
                return toGuess(child.ask("guess?"));
            } catch (IOException problem) {
                giveUp(problem);
            }
        }
        return mostEven();
    }

    @Override
    public boolean answer(Guess guess)
    {
        hasAnswered = true;
        boolean answer = holds(guess, chosenName);
        opponentFinished = answer && guess.getType() == Guess.GuessType.Person;
        if (child != null) {
            try {
                expect(child.ask("answer? " + toText(guess)), "answer " + answer);
            } catch (IOException problem) {
                giveUp(problem);
            }
        }
        if (opponentFinished && isFirst) {
            // The second player's guess was the last of the game.
            endChild();
        }
        return answer;
    }

    @Override
    public boolean receiveAnswer(Guess guess, boolean answer)
    {
        if (guess == null) {
            // Not a guess of ours, so its answer tells us nothing.
            return false;
        }
        boolean finished = answer && guess.getType() == Guess.GuessType.Person;
        candidates.removeIf(name -> holds(guess, name) != answer);
        if (child != null) {
            try {
                expect(child.ask("result " + toText(guess) + " " + answer), "finished " + finished);
            } catch (IOException problem) {
                giveUp(problem);
            }
        }
        if (finished || opponentFinished) {
            // We guess no more, and answer from our own copy of the board.
            endChild();
        }
        return finished;
    }

    /** Reads the attributes, then the persons: blocks of lines with blank lines between them. */
    private void read(String filename) throws IOException
    {
        try (BufferedReader reader = open(filename)) {
            boolean inAttributes = true;
            Map<String, String> person = null;
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                String trimmed = line.replace("\uFEFF", "").trim();
                if (trimmed.isEmpty()) {
                    inAttributes = inAttributes && attributes.isEmpty();
                    person = null;
                    continue;
                }
                String[] words = trimmed.split("\\s+");
                if (inAttributes) {
                    attributes.put(words[0], new TreeSet<>(Arrays.asList(words).subList(1, words.length)));
                } else if (person == null) {
                    person = new LinkedHashMap<>();
                    persons.put(words[0], person);
                } else if (words.length == 2) {
                    person.put(words[0], words[1]);
                    attributes.computeIfAbsent(words[0], name -> new TreeSet<>()).add(words[1]);
                } else {
                    throw new IOException(filename + ": expected an attribute and a value, got: " + trimmed);
                }
            }
        }
    }

    private static BufferedReader open(String filename) throws IOException
    {
        return new BufferedReader(new InputStreamReader(new FileInputStream(filename), StandardCharsets.UTF_8));
    }

    /** The true answer to a guess about a person; no to what is no guess, such as null. */
    private boolean holds(Guess guess, String name)
    {
        if (guess == null || guess.getType() == null || guess.getValue() == null) {
            return false;
        }
        if (guess.getType() == Guess.GuessType.Person) {
            return guess.getValue().equals(name);
        }
        return guess.getValue().equals(persons.get(name).get(guess.getAttribute()));
    }

    /** The attribute question nearest to half of the candidates, or a person if nothing divides them. */
    private Guess mostEven()
    {
        Guess best = null;
        int bestDistance = Integer.MAX_VALUE;
        for (Map.Entry<String, Set<String>> attribute : attributes.entrySet()) {
            for (String value : attribute.getValue()) {
                Guess guess = new Guess(Guess.GuessType.Attribute, attribute.getKey(), value);
                int yes = 0;
                for (String name : candidates) {
                    yes += holds(guess, name) ? 1 : 0;
                }
                int distance = Math.abs(candidates.size() - 2 * yes);
                if (yes > 0 && yes < candidates.size() && distance < bestDistance) {
                    best = guess;
                    bestDistance = distance;
                }
            }
        }
        if (best != null) {
            return best;
        }
        // Nobody is left only if the opponent's answers contradict each other.
        String name = candidates.isEmpty() ? chosenName : candidates.get(0);
        return new Guess(Guess.GuessType.Person, "", name);
    }

    /** The guess as turnwise reads it; one that cannot be right becomes one about nobody. */
    private String toText(Guess guess)
    {
        for (String name : persons.keySet()) {
            if (holds(guess, name)) {
                return guess.getType() == Guess.GuessType.Person
                    ? "Person " + guess.getValue()
                    : "Attribute " + guess.getAttribute() + " " + guess.getValue();
            }
        }
        StringBuilder nobody = new StringBuilder("nobody");
        while (persons.containsKey(nobody.toString())) {
            nobody.append('?');
        }
        return "Person " + nobody;
    }


    /** Reads a reply to "guess?" and refuses what the framework could not use. */
    private Guess toGuess(String reply) throws IOException
    {
        String[] words = reply.split(" ");
        if (words.length == 4 && words[0].equals("guess") && words[1].equals("Attribute")
            && attributes.getOrDefault(words[2], Collections.emptySet()).contains(words[3])) {
            return new Guess(Guess.GuessType.Attribute, words[2], words[3]);
        }
        if (words.length == 3 && words[0].equals("guess") && words[1].equals("Person")
            && persons.containsKey(words[2])) {
            return new Guess(Guess.GuessType.Person, "", words[2]);
        }
        throw new IOException("expected a guess, got: " + reply);
    }

    private static void expect(String reply, String expected) throws IOException
    {
        if (!reply.equals(expected)) {
            throw new IOException("expected \"" + expected + "\", got: " + reply);
        }
    }

    private void giveUp(IOException problem)
    {
        System.err.println("CustomGuessPlayer goes on without turnwise: " + problem.getMessage());
        if (child != null) {
            child.kill();
            child = null;
        }
    }

    /** Lets the child end, once the game needs it no more. */
    private void endChild()
    {
        if (child != null) {
            child.close();
            child = null;
        }
    }

    /** The child process: one line there, one line back. */
    private static final class Child
    {
        private static final String END = new String("end of output");

        private final Process process;
        private final BufferedWriter input;
        private final BlockingQueue<String> replies = new LinkedBlockingQueue<>();

        Child() throws IOException
        {
            String fromEnvironment = System.getenv().getOrDefault("TURNWISE", "turnwise");
            String command = System.getProperty("turnwise.command", fromEnvironment);
            process = new ProcessBuilder(command, "stdio", "guesswho")
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
            input = new BufferedWriter(new OutputStreamWriter(process.getOutputStream(), StandardCharsets.UTF_8));
            BufferedReader output =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
            // A thread of its own, since a read from a pipe cannot be given a time limit. It does not
            // keep the framework alive; the child ends with the game, or when the framework's end closes its input.
            Thread reader = new Thread(() -> {
                try {
                    for (String line = output.readLine(); line != null; line = output.readLine()) {
                        replies.add(line);
                    }
                } catch (IOException gone) {
                    // Told to whoever asks next, by the mark below.
                }
                replies.add(END);
            });
            reader.setDaemon(true);
            reader.start();
        }

        String ask(String request) throws IOException
        {
            input.write(request);
            input.write('\n');
            input.flush();
            String reply;
            try {
                reply = replies.poll(PATIENCE, TimeUnit.SECONDS);
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
                throw new IOException("interrupted while waiting for turnwise");
            }
            if (reply == null) {
                throw new IOException("no reply to \"" + request + "\" in " + PATIENCE + " seconds");
            }
            if (reply == END) {
                throw new IOException("turnwise ended");
            }
            return reply;
        }

        /** Lets the child end with its input, and sees to it that it does. */
        void close()
        {
            try {
                input.close();
                process.waitFor(1, TimeUnit.SECONDS);
            } catch (IOException gone) {
                // It has ended already.
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
            }
            kill();
        }

        void kill()
        {
            process.destroyForcibly();
        }
    }
}
