-- | The cards of the course's engine: the names that players use.
module Cards where

data Suit = Spade | Club | Diamond | Heart
  deriving (Eq, Ord, Enum, Bounded)

instance Show Suit where
  show suit = [letterOf "SCDH" suit]

data Rank
  = Ace | Two | Three | Four | Five | Six | Seven | Eight | Nine | Ten
  | Jack | Queen | King
  deriving (Eq, Ord, Enum, Bounded)

instance Show Rank where
  show rank = [letterOf "A23456789TJQK" rank]

letterOf :: Enum a => String -> a -> Char
letterOf letters value = letters !! fromEnum value

data Card = Card Suit Rank
  deriving (Eq, Ord)

instance Show Card where
  show (Card suit rank) = show suit ++ show rank

type Hand = [Card]
