import java.io.BufferedReader;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.reflect.InvocationTargetException;
import java.nio.charset.StandardCharsets;

/**
 * Lets a player of the course's Guess Who framework play over standard input and output, as
 * protocol/guesswho.md says: {@code java -cp CLASSES StdioPlayer RandomGuessPlayer}. CLASSES holds the
 * framework's Player and Guess, the player, and this class.
 *
 * <p>What the player prints goes to standard error. What it throws ends the program with its stack trace, as
 * it would end the framework. Works with Java 8 and later.
 */
public class StdioPlayer
{
    private final String playerClass;
    /** The configuration, once it is known. */
    private String path;
    /** The player of the game in progress. */
    private Player player;
    /** Its last guess. */
    private Guess guessed;

    private StdioPlayer(String playerClass)
    {
        this.playerClass = playerClass;
    }

    /** @param arguments name of a class that implements Player */
    public static void main(String[] arguments)
    {
        if (arguments.length != 1) {
            System.err.println("expected the name of a class that implements Player, such as RandomGuessPlayer");
            System.exit(2);
        }
        try {
            serve(new StdioPlayer(arguments[0]));
        } catch (Throwable thrown) {
            thrown.printStackTrace();
            System.exit(1);
        }
        // Threads that the player has left behind keep nobody waiting.
        System.exit(0);
    }

    private static void serve(StdioPlayer stdio) throws Exception
    {
        PrintStream replies = new PrintStream(System.out, false, "UTF-8");
        System.setOut(System.err);
        BufferedReader requests = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = requests.readLine(); line != null; line = requests.readLine()) {
            String request = line.trim();
            if (request.equals("quit")) {
                break;
            }
            replies.print(stdio.reply(request) + "\n");
            replies.flush();
        }
    }

    private String reply(String request) throws Exception
    {
        String[] words = request.split("\\s+");
        int count = words.length;
        if (words[0].equals("load") && count > 1) {
            String file = request.substring("load".length()).trim();
            int persons = persons(file);
            path = file;
            player = null;
            return "loaded " + persons;
        }
        if (words[0].equals("chosen") && count == 2 && path != null) {
            player = create(words[1]);
            return "ok";
        }
        if (player == null) {
            return "error expected load PATH, then chosen NAME, got " + request;
        }
        if (words[0].equals("guess?") && count == 1) {
            guessed = player.guess();
            return "guess " + toText(guessed);
        }
        Guess guess = toGuess(words);
        if (words[0].equals("answer?") && guess != null && count == length(guess)) {
            return "answer " + player.answer(guess);
        }
        if (words[0].equals("result") && guess != null && count == length(guess) + 1) {
            // The framework hands back the very object.
            Guess own = toText(guess).equals(toText(guessed)) ? guessed : guess;
            return "finished " + player.receiveAnswer(own, Boolean.parseBoolean(words[count - 1]));
        }
        return "error expected guess?, answer? GUESS, result GUESS true|false or quit, got " + request;
    }

    /** A player as the framework makes one. */
    private Player create(String chosenName) throws Exception
    {
        Class<? extends Player> found = Class.forName(playerClass).asSubclass(Player.class);
        try {
            return found.getConstructor(String.class, String.class).newInstance(path, chosenName);
        } catch (InvocationTargetException thrown) {
            if (thrown.getCause() instanceof Exception) {
                throw (Exception) thrown.getCause();
            }
            throw thrown;
        }
    }

    /** Words of a request with this guess. */
    private static int length(Guess guess)
    {
        return guess.getType() == Guess.GuessType.Person ? 3 : 4;
    }

    /** The guess behind the first word, or null if there is none. */
    private static Guess toGuess(String[] words)
    {
        if (words.length > 2 && words[1].equals("Person")) {
            return new Guess(Guess.GuessType.Person, "", words[2]);
        }
        if (words.length > 3 && words[1].equals("Attribute")) {
            return new Guess(Guess.GuessType.Attribute, words[2], words[3]);
        }
        return null;
    }

    /** A guess as it is logged, null and all. */
    private static String toText(Guess guess)
    {
        if (guess == null) {
            return "null";
        }
        return guess.getType() == Guess.GuessType.Person
            ? "Person " + guess.getValue()
            : "Attribute " + guess.getAttribute() + " " + guess.getValue();
    }

    /** Counts the persons of a configuration: the blocks of lines behind the first one. */
    private static int persons(String file) throws IOException
    {
        int blocks = 0;
        try (BufferedReader reader =
            new BufferedReader(new InputStreamReader(new FileInputStream(file), StandardCharsets.UTF_8))) {
            boolean isBetween = true;
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                boolean isBlank = line.replace("\uFEFF", "").trim().isEmpty();
                blocks += isBetween && !isBlank ? 1 : 0;
                isBetween = isBlank;
            }
        }
        return Math.max(0, blocks - 1);
    }
}
