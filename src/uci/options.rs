//! The names of options, the lines that declare them, and values as text.

use super::vampirc;
use duchamp_engine::{Kind, OptionId, Setting};

/// The name of an option, as GUIs show and send it.
pub(super) const fn name(id: OptionId) -> &'static str {
    match id {
        OptionId::DebugLogFile => "Debug Log File",
        OptionId::Hash => "Hash",
        OptionId::Threads => "Threads",
        OptionId::MultiPv => "MultiPV",
        OptionId::Ponder => "Ponder",
        OptionId::MoveOverhead => "Move Overhead",
        OptionId::ClearHash => "Clear Hash",
        OptionId::Chess960 => "UCI_Chess960",
        OptionId::ShowWdl => "UCI_ShowWDL",
        OptionId::AnalyseMode => "UCI_AnalyseMode",
        OptionId::LimitStrength => "UCI_LimitStrength",
        OptionId::Elo => "UCI_Elo",
        OptionId::EvalFile => "EvalFile",
        OptionId::TablebasePath => "TablebasePath",
        OptionId::StartupMen => "TBStartupMen",
        OptionId::MaxMen => "TBMaxMen",
        OptionId::TableMemory => "TBMemory",
        OptionId::TablesOnDemand => "TBOnDemand",
        OptionId::TableFormat => "TBFormat",
        OptionId::GenerateTables => "GenerateTB",
        OptionId::SyzygyPath => "SyzygyPath",
        OptionId::SyzygyProbeDepth => "SyzygyProbeDepth",
        OptionId::SyzygyProbeLimit => "SyzygyProbeLimit",
        OptionId::SyzygyFiftyMoveRule => "Syzygy50MoveRule",
        OptionId::PawnProofs => "PawnProofs",
        OptionId::PawnProofHash => "PawnProofHash",
        OptionId::FreezerRules => "FreezerRules",
    }
}

/// The option of a name; letters' case does not matter, as the protocol says.
pub(super) fn find(text: &str) -> Option<OptionId> {
    OptionId::ALL
        .into_iter()
        .find(|&id| name(id).eq_ignore_ascii_case(text))
}

/// The `option` lines, in the order of [`OptionId::ALL`].
pub(super) fn lines() -> impl Iterator<Item = String> {
    OptionId::ALL
        .into_iter()
        .map(|id| vampirc::option_line(name(id), id.kind()))
}

/// Reads a value for an option.
///
/// # Errors
/// One line for the user.
pub(super) fn read(id: OptionId, value: Option<&str>) -> Result<Setting, String> {
    let text = value.unwrap_or_default();
    match id.kind() {
        Kind::Check { .. } => match text.to_ascii_lowercase().as_str() {
            "true" | "on" | "1" => Ok(Setting::Flag(true)),
            "false" | "off" | "0" => Ok(Setting::Flag(false)),
            _ => Err(format!(
                "{}: true or false, not {:?}",
                name(id),
                super::text::short(text)
            )),
        },
        Kind::Spin { .. } => match super::text::number(text) {
            Some(number) => Ok(Setting::Number(number)),
            None => Err(format!(
                "{}: a number, not {:?}",
                name(id),
                super::text::short(text)
            )),
        },
        Kind::Choice { words, .. } => {
            let place = words
                .iter()
                .position(|word| word.eq_ignore_ascii_case(text));
            place.map(Setting::Choice).ok_or_else(|| {
                format!(
                    "{}: {}, not {:?}",
                    name(id),
                    words.join(" or "),
                    super::text::short(text)
                )
            })
        }
        // `<empty>` is how GUIs that show our default send it back.
        Kind::Text if text == "<empty>" => Ok(Setting::Text(String::new())),
        Kind::Text => Ok(Setting::Text(text.to_owned())),
        Kind::Button => Ok(Setting::Press),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_option_is_found_by_its_name() {
        for id in OptionId::ALL {
            assert_eq!(find(&name(id).to_uppercase()), Some(id));
        }
        assert_eq!(find("MultiP"), None);
        assert_eq!(lines().count(), OptionId::ALL.len());
    }

    #[test]
    fn values_are_read() {
        assert_eq!(read(OptionId::Hash, Some("64")), Ok(Setting::Number(64)));
        assert_eq!(
            read(OptionId::Hash, Some("99999999999999999999")),
            Ok(Setting::Number(i64::MAX))
        );
        assert!(read(OptionId::Hash, None).is_err());
        assert!(read(OptionId::Hash, Some("many")).is_err());
        assert_eq!(
            read(OptionId::Ponder, Some("TRUE")),
            Ok(Setting::Flag(true))
        );
        assert_eq!(
            read(OptionId::TablebasePath, None),
            Ok(Setting::Text(String::new()))
        );
        assert_eq!(
            read(OptionId::TablebasePath, Some("<empty>")),
            Ok(Setting::Text(String::new()))
        );
        assert_eq!(
            read(OptionId::TableFormat, Some("Both")),
            Ok(Setting::Choice(2))
        );
        assert_eq!(
            read(OptionId::TableFormat, Some("dtz")),
            Err("TBFormat: own or syzygy or both, not \"dtz\"".to_owned())
        );
        assert_eq!(read(OptionId::ClearHash, Some("x")), Ok(Setting::Press));
    }
}
