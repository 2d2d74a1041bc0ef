import java.io.IOException;
import java.util.List;
import java.util.Random;

/** Asks a random question that is not redundant, or names a random candidate if there is none. */
public class RandomGuessPlayer extends TurnwisePlayer
{
    private final Random random = new Random();

    public RandomGuessPlayer(String gameFilename, String chosenName) throws IOException
    {
        super(gameFilename, chosenName);
    }

    @Override
    Question choose()
    {
        List<Question> splits = board.splits(candidates());
        return splits.isEmpty()
            ? Question.person(candidates()[random.nextInt(candidates().length)])
            : splits.get(random.nextInt(splits.size()));
    }
}
