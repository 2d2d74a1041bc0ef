import java.io.IOException;

/**
 * Plays one game between two CustomGuessPlayers by the framework's rules, prints its log lines, and
 * lives on until its input ends; a stand-in for tests. Arguments: configuration, person of player 1,
 * person of player 2, and how many guesses at first are null, as those of a player not yet written.
 */
public class Harness
{
    public static void main(String[] arguments) throws IOException
    {
        Player[] players = {
            new CustomGuessPlayer(arguments[0], arguments[1]),
            new CustomGuessPlayer(arguments[0], arguments[2]),
        };
        int nulls = arguments.length > 3 ? Integer.parseInt(arguments[3]) : 0;
        boolean[] finished = new boolean[2];
        for (int round = 1; !finished[0] && !finished[1]; round++) {
            System.out.println("Round " + round);
            for (int turn = 0; turn < 2; turn++) {
                Guess guess = players[turn].guess();
                if (nulls-- > 0) {
                    guess = null;
                }
                System.out.println("Player " + (turn + 1) + " guessing " + guess);
                boolean answer = players[1 - turn].answer(guess);
                System.out.println("Player " + (2 - turn) + " answering " + answer);
                finished[turn] = players[turn].receiveAnswer(guess, answer);
            }
        }
        String winner = finished[0] ? "Player 1 won!" : "Player 2 won!";
        System.out.println(finished[0] && finished[1] ? "It's a tie!" : winner);
        System.out.flush();
        while (System.in.read() >= 0) {
            // Until whoever started us has seen enough.
        }
    }
}
