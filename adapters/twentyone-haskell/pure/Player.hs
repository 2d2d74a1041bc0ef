{-# LANGUAGE BangPatterns #-}

{- |
A player of TwentyOne for the course's engine, in one file. It decides as
turnwise does: it counts the cards, plays the action with the highest expected
value of the cards left, and bids the growth-optimal share of its points. It
only imports base, containers and the engine's own modules. GHC infers that the
module is Safe.

The memory is text of this form. Numbers have no sign.

> <memory> ::= <number> "|" <number> "|" <number> "|" <seen> "|" <turn> "|"
>              <shown> "|" <seats>
> <seen>   ::= "" | <count> <seen>
> <count>  ::= <number> ","
> <turn>   ::= <number> ":" <taken> ":" <pair> ":" <due>
> <taken>  ::= "i" | "-"
> <pair>   ::= <card> <card> | "-"
> <due>    ::= "h" | "s" | "-"
> <shown>  ::= "" | <owned> <shown>
> <owned>  ::= <id> "=" <hands> ";"
> <hands>  ::= "" | <hand> <hands>
> <hand>   ::= <cards> "/"
> <cards>  ::= "" | <card> <cards>
> <card>   ::= <suit> <rank>
> <suit>   ::= "S" | "C" | "D" | "H"
> <rank>   ::= "A" | "2" | "3" | "4" | "5" | "6" | "7" | "8" | "9" | "T"
>            | "J" | "Q" | "K"
> <seats>  ::= "" | <seat> <seats>
> <seat>   ::= <id> ":" <number> ":" <number> ":" <paid> ":" <number> ":"
>              <number> ";"
> <paid>   ::= <number> | "-"
> <id>     ::= "" | <code> <id>
> <code>   ::= <number> "."
> <number> ::= <digit> | <digit> <number>
> <digit>  ::= "0" | "1" | "2" | "3" | "4" | "5" | "6" | "7" | "8" | "9"

The first three numbers are the round, the number of players at the start, and
the number of cards dealt since the last shuffle. 'Memory', 'Turn' and 'Seat'
say what the other parts mean. An id is the codes of its characters.
-}
module Player (playCard) where

import Control.Applicative ((<|>))
import Data.Bits (shiftL, shiftR, (.&.))
import Data.Char (chr, digitToInt, isDigit, ord)
import qualified Data.IntMap as IM
import qualified Data.List as L
import Data.Maybe (fromMaybe, isJust, isNothing, listToMaybe)

import Cards (Card (..), Hand, Rank (..))
import Parser.Instances (ParseResult (..), Parser, parse)
import Parser.Parser (character, is, unexpectedCharParser, (|||))
import TwentyOne.Play (dealerId, roundLimit)
import TwentyOne.Rules (maxBid, minBid, numDecks, startingPoints)
import TwentyOne.Types
  ( Action (..), HandValue (..), PlayFunc, PlayerId, PlayerInfo (..)
  , PlayerPoints, Points, getId, getPoints )

-- ---------------------------------------------------------------------------
-- The calls of the engine

-- | The facts that the engine shows in a call. Hands are in the order played,
-- and their cards in the order dealt.
data View = View
  { me         :: PlayerId
  , standings  :: [(PlayerId, Points)]  -- ^ in seating order
  , shownHands :: [(PlayerId, [Hand])]  -- ^ only players with cards
  , dealerHand :: Hand
  , isFirst    :: Bool                  -- ^ the first call of a game
  }

-- | Bids when no card is up, and otherwise plays the hand.
playCard :: PlayFunc
playCard up points infos player text hand = (action, printed after)
  where
    view = viewOf points infos player (isNothing text)
    before = fromMaybe newGame (text >>= parsed)
    (action, memory) = case up of
      Nothing   -> chooseBid view (closeRound view before)
      Just card ->
        choosePlay view card dealt (lookAround view card dealt before)
    dealt = asDealt hand
    after = noted player dealt action memory

viewOf :: [PlayerPoints] -> [PlayerInfo] -> PlayerId -> Bool -> View
viewOf points infos player first = View
  { me = player
  , standings = [(getId p, getPoints p) | p <- points]
  , shownHands =
      [ (owner, handsOf owner)
      | owner <- L.nub [owner | PlayerInfo owner (_ : _) <- infos]
      , owner /= dealerId ]
  , dealerHand = concat (handsOf dealerId)
  , isFirst = first }
  where
    -- The engine lists a player's newest hand first.
    handsOf player' = reverse
      [ asDealt hand
      | PlayerInfo owner hand@(_ : _) <- infos, owner == player' ]

-- | Orders a hand as it was dealt. In the engine, the two dealt cards come
-- last, and drawn cards are put in front of them.
asDealt :: Hand -> Hand
asDealt hand = dealt ++ reverse drawn
  where (drawn, dealt) = splitAt (length hand - 2) hand

ownPoints :: View -> Points
ownPoints view = fromMaybe 0 (lookup (me view) (standings view))

-- ---------------------------------------------------------------------------
-- The memory

data Memory = Memory
  { gameRound :: Int                 -- ^ rounds bid in, with this one
  , players   :: Int                 -- ^ at the start of the game
  , dealtOut  :: Int                 -- ^ cards dealt since the last shuffle
  , seen      :: Ranks               -- ^ the dealt cards that we saw
  , turn      :: Turn
  , earlier   :: [(PlayerId, [Hand])] -- ^ this round's hands before ours
  , seats     :: [Seat]              -- ^ everyone, in seating order
  }

-- | Our actions in this round.
data Turn = Turn
  { turnBid :: Points               -- ^ 0 if it is not known
  , insured :: Bool
  , split   :: Maybe (Card, Card)   -- ^ the first pair that we split
  , due     :: Due
  }

-- | The action that a double down still demands.
data Due = Free | HitDue | StandDue deriving (Eq, Enum, Bounded)

instance Show Due where
  show Free     = "-"
  show HitDue   = "h"
  show StandDue = "s"

-- | A player's points without its bid, as far as the bid is known.
data Seat = Seat
  { seatId     :: PlayerId
  , seatPoints :: Points
  , seatBid    :: Points        -- ^ in this round; 0 if it is not known
  , seatPaid   :: Maybe Points  -- ^ paid after the bid, if its turn was seen
  , seatBids   :: Int           -- ^ the number of known bids
  , bidSum     :: Points        -- ^ their sum
  }

newGame :: Memory
newGame = Memory 0 0 0 noCards newTurn [] []

newTurn :: Turn
newTurn = Turn 0 False Nothing Free

noteBid :: Points -> Seat -> Seat
noteBid bid seat = seat
  { seatBid = bid, seatBids = seatBids seat + 1, bidSum = bidSum seat + bid }

-- | Notes our own action. The hand is the one in play, if any.
noted :: PlayerId -> Hand -> Action -> Memory -> Memory
noted player hand action memory = case action of
  Bid bid -> (changed (\t -> t { turnBid = bid }))
    { seats = [ if seatId s == player then noteBid bid s else s
              | s <- seats memory ] }
  Insurance _ -> changed (\t -> t { insured = True })
  Split _ -> changed (\t -> t { split = split t <|> pair })
  -- A doubled Combo is over at once.
  DoubleDown _ | valueOf hand /= Combo -> changed (\t -> t { due = HitDue })
  Hit | due (turn memory) == HitDue -> changed (\t -> t { due = StandDue })
  Stand -> changed (\t -> t { due = Free })
  _ -> memory
  where
    changed f = memory { turn = f (turn memory) }
    pair = case hand of
      [first, second] -> Just (first, second)
      _               -> Nothing

-- | Prints the memory. If it is too long for the engine, drops hands, then
-- players.
printed :: Memory -> String
printed memory = fromMaybe "" (L.find ((<= 10000) . length) (map text kept))
  where
    kept = [ memory, memory { earlier = [] }
           , memory { earlier = [], seats = [] } ]
    text m = L.intercalate "|"
      [ show (gameRound m), show (players m), show (dealtOut m)
      , concatMap ((++ ",") . show) (seen m)
      , turnText (turn m)
      , concatMap owned (earlier m)
      , concatMap seatText (seats m) ]
    turnText t = L.intercalate ":"
      [ show (turnBid t), if insured t then "i" else "-"
      , maybe "-" (\(a, b) -> show a ++ show b) (split t), show (due t) ]
    owned (owner, hands) =
      idText owner ++ "=" ++ concatMap handText hands ++ ";"
    handText hand = concatMap show hand ++ "/"
    seatText s = L.intercalate ":"
      [ idText (seatId s), show (seatPoints s), show (seatBid s)
      , maybe "-" show (seatPaid s), show (seatBids s), show (bidSum s) ]
      ++ ";"
    idText = concatMap ((++ ".") . show . ord)

-- | Parses a memory. A text of another form is no memory.
parsed :: String -> Maybe Memory
parsed text = case parse memoryParser text of
  Result "" memory -> Just memory
  _                -> Nothing

memoryParser :: Parser Memory
memoryParser = Memory
  <$> number <* is '|' <*> number <* is '|' <*> number <* is '|'
  <*> ranks <* is '|' <*> turnParser <* is '|'
  <*> list owned <* is '|' <*> list seatParser
  where
    owned = (,) <$> idParser <* is '=' <*> list hand <* is ';'
    hand = list cardParser <* is '/'
    -- A memory with another number of counts is not ours.
    ranks = list (number <* is ',') >>= \counts ->
      if length counts == length noCards
        then pure counts else unexpectedCharParser '|'

turnParser :: Parser Turn
turnParser = Turn
  <$> number <* is ':' <*> taken <* is ':' <*> pair <* is ':' <*> oneOf
  where
    taken = (True <$ is 'i') ||| (False <$ is '-')
    pair = optional ((,) <$> cardParser <*> cardParser)

seatParser :: Parser Seat
seatParser = Seat
  <$> idParser <* is ':' <*> number <* is ':' <*> number <* is ':'
  <*> optional number <* is ':' <*> number <* is ':' <*> number <* is ';'

idParser :: Parser PlayerId
idParser = list (toChar <$> number <* is '.')
  where toChar = chr . min (ord maxBound)

cardParser :: Parser Card
cardParser = Card <$> oneOf <*> oneOf

-- | Parses one of the values of a type, as 'show' writes them.
oneOf :: (Bounded a, Enum a, Show a) => Parser a
oneOf = foldr1 (|||) [value <$ mapM_ is (show value) | value <- [minBound ..]]

optional :: Parser a -> Parser (Maybe a)
optional parser = (Nothing <$ is '-') ||| (Just <$> parser)

list :: Parser a -> Parser [a]
list parser = many1 parser ||| pure []

many1 :: Parser a -> Parser [a]
many1 parser = (:) <$> parser <*> list parser

number :: Parser Int
number = L.foldl' (\n digit -> 10 * n + digitToInt digit) 0 <$> many1 digits
  where
    digits = character >>= \c ->
      if isDigit c then pure c else unexpectedCharParser c

-- ---------------------------------------------------------------------------
-- Cards and hands

-- | The number of cards of each rank, aces first.
type Ranks = [Int]

noCards :: Ranks
noCards = map (const 0) [Ace ..]

fullShoe :: Ranks
fullShoe = map (+ 4 * numDecks) noCards

without :: Ranks -> Ranks -> Ranks
without = zipWith (\n gone -> max 0 (n - gone))

rankOf :: Card -> Rank
rankOf (Card _ rank) = rank

-- | The class of a rank's value: 0 for an ace, 1 for a two, and 9 for every
-- card that is worth ten.
type Class = Int

classes :: [Class]
classes = [0 .. 9]

classOf :: Rank -> Class
classOf = min 9 . fromEnum

-- | The number of cards of each class, packed into one number so that it is
-- a key. A class has six bits, and the tens have the bits above the others.
type Counts = Int

one :: Class -> Counts
one v = 1 `shiftL` (6 * v)

count :: Counts -> Class -> Int
count counts 9 = counts `shiftR` 54
count counts v = (counts `shiftR` (6 * v)) .&. 63

cardsIn :: Counts -> Int
cardsIn counts = sum (map (count counts) classes)

packed :: Ranks -> Counts
packed = sum . zipWith (\rank n -> n * one (classOf rank)) [Ace ..]

-- | The sum of a hand with aces as one, and the other facts that decide the
-- value of the hand.
data Total = Total { hard :: !Int, hasAce :: !Bool, size :: !Int }

nothingDrawn :: Total
nothingDrawn = Total 0 False 0

draw :: Total -> Class -> Total
draw (Total sum' ace cards) v =
  Total (sum' + v + 1) (ace || v == 0) (cards + 1)

totalOf :: [Class] -> Total
totalOf = L.foldl' draw nothingDrawn

-- | The best sum: one ace counts as eleven unless the hand would be bust.
best :: Total -> Int
best (Total sum' ace _) = if ace && sum' <= 11 then sum' + 10 else sum'

-- | The value of a player's hand.
ending :: Total -> HandValue
ending total
  | size total == 2 && best total == 21 = Combo
  | hard total > 21                     = Bust
  | size total >= 5                     = Charlie
  | otherwise                           = Value (best total)

-- | The value of the dealer's hand, in which only five cards are a Charlie.
dealerEnding :: Total -> HandValue
dealerEnding total = case ending total of
  Charlie | size total > 5 -> Value (best total)
  value                    -> value

totalOfHand :: Hand -> Total
totalOfHand = totalOf . map (classOf . rankOf)

valueOf :: Hand -> HandValue
valueOf = ending . totalOfHand

-- | True if the dealer draws another card.
dealerDraws :: Total -> Bool
dealerDraws total = best total <= 16

-- ---------------------------------------------------------------------------
-- The dealer's final hand
--
-- The dealer's play only depends on its own cards. So all orders of the same
-- draws have the same chance, which is a product. Those products are shared in
-- a tree, whose branches are the draws in ascending order.

-- | The sets of draws that end the dealer's play in one way. A fork holds a
-- class, the number of cards of this class drawn before, the number of orders
-- in which the draws up to here end the play, the further draws, and the
-- alternatives to this draw.
data Forest = End | Fork !Class !Double !Double Forest Forest

-- | The chance that the dealer stands on its first cards (0 or 1, or the mean
-- over hidden cards), and its draws.
data Tree = Tree !Double Forest

-- | The chance of the draws in a forest, from the cards left and their number;
-- @p@ is the chance of the draws before.
chance :: Counts -> Double -> Double -> Forest -> Double
chance _ !_ !_ End = 0
chance left !cards !p (Fork v before orders further others)
  | n <= 0    = chance left cards p others
  | otherwise =
      q * orders + chance left (cards - 1) q further
      + chance left cards p others
  where
    n = fromIntegral (count left v) - before
    q = p * n / cards

-- | The ways in which the dealer's play ends, in ascending order of value but
-- for the bust.
endings :: [HandValue]
endings = map Value [17 .. 21] ++ [Charlie, Combo, Bust]

-- | The trees of all 'endings', for the dealer's up-card and perhaps its
-- hidden card. They are built once.
treesOf :: Class -> Maybe Class -> [Tree]
treesOf up hidden = allTrees IM.! key up hidden

key :: Class -> Maybe Class -> Int
key up hidden = 11 * up + fromMaybe 10 hidden

allTrees :: IM.IntMap [Tree]
allTrees = IM.fromList
  [ (key up hidden, map (tree (dealerPlays start)) endings)
  | up <- classes, hidden <- Nothing : map Just classes
  , let start = totalOf (up : [v | Just v <- [hidden]]) ]
  where
    tree plays end = Tree
      (sum [orders | (0, orders) <- ends])
      (grow (-1) 0 [(ascending drawn, orders) | (drawn, orders) <- ends])
      where ends = [play | (value, play) <- plays, value == end]
    ascending drawn = concat [replicate (count drawn v) v | v <- classes]

-- | The dealer's final hands from given first cards: value, draws, and the
-- number of orders of the draws.
dealerPlays :: Total -> [(HandValue, (Counts, Double))]
dealerPlays start =
  [ (dealerEnding total, (drawn, orders))
  | level <- takeWhile (not . IM.null) levels
  , (drawn, (total, orders)) <- IM.toList level
  , not (dealerDraws total) ]
  where
    levels = iterate further (IM.singleton 0 (start, 1))
    further level = IM.fromListWith (\(total, a) (_, b) -> (total, a + b))
      [ (drawn + one v, (draw total v, orders))
      | (drawn, (total, orders)) <- IM.toList level
      , dealerDraws total, v <- classes ]

-- | Builds the forest of sorted draws, below a draw of the class @above@ of
-- which @same@ cards are drawn.
grow :: Class -> Double -> [([Class], Double)] -> Forest
grow above same ends = foldr fork End (IM.toList groups)
  where
    groups = IM.fromListWith (++) [(v, [(vs, n)]) | (v : vs, n) <- ends]
    fork (v, inside) = Fork v before (sum [n | ([], n) <- inside])
      (grow v (before + 1) inside)
      where before = if v == above then same else 0

-- | The mean of trees, each with its weight.
mixed :: [(Double, Tree)] -> Tree
mixed trees = Tree (sum [w * here | (w, Tree here _) <- trees])
  (foldr join End [scaled w forest | (w, Tree _ forest) <- trees])
  where
    scaled _ End = End
    scaled w (Fork v before n further others) =
      Fork v before (w * n) (scaled w further) (scaled w others)
    join End forest = forest
    join forest End = forest
    join f@(Fork v a n fs os) g@(Fork w b m gs ps) = case compare v w of
      LT -> Fork v a n fs (join os g)
      GT -> Fork w b m gs (join f ps)
      EQ -> Fork v a (n + m) (join fs gs) (join os ps)

-- | The chances of the dealer's 'endings' except the bust.
type Odds = [Double]

-- | The odds if the dealer draws from the cards left. If they may not suffice,
-- only the plays that they allow count. If they allow none, the dealer's cards
-- will come from the next shoe.
oddsOf :: [Tree] -> Counts -> Odds
oddsOf trees left
  | cards >= 12 = odds
  | whole > 0   = map (/ whole) odds
  | otherwise   = oddsOf trees (packed fullShoe)
  where
    cards = cardsIn left
    chances = [ here + chance left (fromIntegral cards) 1 draws'
              | Tree here draws' <- trees ]
    odds = init chances
    whole = sum chances

-- | The mean gain of a player's finished hand, in bids.
gain :: Odds -> HandValue -> Double
gain odds value = case value of
  Bust  -> -1
  Combo -> 1.5 * (1 - last odds)
  _     -> 1 - sum [ if end == value then p else 2 * p
                   | (end, p) <- zip endings odds, end >= value ]

-- ---------------------------------------------------------------------------
-- The values of actions

-- | The cards that we have not seen.
data Unseen = Unseen
  { draws    :: Ranks         -- ^ the cards that players draw from
  , holes    :: Maybe Ranks   -- ^ those that may be the dealer's hidden card,
                              -- if it is from an older shoe
  , runsOut  :: Bool          -- ^ the dealer draws from a fresh shoe
  }

data Decision = Decision
  { upCard      :: Class
  , inPlay      :: [Rank]     -- ^ the hand
  , unseen      :: Unseen
  , theBid      :: Points     -- ^ 0 if it is not known
  , pointsLeft  :: Points
  , firstAction :: Bool
  , isInsured   :: Bool
  , isAlone     :: Bool       -- ^ all other hands are bust
  }

-- | The dealer's odds as a function of the cards left of those to draw.
dealerOdds :: Class -> Unseen -> Counts -> Odds
dealerOdds up cards = case holes cards of
  Just old -> oddsOf (map mixed (L.transpose (weighted (packed old))))
  Nothing | runsOut cards -> \left ->
    let ofHidden = zip (weights left) fresh
        odds = map sum (L.transpose [map (w *) each | (w, each) <- ofHidden])
    in if cardsIn left == 0 then oddsOf plain left else odds
  Nothing -> oddsOf plain
  where
    plain = treesOf up Nothing
    weights counts =
      [fromIntegral (count counts v) / whole | v <- classes]
      where whole = fromIntegral (max 1 (cardsIn counts)) :: Double
    weighted counts =
      [ map ((,) w) (treesOf up (Just v))
      | (w, v) <- zip (weights counts) classes, w > 0 ]
    fresh = [oddsOf (treesOf up (Just v)) (packed fullShoe) | v <- classes]

-- | The mean of a value over the next card.
overDraws :: Counts -> (Class -> Counts -> Double) -> Double
overDraws left after
  | cards == 0 = 0
  | otherwise  = sum
      [ fromIntegral n * after v (left - one v)
      | v <- classes, let n = count left v, n > 0 ] / fromIntegral cards
  where cards = cardsIn left

-- | All sets of cards that can be left after draws that do not bust a hand,
-- with the hand's total. The fifth card ends the hand.
reachable :: Counts -> Total -> IM.IntMap Total
reachable left start = IM.unions (takeWhile (not . IM.null) levels)
  where
    levels = iterate further (IM.singleton left start)
    further level = IM.fromList
      [ (rest - one v, total)
      | (rest, hand) <- IM.toList level, size hand < 5
      , v <- classes, count rest v > 0
      , let total = draw hand v, hard total <= 21 ]

-- | How often the value of a split considers splitting again. From a full
-- shoe, a fourth time is possible in 1.5 of 10,000 splits, so that the value
-- is less than 0.0001 bids too low.
resplits :: Int
resplits = 3

-- | The values of standing, hitting, doubling and splitting, in bids, as far
-- as they are legal. A hand that is not bust gains @bonus@ if the dealer has a
-- Combo.
playValues :: Decision -> Double -> [(Action, Double)]
playValues decision bonus =
  [(Stand, stand left start), (Hit, hit 0 left start)]
  ++ [(DoubleDown bid, double left start) | size start == 2, extra >= 1]
  ++ [(Split bid, splitValue 0) | isPair, extra >= 1]
  where
    bid = theBid decision
    extra = pointsLeft decision `div` max 1 bid
    left = packed (draws (unseen decision))
    hand = map classOf (inPlay decision)
    start = totalOf hand
    isPair = size start == 2 && length (L.nub (inPlay decision)) == 1
    v0 = fromMaybe 0 (listToMaybe hand)
    ofRank = sum [n | (rank, n) <- zip [Ace ..] (draws (unseen decision))
                    , Just rank == listToMaybe (inPlay decision)]

    -- The hand as it is, and the hands that begin with a card of the pair
    -- after no, one, ... further cards of the pair.
    origins = (left, start) :
      [ (left - n * one v0, draw nothingDrawn v0)
      | isPair, extra >= 1, n <- [0 .. min resplits (count left v0)] ]
    hands = map (uncurry reachable) origins
    odds = IM.mapWithKey (\rest _ -> ofDealer rest) (IM.unions hands)
    ofDealer = dealerOdds (upCard decision) (unseen decision)
    values = zipWith (\line -> IM.mapWithKey (play line)) [0 ..] hands

    stand rest total
      | hard total > 21 = -1
      | otherwise       = gain ofRest (ending total) + bonus * last ofRest
      where ofRest = odds IM.! rest
    hit line rest total = overDraws rest $ \v rest' ->
      if hard (draw total v) > 21 then -1 else values !! line IM.! rest'
    play :: Int -> Counts -> Total -> Double
    play line rest total
      | size total >= 5 || hard total == 21 = stand rest total
      | best total <= 11                    = hit line rest total
      | otherwise = max (stand rest total) (hit line rest total)

    -- A doubled Combo ends at once.
    double rest total
      | ending total == Combo = doubled rest total
      | otherwise = overDraws rest (\v rest' -> doubled rest' (draw total v))
    doubled rest total
      | hard total > 21 = -2
      | otherwise = 2 * stand rest total - bonus * last (odds IM.! rest)

    -- By symmetry, both hands of a split have the same mean.
    splitValue line = 2 * overDraws origin second
      where
        (origin, single) = origins !! (line + 1)
        extra' = extra - 1 - line
        sameRank = fromIntegral (ofRank - line)
          / fromIntegral (count origin v0)
        second v rest
          | v == v0 && extra' > 0 && line < min resplits ofRank =
              sameRank * max plain (splitValue (line + 1))
              + (1 - sameRank) * plain
          | otherwise = plain
          where
            total = draw single v
            plain = maximum $
              [stand rest total, hit (line + 1) rest total]
              ++ [double rest total | extra' >= 1]

-- | The values of all legal actions.
actionValues :: Decision -> [(Action, Double)]
actionValues decision = values ++ [(Insurance cost, worth) | mayInsure]
  where
    bid = theBid decision
    unit = fromIntegral (max 1 bid) :: Double
    cost = bid `div` 2
    price = fromIntegral cost / unit
    back = fromIntegral (2 * bid) / unit
    -- The engine pays an insurance only if the dealer plays.
    bonus = if isInsured decision && isAlone decision then back else 0
    values = playValues decision bonus
    mayInsure = firstAction decision && not (isInsured decision)
      && upCard decision == 0 && pointsLeft decision >= cost
    worth
      | isAlone decision = top (playValues decision back) - price
      | otherwise        = top values + back * combo - price
    combo = fromIntegral (count hidden 9)
      / fromIntegral (max 1 (cardsIn hidden))
    hidden = packed (fromMaybe (draws cards) (holes cards))
    cards = unseen decision
    top = snd . bestOf

-- | The first of the actions with the highest value.
bestOf :: [(Action, Double)] -> (Action, Double)
bestOf = L.foldl1' (\a b -> if snd b > snd a then b else a)

-- | Plays the action that is due, or the best one.
choosePlay :: View -> Card -> Hand -> Memory -> (Action, Memory)
choosePlay view up hand memory = (action, memory)
  where
    now = turn memory
    bid = turnBid now
    isKnown = bid > 0
    action = case due now of
      HitDue   -> Hit
      StandDue -> Stand
      Free     -> fst (bestOf (filter isSafe (actionValues decision)))
    -- Without its bid, the player cannot know what it may pay for.
    isSafe (choice, _) = isKnown || choice `elem` [Hit, Stand]
    decision = Decision
      { upCard = classOf (rankOf up)
      , inPlay = map rankOf hand
      , unseen = cardsUnseen view up hand memory
      , theBid = bid
      , pointsLeft = if isKnown then ownPoints view else 0
      , firstAction = isKnown && not (insured now) && isNothing (split now)
          && length hand == 2
      , isInsured = insured now
      , isAlone = isLast
          && all (all ((== Bust) . valueOf) . snd) (earlier memory) }
    isLast = (seatId <$> listToMaybe (reverse (seats memory)))
      `elem` [Nothing, Just (me view)]

-- ---------------------------------------------------------------------------
-- The count of the cards
--
-- The engine deals two cards to the dealer, two to each seat, then each seat's
-- draws, then the dealer's. A card's place in this order tells whether it came
-- before or after the shuffle.

-- | The shoe as we know it.
data Shoe = Shoe
  { out      :: Int           -- ^ cards dealt
  , seenOut  :: Ranks
  , previous :: Maybe Ranks   -- ^ unseen cards of a shoe that has run out
  }

shoeOf :: Memory -> Shoe
shoeOf memory = Shoe (max 0 (min (sum fullShoe - 1) (dealtOut memory)))
  (seen memory) Nothing

-- | Deals a card, which may lie face down.
deal :: Shoe -> Maybe Card -> Shoe
deal shoe card
  | dealt >= sum fullShoe = Shoe 0 noCards (Just (fullShoe `without` known))
  | otherwise             = shoe { out = dealt, seenOut = known }
  where
    dealt = out shoe + 1
    known = zipWith (+) (seenOut shoe)
      [if Just rank == (rankOf <$> card) then 1 else 0 | rank <- [Ace ..]]

leftIn :: Shoe -> Ranks
leftIn shoe = fullShoe `without` seenOut shoe

remaining :: Shoe -> Int
remaining shoe = sum fullShoe - out shoe

-- | A round's cards in the order dealt. Seats whose players are out still get
-- cards, face down.
dealingOrder :: Hand -> [Maybe [Hand]] -> Int -> [Maybe Card]
dealingOrder dealer table hidden =
  two dealer ++ concatMap dealt table ++ replicate (2 * hidden) Nothing
  ++ concat [drawn hands | Just hands <- table] ++ map Just (drop 2 dealer)
  where
    two cards = take 2 (map Just cards ++ repeat Nothing)
    dealt (Just [hand])       = two hand
    dealt (Just (a : b : _))  = [listToMaybe a, listToMaybe b]
    dealt _                   = [Nothing, Nothing]
    drawn hands = concat
      [ drop (skipped hands place) (known hands hand later)
      | (place, hand : later) <- zip [0 ..] (L.tails hands) ]
    -- Of the first two hands of a split, one card each was dealt.
    skipped :: [Hand] -> Int -> Int
    skipped hands place
      | place > 1         = 0
      | length hands == 1 = 2
      | otherwise         = 1
    -- After a second split, the engine may list a later hand instead of one
    -- that it has lost: of that one, only the rank of the pair is known, and
    -- we suppose three cards.
    known hands hand later
      | length hands > 2 && hand `elem` later =
          take 1 (map Just hand) ++ [Nothing, Nothing]
      | otherwise = map Just hand

-- | A player's hands without the entries that the engine repeats.
--
-- After an insurance, it lists the insured cards again, and the hand that was
-- split off twice.
genuine :: Maybe Card -> [Hand] -> [Hand]
genuine up hands
  | (rankOf <$> up) /= Just Ace = splitCardFirst hands
  | null kept                   = splitCardFirst (take 1 hands)
  | otherwise                   = splitCardFirst kept
  where
    kept = filter (not . isEcho) once
    once = L.nub hands
    isEcho hand = length hand == 2
      && any (\other -> other /= hand && hand `L.isPrefixOf` other) once

-- | Puts the card that was split off in front of each hand of a split. It is
-- of the rank that all hands have among their first two cards.
splitCardFirst :: [Hand] -> [Hand]
splitCardFirst hands@(_ : _ : _) = case filter isPair ranks of
  rank : _ -> map (inFront rank) hands
  []       -> hands
  where
    ranks = map rankOf (take 2 (concat hands))
    isPair rank = all (elem rank . map rankOf . take 2) hands
    inFront rank (a : b : more) | rankOf a /= rank = b : a : more
    inFront _ hand = hand
splitCardFirst hands = hands

-- | The number of seats that get cards face down.
hiddenSeats :: Memory -> Int -> Int
hiddenSeats memory seated = max 0 (players memory - seated)

-- | Adds the last round to the memory, when a new bid is due.
closeRound :: View -> Memory -> Memory
closeRound view memory = Memory
  { gameRound = gameRound memory + 1
  , players = if isNew then length (standings view) else players memory
  , dealtOut = out shoe
  , seen = seenOut shoe
  , turn = newTurn
  , earlier = []
  , seats = nextSeats view memory hands }
  where
    isNew = gameRound memory == 0
    hands = lastHands view memory
    shoe | isNew     = shoeOf memory
         | otherwise = L.foldl' deal (shoeOf memory)
             (dealingOrder (dealerHand view) hands hidden)
    hidden = hiddenSeats memory (length hands)

-- | The hands of the last round, by seat.
lastHands :: View -> Memory -> [Maybe [Hand]]
lastHands view memory =
  [ genuine up
      <$> (lookup owner (shownHands view) <|> lookup owner (earlier memory))
  | owner <- map seatId (seats memory) ]
  where up = listToMaybe (dealerHand view)

-- | The seats of the new round. The players before us have bid; their bids are
-- known if they follow from the last round.
nextSeats :: View -> Memory -> [Maybe [Hand]] -> [Seat]
nextSeats view memory hands =
  map withBid (takeWhile isOther (standings view))
  ++ map (fst . seated) (dropWhile isOther (standings view))
  where
    isOther (owner, _) = owner /= me view
    old = zip (seats memory) hands
    seated (owner, points) = case L.find ((== owner) . seatId . fst) old of
      Nothing   -> (Seat owner points 0 Nothing 0 0, Nothing)
      Just pair -> ( (fst pair) { seatPoints = points, seatBid = 0
                                , seatPaid = Nothing }, Just pair )
    withBid place = maybe seat (`noteBid` seat)
      (bidBetween before (seatPoints seat))
      where
        (seat, pair) = seated place
        before = case pair of
          Just (was, Just played) -> pointsAfter (dealerHand view) was played
          Nothing | isFirst view  -> [startingPoints]
          _                       -> []

-- | Notes the facts that are visible when our hand is in play: the payments
-- of players before us, the bids of players after us, and this round's hands.
lookAround :: View -> Card -> Hand -> Memory -> Memory
lookAround view up hand memory = case break isOurs (seats memory) of
  (_, [])              -> current
  (before, own : rest) -> current
    { seats = map paid before ++ own : map bids rest
    , earlier = [ (seatId s, genuine (Just up) hands)
                | s <- before
                , Just hands <- [lookup (seatId s) (shownHands view)] ] }
  where
    current = memory { turn = now { turnBid = min maxBid (turnBid now)
                                  , due = if isOver then Free else due now } }
    isOurs seat = seatId seat == me view
    now = turn memory
    -- Two cards after the third card of a doubled hand are a new hand.
    isOver = due now == StandDue && length hand == 2
    pointsOf s = lookup (seatId s) (standings view)
    paid s = s { seatPaid = listToMaybe
      [seatPoints s - left | Just left <- [pointsOf s], left <= seatPoints s] }
    bids s = case pointsOf s of
      Just left | left < seatPoints s ->
        (noteBid (seatPoints s - left) s) { seatPoints = left }
      _ -> s

-- | The cards that we have not seen when our hand is in play.
cardsUnseen :: View -> Card -> Hand -> Memory -> Unseen
cardsUnseen view up hand memory = case previous shoe of
  Just old | maybe False (>= 1) ranOut -> Unseen (leftIn shoe) (Just old) False
  -- Each player still to act draws about one card before the dealer.
  _ -> Unseen (leftIn shoe) Nothing (remaining shoe <= length table - place)
  where
    place = fromMaybe 0 (L.elemIndex (me view) (map seatId (seats memory)))
    table = [ hands index owner
            | (index, owner) <- zip [0 ..] (map seatId (seats memory)) ]
    hands index owner = case compare index place of
      LT -> lookup owner (earlier memory)
      EQ -> Just (ownHands view hand (turn memory))
      GT -> Nothing
    hidden = hiddenSeats memory (length table)
    shoes = scanl deal (shoeOf memory) (dealingOrder [up] table hidden)
    shoe = last shoes
    -- The place of the card with which the shoe ran out.
    ranOut = subtract 1 <$> L.findIndex (isJust . previous) shoes

-- | Our hands in this round: the finished hands of a split, and the one in
-- play. The engine lists a split pair until its hand is played further.
ownHands :: View -> Hand -> Turn -> [Hand]
ownHands view hand now = case split now of
  Nothing -> [hand]
  Just (first, second)
    | null finished -> [hand, [other]]
    | otherwise     -> finished ++ [hand]
    where
      finished = [ shown | Just own <- [lookup (me view) (shownHands view)]
                 , shown <- own, shown /= hand, not (isPair shown) ]
      isPair shown = length shown == 2
        && all ((== rankOf first) . rankOf) shown
      other = if listToMaybe hand == Just first then second else first

-- ---------------------------------------------------------------------------
-- The bids of other players

-- | Everything that a seat's points can be after a round.
pointsAfter :: Hand -> Seat -> [Hand] -> [Points]
pointsAfter dealer seat hands
  | null hands || null dealer = []
  | otherwise = L.nub
      [ seatPoints seat - paid + back
      | (paid, back) <- outcomes, paid <= seatPoints seat
      , maybe True (== paid) (seatPaid seat) ]
  where
    bid = seatBid seat
    outcomes
      | 1 <= bid && bid <= maxBid = L.foldl' both
          [((length hands - 1) * bid, 0)] (insurance : map ofHand hands)
      -- Without its bid, only a loss is certain.
      | otherwise = [ (paid, 0) | Just paid <- [seatPaid seat]
                    , not aceUp, all ((== 0) . returned 1) hands ]
    both before options
      | length all' > 64 = []
      | otherwise        = all'
      where all' = L.nub
              [(a + c, b + d) | (a, b) <- before, (c, d) <- options]
    -- A doubled hand has three cards, or is a Combo.
    ofHand hand = (0, returned bid hand) :
      [ (bid, returned (2 * bid) hand)
      | length hand == 3 || valueOf hand == Combo ]
    insurance = (0, 0) :
      [ (bid `div` 2, if dealerValue == Combo then 2 * bid else 0) | aceUp ]
    aceUp = (rankOf <$> listToMaybe dealer) == Just Ace
    dealerValue = dealerEnding (totalOfHand dealer)
    returned :: Points -> Hand -> Points
    returned stake hand = case valueOf hand of
      Bust -> 0
      Combo | dealerValue /= Combo ->
        round (2.5 * fromIntegral stake :: Double)
      value -> case compare value dealerValue of
        GT -> 2 * stake
        EQ -> stake
        LT -> 0

-- | The bid that leads from one of the earlier points to those now, if only
-- one legal bid does.
bidBetween :: [Points] -> Points -> Maybe Points
bidBetween before now = case L.nub bids of
  [bid] -> Just bid
  _     -> Nothing
  where
    bids = [points - now | points <- before, isLegal points (points - now)]
    isLegal points bid = bid > 0 && bid <= maxBid
      && (bid >= minBid || points < minBid)

-- ---------------------------------------------------------------------------
-- Our bids
--
-- The bid is the share of the points that grows them fastest, times 'risk'. In
-- the last rounds, places count more than growth.

-- | A bid as a multiple of the growth-optimal one.
risk :: Double
risk = 1.5

-- | Chooses the bid of a new round.
chooseBid :: View -> Memory -> (Action, Memory)
chooseBid view memory = (Bid (if isLate then forPlaces else growth), memory)
  where
    points = ownPoints view
    lowest = if points < minBid then 1 else minBid
    highest = min maxBid points
    within = max lowest . min highest
    (mean, variance) = nextHand view memory
    share = max 0 (min 0.25 (risk * mean / max 1e-3 variance))
    growth = within (floor (share * fromIntegral points))

    roundsLeft = max 0 (roundLimit - gameRound memory) + 1
    rivals = [s | s <- seats memory, seatId s /= me view]
    isLate = roundsLeft <= 3 && not (null rivals)
    forPlaces = fst (L.foldl1' better
      [ (bid, places (fromIntegral bid))
      | bid <- map within
          [lowest, growth, 2 * growth, highest `div` 2, highest] ])
    better a b = if snd b > snd a + 1e-9 then b else a

    -- The number of rivals that we expect to beat, and twenty places for
    -- doubling our points.
    places bid = sum (map (beaten bid) rivals)
      + 20 * mean * bid / fromIntegral (max 1 points)
    beaten bid rival = normal (lead / max 1e-9 (sqrt (own + theirs)))
      where
        later = fromIntegral (roundsLeft - 1)
        own = variance * (bid ^ two + later * fromIntegral growth ^ two)
        theirs = (later + 1) * variance * meanBid rival ^ two
        lead = fromIntegral points + mean * bid
          - fromIntegral (seatPoints rival)
    two = 2 :: Int

-- | The mean of a player's known bids. An unknown player may bid the maximum.
meanBid :: Seat -> Double
meanBid seat
  | seatBids seat > 0 =
      fromIntegral (bidSum seat) / fromIntegral (seatBids seat)
  | otherwise         = fromIntegral maxBid

-- | The normal distribution function, to within 0.01.
normal :: Double -> Double
normal z = 1 / (1 + exp (-1.702 * z))

-- | The mean and the variance of the next hand. The cards that decide it may
-- come from two shoes.
nextHand :: View -> Memory -> (Double, Double)
nextHand view memory = (mix fst, mix snd)
  where
    shoe = shoeOf memory
    seated = length (standings view)
    place = fromMaybe 0 (L.elemIndex (me view) (map fst (standings view)))
    firstDraw = 2 * (1 + seated + hiddenSeats memory seated)
    decisive = [ 0, 1, 2 + 2 * place, 3 + 2 * place, firstDraw + place
               , firstDraw + seated ]
    inShoe = length (filter (< remaining shoe) decisive)
    share | sum (leftIn shoe) < 12 = 0
          | otherwise = fromIntegral inShoe / fromIntegral (length decisive)
    present = meanAndVariance (leftIn shoe)
    mix part
      | share <= 0 = part freshHand
      | share >= 1 = part present
      | otherwise  = share * part present + (1 - share) * part freshHand

-- | The mean and the variance of a hand from a full shoe.
freshHand :: (Double, Double)
freshHand = meanAndVariance fullShoe

-- ---------------------------------------------------------------------------
-- The gain of a hand before it is dealt
--
-- The dealt cards are drawn without replacement, and all others as if the shoe
-- did not change. Then the total of a hand and its number of cards decide.

-- | The mean of a gain and of its square.
data Moments = Moments { average :: !Double, square :: !Double }

times :: Double -> Moments -> Moments
times factor (Moments m s) = Moments (factor * m) (factor * factor * s)

-- | The sum of moments, each with its weight.
weigh :: [(Double, Moments)] -> Moments
weigh parts = Moments (sum [w * average m | (w, m) <- parts])
  (sum [w * square m | (w, m) <- parts])

-- | The moments with the higher mean; the first if the means are equal.
higher :: Moments -> Moments -> Moments
higher a b = if average b > average a then b else a

-- | The mean and the variance of the gain of the next hand from a shoe.
meanAndVariance :: Ranks -> (Double, Double)
meanAndVariance shoe = (mean, variance)
  where
    counts = map (fromIntegral . count (packed shoe)) classes :: [Double]
    cards = sum counts
    -- Drawing without replacement raises the mean of a small shoe by about
    -- this much.
    mean = average whole + 2.3 / max 100 (cards * cards)
    variance = square whole - average whole * average whole
    whole = weigh
      [ (n / cards, momentsAgainst up (minus up))
      | (up, n) <- zip classes counts, n > 0, cards >= 3 ]
    minus up = [if v == up then n - 1 else n | (v, n) <- zip classes counts]

-- | The moments of a hand against an up-card, from the cards left by class.
momentsAgainst :: Class -> [Double] -> Moments
momentsAgainst up left
  | up == 0   = withInsurance odds plainly
  | otherwise = plainly
  where
    cards = sum left
    chances = map (/ cards) left
    odds = oddsWithReplacement up chances
    standing = IM.fromList
      [ (slot v, momentsOf odds v)
      | v <- map Value [2 .. 21] ++ [Charlie, Combo] ]
    slot value = case value of
      Value total -> total
      Charlie     -> 22
      _           -> 23
    stand total = case ending total of
      Bust  -> Moments (-1) 1
      value -> standing IM.! slot value
    overDraw after = weigh (zip chances (map after classes))

    -- Hands of three and four cards.
    hands = IM.fromList
      [ (place total, higher (stand total) (hit total))
      | cs <- [3, 4], sum' <- [3 .. 21], ace <- [False, True]
      , let total = Total sum' ace cs ]
    place (Total sum' ace cs) = 64 * cs + 2 * sum' + fromEnum ace
    hit total = overDraw (further . draw total)
    further total = case ending total of
      Value _ -> hands IM.! place total
      _       -> stand total

    pairs = IM.fromList
      [(10 * a + b, twoCards (totalOf [a, b])) | a <- classes, b <- [a .. 9]]
    pairOf a b = pairs IM.! (10 * min a b + max a b)
    twoCards total = stand total `higher` hit total `higher` times 2 doubled
      where doubled | ending total == Combo = stand total
                    | otherwise             = overDraw (stand . draw total)

    -- The two hands of a split share the dealer's hand, hence the correlation.
    splitOf :: Class -> Int -> Moments
    splitOf v again = Moments mean
      (mean * mean + 2 * (square each - average each * average each) * 1.35)
      where
        mean = 2 * average each
        each = overDraw $ \w -> if w /= v || again == 0 then pairOf v w else
          weigh [ (oneRank, higher (pairOf v w) (splitOf v (again - 1)))
                , (1 - oneRank, pairOf v w) ]
        oneRank = if v == 9 then 0.25 else 1

    plainly = weigh (concat [dealt a b | a <- classes, b <- [a .. 9]])
    dealt a b
      | a /= b    = [(2 * weight, pairOf a b)]
      | otherwise = [ (weight * oneRank, higher (pairOf a a) (splitOf a 3))
                    , (weight * (1 - oneRank), pairOf a a) ]
      where
        weight = n * (left !! b - if a == b then 1 else 0)
          / (cards * (cards - 1))
        n = left !! a
        oneRank | a == 9    = max 0 (n / 4 - 1) / max 1 (n - 1)
                | otherwise = 1

-- | Adds an insurance if it pays.
withInsurance :: Odds -> Moments -> Moments
withInsurance odds plain
  | profit <= 0 = plain
  | otherwise   = Moments (average plain + profit)
      (square plain + 2 * both + combo * 2.25 + (1 - combo) * 0.25)
  where
    combo = last odds
    profit = 2 * combo - 0.5
    -- The hand loses its bid to the dealer's Combo.
    both = -combo * 1.5 - 0.5 * (average plain + combo)

-- | The moments of a finished hand that is not bust.
momentsOf :: Odds -> HandValue -> Moments
momentsOf odds value = Moments (gain odds value) $ case value of
  Combo -> 2.25 * (1 - last odds)
  _     -> 1 - sum [p | (end, p) <- zip endings odds, end == value]

-- | The dealer's odds if draws do not change the chances of the classes.
oddsWithReplacement :: Class -> [Double] -> Odds
oddsWithReplacement up chances =
  [ sum [p | (total, p) <- finals, dealerEnding total == end]
  | end <- init endings ]
  where
    finals = [ final | level <- takeWhile (not . null) levels
             , final@(total, _) <- level, not (dealerDraws total) ]
    levels = iterate further [(totalOf [up], 1)]
    further level = IM.elems (IM.fromListWith (\(t, a) (_, b) -> (t, a + b))
      [ (2 * hard next + fromEnum (hasAce next), (next, mass * p))
      | (total, mass) <- level, dealerDraws total
      , (v, p) <- zip classes chances, let next = draw total v ])
