import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * A Guess Who player that asks {@code turnwise stdio guesswho}, a child process, for its guesses.
 *
 * <p>Copy this file over the course's CustomGuessPlayer.java, and TurnwisePlayer.java beside it. The program is found
 * by the system property {@code turnwise.command}, else by the environment variable {@code TURNWISE}, else as
 * {@code turnwise} on the path. The system property {@code turnwise.patience} sets the seconds that it
 * has for a reply (20).
 *
 * <p>Whenever the child cannot be started, dies, stays silent or says something that is no legal guess, the child is
 * given up with one line on standard error, and TurnwisePlayer makes the guesses, which are the same. The framework
 * never notices. The child ends with its game, so that many games can be played in one run of Java.
 */
public class CustomGuessPlayer extends TurnwisePlayer
{
    /** Seconds that the child has for a reply, unless the system property says otherwise. */
    private static final long PATIENCE = Long.getLong("turnwise.patience", 20);

    /** The running turnwise, or null when this player is on its own. */
    private Child child;

    /**
     * @param gameFilename configuration file of the game
     * @param chosenName name of the person that this player has chosen
     * @throws IOException if the configuration cannot be read or does not have the person
     */
    public CustomGuessPlayer(String gameFilename, String chosenName) throws IOException
    {
        super(gameFilename, chosenName);
        try {
            child = new Child();
            expect(child.ask("load " + gameFilename), "loaded " + board.names.size());
            expect(child.ask("chosen " + chosenName), "ok");
        } catch (IOException problem) {
            giveUp(problem);
        }
    }

    @Override
    Question choose()
    {
        if (child != null) {
            try {
                return toQuestion(child.ask("guess?"));
            } catch (IOException problem) {
                giveUp(problem);
            }
        }
        return super.choose();
    }

    @Override
    public boolean answer(Guess guess)
    {
        boolean answer = super.answer(guess);
        if (child != null) {
            try {
                expect(child.ask("answer? " + toText(guess)), "answer " + answer);
            } catch (IOException problem) {
                giveUp(problem);
            }
        }
        if (isOver()) {
            endChild();
        }
        return answer;
    }

    @Override
    public boolean receiveAnswer(Guess guess, boolean answer)
    {
        boolean finished = super.receiveAnswer(guess, answer);
        if (child != null && board.question(guess) != null) {
            try {
                expect(child.ask("result " + toText(guess) + " " + answer), "finished " + finished);
            } catch (IOException problem) {
                giveUp(problem);
            }
        }
        if (finished || hasOpponentFinished()) {
            // We guess no more.
            endChild();
        }
        return finished;
    }

    /** The guess as turnwise reads it; one that cannot be right becomes one about nobody. */
    private String toText(Guess guess)
    {
        Question question = board.question(guess);
        if (question != null) {
            return question.isPerson()
                ? "Person " + guess.getValue()
                : "Attribute " + guess.getAttribute() + " " + guess.getValue();
        }
        StringBuilder nobody = new StringBuilder("nobody");
        while (board.names.contains(nobody.toString())) {
            nobody.append('?');
        }
        return "Person " + nobody;
    }

    /** Reads a reply to "guess?" and refuses what the framework could not use. */
    private Question toQuestion(String reply) throws IOException
    {
        String[] words = reply.split(" ");
        Guess guess = null;
        if (words.length == 4 && words[0].equals("guess") && words[1].equals("Attribute")) {
            guess = new Guess(Guess.GuessType.Attribute, words[2], words[3]);
        } else if (words.length == 3 && words[0].equals("guess") && words[1].equals("Person")) {
            guess = new Guess(Guess.GuessType.Person, "", words[2]);
        }
        Question question = board.question(guess);
        if (question == null) {
            throw new IOException("expected a guess, got: " + reply);
        }
        return question;
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
