// The page's own part: the viewer of its games, and the address that is a link to a position.
const matches = JSON.parse(document.getElementById("data").textContent);
const games = gamesOf(matches);

if (games.length > 0) {
  const section = document.getElementById("replay");
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
  aim(games[0], 0);
  const replay = openReplay(section, games, {
    actions: studio ? [make("p", { class: "actions" }, review, " ", analysis)] : [],
    shown: (game, ply) => {
      const match = matches.length > 1 ? `match=${game.match}&` : "";
      aim(game, ply);
      history.replaceState(null, "", `#${match}pair=${game.pair}&game=${game.game}&ply=${ply}`);
    },
  });

  // Selects what the address names; true if it names a game.
  const follow = () => {
    const wanted = new URLSearchParams(location.hash.slice(1));
    if (!wanted.has("pair")) return false;
    const number = (name) => Number(wanted.get(name) ?? 1);
    const game = games.find((game) =>
      game.match === number("match") && game.pair === number("pair") && game.game === number("game"));
    if (!game) return false;
    replay.show(game, wanted.has("ply") ? Math.trunc(number("ply")) || 0 : 0);
    return true;
  };

  addEventListener("hashchange", () => { if (follow()) section.scrollIntoView(); });
  section.hidden = false;
  if (follow()) section.scrollIntoView();
}
