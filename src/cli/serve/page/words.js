// Values of tables in words: headlines, distances and the names of the metrics.

/** What each metric counts. */
export const METRICS = {
  dtm: { short: "DTM", name: "distance to mate", end: "to mate", verb: "mate" },
  dtc: { short: "DTC", name: "distance to conversion", end: "to conversion", verb: "conversion" },
  dtz: { short: "DTZ", name: "distance to zeroing", end: "to zeroing", verb: "capture or pawn move" },
};

/** What each metric counts, in a sentence. */
export function explanation(game, metric) {
  if (game.key === "xiangqi") {
    return {
      dtc: "DTC counts moves of the attacker until mate, stalemate or his own capture into a won ending.",
      dtm: "DTM counts plies until mate or stalemate.",
    }[metric];
  }
  return {
    dtm: "DTM counts plies until mate.",
    dtc: "DTC counts plies until mate, or until a capture or promotion that keeps the result.",
    dtz: "DTZ counts plies until mate, a capture or a pawn move: the next event that resets the 50-move rule.",
  }[metric];
}

const many = (number, one, more) => `${number} ${number === 1 ? one : more}`;

/** Moves in so many plies. */
export const movesOf = (plies) => Math.ceil(plies / 2);

/** "12 moves (23 plies)" */
export function length(plies) {
  return `${many(movesOf(plies), "move", "moves")} (${many(plies, "ply", "plies")})`;
}

const OTHER = { w: "b", b: "w" };

/** The tone of a side: its own color. */
const toneOfSide = (game, side) => (side === "w" && game.key === "xiangqi" ? "red" : side);

/** The category as the other side sees it. */
export const TURNED = {
  win: "loss",
  "cursed-win": "blessed-loss",
  "maybe-win": "maybe-loss",
  "syzygy-win": "syzygy-loss",
  draw: "draw",
  unknown: "unknown",
  "syzygy-loss": "syzygy-win",
  "maybe-loss": "maybe-win",
  "blessed-loss": "cursed-win",
  loss: "win",
};

/** Whether a category is a win of the side to move, even if the 50-move rule may spoil it. */
export function isWin(category) {
  return ["win", "cursed-win", "maybe-win", "syzygy-win"].includes(category);
}

/** The headline of a position, and its tone: w, red, b, draw or unknown. */
export function headline(game, turn, values) {
  const name = game.sides;
  if (values.checkmate) {
    return { text: `Checkmate: ${name[OTHER[turn]]} has won`, tone: toneOfSide(game, OTHER[turn]) };
  }
  if (values.stalemate) {
    return game.key === "xiangqi"
      ? { text: `${name[turn]} has no legal move: ${name[OTHER[turn]]} has won`, tone: toneOfSide(game, OTHER[turn]) }
      : { text: "Draw: stalemate", tone: "draw" };
  }
  if (values.insufficient) {
    return { text: "Draw: neither side can mate", tone: "draw" };
  }
  const winner = isWin(values.category) ? turn : OTHER[turn];
  switch (values.category) {
    case "draw":
      return { text: "Draw", tone: "draw" };
    case "win":
    case "loss":
      return { text: `${name[winner]} wins${shortest(game, values)}`, tone: toneOfSide(game, winner) };
    case "cursed-win":
    case "blessed-loss":
      return { text: `${name[winner]} wins, but the 50-move rule makes it a draw`, tone: "draw" };
    case "maybe-win":
    case "maybe-loss":
    case "syzygy-win":
    case "syzygy-loss":
      return { text: `${name[winner]} wins, unless the 50-move rule makes it a draw`, tone: toneOfSide(game, winner) };
    default:
      return { text: "Not known: the value is in no table", tone: "unknown" };
  }
}

function shortest(game, values) {
  for (const metric of ["dtm", "dtc", "dtz"]) {
    if (values[metric] !== null && values[metric] !== undefined) {
      return `: ${METRICS[metric].verb} in ${length(Math.abs(values[metric]))}`;
    }
  }
  return "";
}

/** Plies of a position by a metric, or null. */
export function pliesOf(values, metric) {
  return values.category === "draw" || values[metric] === null ? null : Math.abs(values[metric]);
}

/** Plies of a move by a metric, the move itself counted, so that the best move has the distance of the position; or null. */
export function pliesOfMove(move, metric) {
  if (move.category === "draw" || move.category === "unknown") {
    return null;
  }
  if (move.checkmate) {
    return 1;
  }
  if ((metric === "dtz" && move.zeroing) || (metric === "dtc" && move.conversion)) {
    return 1;
  }
  return move[metric] === null ? null : Math.abs(move[metric]) + 1;
}

/** A value between bounds, -1 to 1 for the side to move, in words. */
export function bounds(game, turn, [low, high]) {
  const [own, other] = [game.sides[turn], game.sides[OTHER[turn]]];
  const texts = {
    "1 1": `${own} wins`,
    "0 0": "Draw",
    "-1 -1": `${other} wins`,
    "0 1": `${own} does not lose`,
    "-1 0": `${other} does not lose`,
  };
  return texts[`${low} ${high}`] ?? "Not determined";
}
