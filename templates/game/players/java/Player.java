import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** A player of Tic-Tac-Toe that values each cell. It reads and writes lines of JSON. */
public final class Player {
    private static final int[][] ROWS = {
        {0, 1, 2}, {3, 4, 5}, {6, 7, 8}, {0, 3, 6}, {1, 4, 7}, {2, 5, 8}, {0, 4, 8}, {2, 4, 6}
    };

    // -------------------------------------------------------------- what to change first

    /** Returns how good a cell is: it completes a row, prevents the opponent's row, or lies in many rows. */
    static int value(String board, String piece, int cell) {
        int total = 0;
        for (int[] row : ROWS) {
            String others = "";
            for (int other : row) {
                if (other != cell) {
                    others += board.charAt(other);
                }
            }
            if (others.length() == 3) {
                continue; // The cell is not in this row.
            }
            if (others.equals(piece + piece)) {
                total += 100;
            } else if (others.equals("XX") || others.equals("OO")) {
                total += 10;
            } else {
                total += 1;
            }
        }
        return total;
    }

    /** Returns the legal move with the highest value. */
    static String chooseMove(List<Json> moves, Json state) {
        String best = null;
        int bestValue = -1;
        for (Json move : moves) {
            int value = value(state.get("board").text(), state.get("piece").text(), Integer.parseInt(move.text()));
            if (value > bestValue) {
                best = move.text();
                bestValue = value;
            }
        }
        return best;
    }

    // ------------------------------------------------------------------------------------

    public static void main(String[] arguments) throws IOException {
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = input.readLine(); line != null; line = input.readLine()) {
            Json message = Json.read(line);
            // Other messages need no answer.
            if (message.get("type").text().equals("move")) {
                String move = chooseMove(message.get("moves").items(), message.get("state"));
                System.out.println("{\"move\":\"" + move + "\"}");
                System.out.flush();
            }
        }
    }
}
