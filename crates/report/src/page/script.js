// The page's own part: the viewer of its games, and the address that is a link to a position.
const matches = JSON.parse(document.getElementById("data").textContent);
const games = gamesOf(matches);
// Opens the games of two participants.
let opener = () => () => null;

if (games.length > 0) {
  const section = document.getElementById("replay");
  section.hidden = false;
  // Where the games can be reviewed and analysed, if the page was told.
  const { studio } = section.dataset;
  const link = (text) => make("a", { href: studio, target: "_blank", rel: "noopener" }, text);
  const [review, analysis] = studio ? [link("Review this game"), link("Analyse this position")] : [];
  const aim = (game, ply) => {
    if (!studio) return;
    // Only positions of games of two can be analysed.
    analysis.hidden = Boolean(game.won);
    review.href = `${studio}#/review?opening=${game.opening}&position=${packed(positionIn(game))}`;
    analysis.href = `${studio}#/analysis?position=${packed(positionIn(game, ply))}`;
  };
  const replay = openReplay(section, games, {
    actions: studio ? [make("p", { class: "actions" }, review, " ", analysis)] : [],
    shown: (game, ply) => {
      const match = matches.length > 1 ? `match=${game.match}&` : "";
      aim(game, ply);
      history.replaceState(null, "", `#${match}pair=${game.pair}&game=${game.game}&ply=${ply}`);
    },
  });

  aim(replay.now().game, 0);
  opener = replay.opener;

  // Selects what the address names; true if it names a game.
  const follow = () => {
    const wanted = new URLSearchParams(location.hash.slice(1));
    if (!wanted.has("pair")) return false;
    const number = (name) => Number(wanted.get(name) ?? 1);
    const game = games.find((game) =>
      game.match === number("match") && game.pair === number("pair") && game.game === number("game"));
    if (!game) return false;
    const ply = wanted.get("ply");
    replay.show(game, ply === "end" ? Infinity : Math.trunc(Number(ply)) || 0);
    return true;
  };

  addEventListener("hashchange", () => { if (follow()) section.scrollIntoView(); });
  if (follow()) section.scrollIntoView();
}

const rankings = document.querySelectorAll(".ranking");
matches.filter((match) => match.ranking).forEach((match, at) => drawRanking(rankings[at], match.ranking, opener(match), "h3"));
