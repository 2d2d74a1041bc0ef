/** The calls by which the course's framework drives a player; a stand-in for tests. */
public interface Player
{
    /** @return this player's guess */
    Guess guess();

    /**
     * @param guess the opponent's guess
     * @return the true answer about this player's person
     */
    boolean answer(Guess guess);

    /**
     * @param guess this player's own guess
     * @param answer the opponent's answer to it
     * @return whether the guess was the opponent's person
     */
    boolean receiveAnswer(Guess guess, boolean answer);
}
