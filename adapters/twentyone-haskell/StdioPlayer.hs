{- |
Lets a player of the course's engine play over standard input and output, as
protocol/twentyone.md says: each line is a call, and is answered by one line.

> ghc -O1 -iSUBMISSION:interface -outputdir build -o player StdioPlayer.hs
> turnwise arena turnwise mine=cmd:./player --game twentyone --rules engine

SUBMISSION is the folder of the player's Player.hs. The limits of the game are
those in interface/TwentyOne; a call with other limits is refused.
-}
module Main (main) where

import qualified Data.List as L
import Data.Maybe (fromMaybe)
import System.IO
  ( BufferMode (LineBuffering), hSetBuffering, hSetEncoding, stdin, stdout
  , utf8 )

import Cards
import Json
import Player (playCard)
import TwentyOne.Play
import TwentyOne.Rules
import TwentyOne.Types

main :: IO ()
main = do
  hSetEncoding stdin utf8
  hSetEncoding stdout utf8
  hSetBuffering stdout LineBuffering
  interact (unlines . map answer . filter (any (/= ' ')) . lines)

-- | Answers a line, with an error if it is no call.
answer :: String -> String
answer line = object $ case parsed line of
  Just call -> either refused id (reply call)
  Nothing   -> refused "the line is not JSON"
  where refused reason = [("error", quoted reason)]

-- | The members of the answer to a call.
reply :: Json -> Either String [(String, String)]
reply call = do
  checkSettings call
  player <- need "id" (member "id" call >>= asId)
  points <- need "points" (member "points" call >>= asList >>= mapM asPoints)
  infos <- need "shown" (mapM asShown (listOf (member "shown" call)))
  dealer <- need "dealer" (asDealer (fromMaybe Null (member "dealer" call)))
  up <- need "up_card" (mapM asCard (present =<< member "up_card" call))
  hand <- need "hand" (maybe (Just []) asHand (present =<< member "hand" call))
  let memory = asText =<< present =<< member "memory" call
      (action, after) =
        playCard up points (concat infos ++ dealer) player memory hand
  pure (actionMembers action ++ [("memory", quoted after)])
  where need name = maybe (Left (name ++ " is missing or wrong")) Right

-- | Fails if the game has other parameters than those compiled in.
checkSettings :: Json -> Either String ()
checkSettings call = case member "settings" call >>= present of
  Nothing       -> Right ()
  Just settings -> mapM_ (check settings)
    [ ("rules", Text "engine"), ("starting_points", Number startingPoints)
    , ("min_bid", Number minBid), ("max_bid", Number maxBid)
    , ("rounds", Number roundLimit), ("decks", Number numDecks) ]
  where
    check settings (name, wanted)
      | member name settings == Just wanted = Right ()
      | otherwise = Left ("the player is compiled with other " ++ name)

actionMembers :: Action -> [(String, String)]
actionMembers action = case action of
  Bid points        -> named "bid" points
  Hit               -> [name "hit"]
  Stand             -> [name "stand"]
  DoubleDown points -> named "double_down" points
  Split points      -> named "split" points
  Insurance points  -> named "insurance" points
  where
    name text = ("action", quoted text)
    named text points = [name text, ("points", show (points :: Points))]

-- ---------------------------------------------------------------------------
-- The parts of a call, as the engine represents them

asId :: Json -> Maybe PlayerId
asId json = show <$> asNumber json

asPoints :: Json -> Maybe PlayerPoints
asPoints json = case json of
  List [player, Number points] -> (`PlayerPoints` points) <$> asId player
  _                            -> Nothing

-- | A player's hands, the newest first. The engine lists a bid as a hand
-- without cards.
asShown :: Json -> Maybe [PlayerInfo]
asShown json = do
  player <- member "id" json >>= asId
  hands <- mapM asHand (listOf (member "hands" json))
  pure (map (PlayerInfo player) (if null hands then [[]] else reverse hands))

-- | A hand, with the drawn cards in front of those dealt, newest first.
asHand :: Json -> Maybe Hand
asHand json = case json of
  List dealt -> mapM asCard dealt
  _          -> do
    dealt <- member "dealt" json >>= asList >>= mapM asCard
    drawn <- mapM asCard (listOf (member "drawn" json))
    pure (reverse drawn ++ dealt)

asDealer :: Json -> Maybe [PlayerInfo]
asDealer json = case json of
  Null       -> Just []
  List dealt -> (\hand -> [PlayerInfo dealerId hand]) <$> mapM asCard dealt
  _          -> do
    dealt <- mapM asCard
      [ c | name <- ["up_card", "hidden"]
      , Just c <- [present =<< member name json] ]
    drawn <- mapM asCard (listOf (member "drawn" json))
    pure [PlayerInfo dealerId (reverse drawn ++ dealt)]

asCard :: Json -> Maybe Card
asCard json = do
  text <- asText json
  L.find ((== text) . show) [Card s r | s <- [minBound ..], r <- [minBound ..]]
