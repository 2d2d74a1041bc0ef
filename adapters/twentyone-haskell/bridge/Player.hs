{-# LANGUAGE Trustworthy #-}

{- |
Lets turnwise play in the course's engine on your machine, through two named
pipes in the folder where the engine runs. The engine needs this file and
Json.hs from the folder above.

> mkfifo turnwise-calls turnwise-answers
> turnwise stdio twentyone --rules engine <turnwise-calls >turnwise-answers &
> stack exec staticgame

The engine aborts a call after a second, wherever the call is. Therefore, each
call has a number, and answers with other numbers are skipped.
-}
module Player (playCard) where

import Data.Char (ord)
import Data.IORef (IORef, atomicModifyIORef', newIORef)
import qualified Data.List as L
import Data.Maybe (fromMaybe)
import GHC.Clock (getMonotonicTimeNSec)
import System.IO
  ( Handle, IOMode (ReadWriteMode), hFlush, hGetLine, hPutStr, openFile )
import System.IO.Unsafe (unsafePerformIO)

import Cards (Card, Hand)
import Json
import TwentyOne.Play (dealerId, roundLimit)
import TwentyOne.Rules (maxBid, minBid, numDecks, startingPoints)
import TwentyOne.Types
  ( Action (..), PlayFunc, PlayerId, PlayerInfo (..), PlayerPoints, getId
  , getPoints )

-- | Asks turnwise. A call that turnwise rejects ends the game with the reason.
playCard :: PlayFunc
playCard up points infos player memory hand = case action of
  Just chosen -> (chosen, fromMaybe "" (textOf "memory"))
  Nothing     -> error (fromMaybe "turnwise gave no action" (textOf "error"))
  where
    textOf name = member name answer >>= asText
    answer = ask (callMembers up points infos player memory hand)
    action = textOf "action" >>= (`lookup` actions)
    actions =
      [ ("bid", Bid amount), ("hit", Hit), ("stand", Stand)
      , ("double_down", DoubleDown amount), ("split", Split amount)
      , ("insurance", Insurance amount) ]
    amount = fromMaybe 0 (member "points" answer >>= asNumber)

-- ---------------------------------------------------------------------------
-- The pipes

-- | Both pipes are open for reading and writing, so that opening them does not
-- wait and no end of the input is seen before turnwise has opened its side.
{-# NOINLINE pipes #-}
pipes :: (Handle, Handle)
pipes = unsafePerformIO $ (,)
  <$> openFile "turnwise-calls" ReadWriteMode
  <*> openFile "turnwise-answers" ReadWriteMode

-- | The number of the next call. It begins with the time, so that it differs
-- from the numbers of an engine that ran before.
{-# NOINLINE numbers #-}
numbers :: IORef Int
numbers = unsafePerformIO $
  getMonotonicTimeNSec >>= newIORef . fromIntegral . (`div` 1000)

-- | Sends a call and waits for the answer with its number.
{-# NOINLINE ask #-}
ask :: [(String, String)] -> Json
ask call = unsafePerformIO $ do
  n <- atomicModifyIORef' numbers (\n -> (n + 1, n))
  -- The line break ends what an aborted call may have left in the pipe.
  hPutStr calls ("\n" ++ object (("request", show n) : call) ++ "\n")
  hFlush calls
  untilNumbered n
  where
    (calls, answers) = pipes
    untilNumbered n = do
      answer <- parsed <$> hGetLine answers
      case answer of
        Just json | member "request" json == Just (Number n) -> pure json
        _ -> untilNumbered n

-- ---------------------------------------------------------------------------
-- The calls

callMembers :: Maybe Card -> [PlayerPoints] -> [PlayerInfo] -> PlayerId
            -> Maybe String -> Hand -> [(String, String)]
callMembers up points infos player memory hand =
  [ ("id", number player)
  , ("points", list (map pointsJson points))
  , ("shown", shownJson infos)
  , ("dealer", dealerJson (concat (handsOf dealerId infos)))
  , ("settings", settings) ]
  ++ [("up_card", card c) | Just c <- [up]]
  ++ [("memory", quoted text) | Just text <- [memory]]
  ++ [("hand", handJson hand) | not (null hand)]
  where pointsJson p = list [number (getId p), show (getPoints p)]

-- | The cards dealt and those drawn, each in their order. The engine keeps the
-- dealt ones last, in the order dealt, and puts drawn ones in front, newest
-- first.
parted :: Hand -> ([Card], [Card])
parted hand = (dealt, reverse newestFirst)
  where (newestFirst, dealt) = splitAt (length hand - 2) hand

handJson :: Hand -> String
handJson hand = object [("dealt", cards dealt), ("drawn", cards drawn)]
  where (dealt, drawn) = parted hand

-- | A dealer who did not play shows one card.
dealerJson :: Hand -> String
dealerJson hand = case parted hand of
  (upCard : hidden, drawn) -> object $
    [("up_card", card upCard)] ++ [("hidden", card c) | c <- hidden]
    ++ [("drawn", cards drawn)]
  ([], _) -> "null"

-- | Every player once, with its hands in the order played: the engine lists
-- the newest first. An entry without cards is a bid.
shownJson :: [PlayerInfo] -> String
shownJson infos = list
  [ object [("id", number player), ("hands", list (handJson <$> hands))]
  | player <- L.nub (getId <$> infos), player /= dealerId
  , let hands = reverse (handsOf player infos) ]

handsOf :: PlayerId -> [PlayerInfo] -> [Hand]
handsOf player infos =
  [hand | PlayerInfo owner hand <- infos, owner == player, not (null hand)]

settings :: String
settings = object
  [ ("rules", quoted "engine"), ("starting_points", show startingPoints)
  , ("min_bid", show minBid), ("max_bid", show maxBid)
  , ("rounds", show roundLimit), ("decks", show numDecks) ]

-- | Ids are strings in the engine, and numbers below 2^32 on the wire.
number :: PlayerId -> String
number = show . L.foldl' (\n c -> (31 * n + ord c) `mod` 4294967291) 7

card :: Card -> String
card = quoted . show

cards :: [Card] -> String
cards = list . map card

list :: [String] -> String
list values = "[" ++ L.intercalate "," values ++ "]"
