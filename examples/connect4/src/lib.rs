//! Connect Four, an example of how to add a game. All it takes is this folder, and a line in the list of all games.
//!
//! | module | contents |
//! |---|---|
//! | [`rules`] | the board, and the interface to the engine's search |
//! | `table` | the referee's table, and the replay of a logged game |
//! | `agents` | the game's agents, and the line protocol for external programs |

mod agents;
pub mod rules;
mod table;

use turnwise_engine::agent::BoxedAgent;
use turnwise_engine::fields::Fields;
use turnwise_engine::outside::Lines;
use turnwise_engine::player::Counts;
use turnwise_engine::plugin::{
    About, AgentAbout, AgentOptions, Example, GameRules, Help, Look, Meaning, Rule, Scoring,
    Thresholds, UntypedGame, Victory,
};

use rules::Position;
use table::{Kept, Rules, Table};

/// The game Connect Four, under its name in the list of games.
pub type ConnectFour = Rules;

static ABOUT: About = About {
    name: "connect4",
    title: "Connect Four",
    roles: ["Red", "Yellow"],
    scoring: Scoring::Win,
    thresholds: Thresholds::CHANCE,
    victory: Some(Victory {
        by: "by four in a row",
        margin: "",
    }),
    counts: Counts::Wall,
    agents: &[
        AgentAbout {
            name: "turnwise",
            options: &["nodes=NUMBER", "depth=NUMBER", "time=PART"],
        },
        AgentAbout::plain("random"),
    ],
    levels: &[],
    random_agent: "random",
    wires: &["lines"],
    has_daemons: false,
    options: &[],
    help: Help {
        summary: "Red against Yellow, four in a row win",
        agents: "  turnwise[:nodes=N,depth=N,time=PART]
      this program's search
  random
      baseline: any move
  cmd:WORDS
      a process for each game on stdin and stdout
",
        shared: "opening",
        examples: &[Example::new(
            "arena",
            "turnwise random --game connect4 --clock 5 --pairs 10",
            "",
        )],
    },
    rules: &[
        Rule::plain(
            "Red and Yellow drop a disc in turn into one of seven columns. It falls to the lowest free of six cells.",
        ),
        Rule::plain(
            "Whoever first has four discs next to each other in a row, a column or a diagonal wins. If the board is full \
             before, the game is drawn.",
        ),
    ],
    has_puzzles: false,
    look: Look {
        pieces: Some(['R', 'Y']),
        verb: "moves",
        column_first: true,
        measures: &[],
    },
    lacks: &["study", "set-up", "loss", "luck", "starters"],
};

impl GameRules for Rules {
    type Table = Table;
    type Resources = ();

    const ABOUT: &'static About = &ABOUT;

    fn by_options(_given: &dyn Fn(&str) -> Option<String>) -> Result<Rules, String> {
        Ok(Rules {})
    }

    fn agent(
        &self,
        name: &str,
        _resources: &(),
        _options: &AgentOptions,
        seed: u64,
    ) -> BoxedAgent<Position, u8> {
        match name {
            "random" => agents::random(seed),
            _ => Box::new(agents::Searching::new()),
        }
    }

    fn lines(_wire: &str) -> Option<Box<dyn Lines<Position, u8>>> {
        Some(Box::new(agents::Words))
    }

    /// Returns the table at the beginning of a logged game, which is always the empty board.
    fn reopen(&self, _result: &Fields) -> Result<Table, String> {
        Ok(turnwise_engine::table::Table::new(self, 0))
    }
}

impl UntypedGame for Rules {
    fn conditions(&self) -> String {
        "Connect Four".to_owned()
    }

    fn place(&self) -> String {
        "of Connect Four".to_owned()
    }

    fn meaning(&self, result: &Fields) -> Result<Meaning, String> {
        let kept: Kept = result.read().map_err(|error| error.to_string())?;
        let is_won_on_board = kept.ending == table::Ending::Four;
        Meaning::won(kept.red_score, kept.ending.name(), is_won_on_board)
    }
}
