//! The path and the parameters of a request, decoded and limited.

use super::reply::Refusal;
use crate::cli::tb_game::TableGame;
use crate::cli::tb_input::{self, GameName};
use clap::ValueEnum;
use duchamp_tablebase::Metric;
use std::collections::BTreeMap;

/// The longest parameter, in bytes: three times a long FEN.
const LONGEST: usize = 300;

/// A request without its headers.
#[derive(Debug, Default)]
pub(super) struct Request {
    /// The path, such as `/standard`.
    pub(super) path: String,
    /// Whether a page of another site has the browser ask.
    pub(super) foreign: bool,
    parameters: BTreeMap<String, String>,
    too_long: bool,
}

impl Request {
    /// From a path and a query (`fen=...&metric=dtm`). Of parameters that come twice the first counts.
    pub(super) fn new(path: &str, query: &str) -> Request {
        let (mut parameters, mut too_long) = (BTreeMap::new(), false);
        for (name, value) in form_urlencoded::parse(query.as_bytes()) {
            if name.len() > LONGEST || value.len() > LONGEST {
                too_long = true;
                continue;
            }
            let entry = parameters.entry(name.into_owned());
            entry.or_insert_with(|| value.into_owned());
        }
        Request {
            path: path.to_owned(),
            foreign: false,
            parameters,
            too_long,
        }
    }

    /// Refuses parameters that are too long.
    pub(super) fn check_lengths(&self) -> Result<(), Refusal> {
        if self.too_long {
            return Err(Refusal::bad(format!(
                "a parameter is longer than {LONGEST} bytes"
            )));
        }
        Ok(())
    }

    /// A parameter.
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        self.parameters.get(name).map(String::as_str)
    }

    /// A parameter that must be there.
    pub(super) fn need(&self, name: &str) -> Result<&str, Refusal> {
        let missing = || Refusal::bad(format!("the parameter {name} is missing"));
        self.get(name).ok_or_else(missing)
    }

    /// The FEN, in which blanks may be written as underscores.
    pub(super) fn fen(&self) -> Result<String, Refusal> {
        Ok(self.need("fen")?.replace('_', " "))
    }

    /// A number between two others.
    pub(super) fn number(&self, name: &str, default: u64, most: u64) -> Result<u64, Refusal> {
        let Some(text) = self.get(name) else {
            return Ok(default);
        };
        let number = text.parse().ok().filter(|number| *number <= most);
        number.ok_or_else(|| Refusal::bad(format!("{name}: a number from 0 to {most} is needed")))
    }

    /// The metric, by default the game's usual one.
    pub(super) fn metric<G: TableGame>(&self) -> Result<Metric, Refusal> {
        let name = self.get("metric").map(|name| {
            tb_input::MetricName::from_str(name, true)
                .map_err(|_| Refusal::bad("metric: dtm, dtc or dtz is needed"))
        });
        tb_input::metric_of::<G>(name.transpose()?).map_err(Refusal::bad)
    }

    /// The game of a material or several, as their names show; of such as `all4` as the parameter says.
    pub(super) fn game_of(&self, spec: &str) -> Result<GameName, Refusal> {
        match tb_input::game_of_word(spec) {
            Some(game) => Ok(game),
            None => self.game(),
        }
    }

    /// The game: as the parameter says, else chess.
    pub(super) fn game(&self) -> Result<GameName, Refusal> {
        match self.get("game") {
            None | Some("chess") => Ok(GameName::Chess),
            Some("xiangqi") => Ok(GameName::Xiangqi),
            Some(_) => Err(Refusal::bad("game: chess or xiangqi is needed")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use duchamp_chess_tables::Chess;
    use duchamp_xiangqi_tables::Xiangqi;

    fn request(query: &str) -> Request {
        Request::new("/standard", query)
    }

    #[test]
    fn fens_come_in_three_ways() {
        for query in [
            "fen=8/8/8/8/8/2k5/8/K6R_w_-_-_0_1",
            "fen=8/8/8/8/8/2k5/8/K6R+w+-+-+0+1",
            "fen=8%2F8%2F8%2F8%2F8%2F2k5%2F8%2FK6R%20w%20-%20-%200%201",
        ] {
            assert_eq!(
                request(query).fen().as_deref(),
                Ok("8/8/8/8/8/2k5/8/K6R w - - 0 1")
            );
        }
        assert_eq!(request("").fen().unwrap_err().status, 400);
    }

    #[test]
    fn parameters_are_limited() {
        let long = format!("fen={}", "8".repeat(LONGEST + 1));
        assert!(request(&long).check_lengths().is_err());
        assert!(request("fen=8").check_lengths().is_ok());
        assert_eq!(request("fen=a&fen=b").get("fen"), Some("a"));
        assert_eq!(request("limit=7").number("limit", 50, 100), Ok(7));
        assert_eq!(request("").number("limit", 50, 100), Ok(50));
        for text in ["101", "-1", "x", ""] {
            let request = request(&format!("limit={text}"));
            assert!(request.number("limit", 50, 100).is_err(), "{text}");
        }
    }

    #[test]
    fn metrics_are_of_a_game() {
        let dtz = request("metric=dtz");
        assert_eq!(dtz.metric::<Chess>(), Ok(Metric::Dtz));
        assert!(dtz.metric::<Xiangqi>().is_err());
        assert_eq!(request("").metric::<Xiangqi>(), Ok(Metric::Dtc));
        assert!(request("metric=dth").metric::<Chess>().is_err());
    }
}
