//! A rule file as it is written: keys and values with their places, before anyone asks whether they make sense.

use super::{Goal, Verdict};
use duchamp_chess::Color;
use serde::Deserialize;
use toml::Spanned;

/// The whole file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FileText {
    pub(super) title: Option<String>,
    pub(super) start: Option<Spanned<String>>,
    pub(super) bound: Option<SideText>,
    pub(super) prove: Option<Goal>,
    pub(super) chain: Option<Spanned<i64>>,
    pub(super) tables: Option<TablesText>,
    #[serde(default)]
    pub(super) man: Vec<Spanned<ManText>>,
    #[serde(default)]
    pub(super) capture: Vec<Spanned<CaptureText>>,
    #[serde(default)]
    pub(super) promotion: Vec<Spanned<PromotionText>>,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum SideText {
    White,
    Black,
}

impl From<SideText> for Color {
    fn from(side: SideText) -> Color {
        match side {
            SideText::White => Color::White,
            SideText::Black => Color::Black,
        }
    }
}

/// A text, or a list of them.
#[derive(Deserialize)]
#[serde(untagged, expecting = "expected a string or a list of strings")]
pub(super) enum Texts {
    One(String),
    Many(Vec<String>),
}

impl Texts {
    pub(super) fn as_slice(&self) -> &[String] {
        match self {
            Texts::One(text) => std::slice::from_ref(text),
            Texts::Many(texts) => texts,
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TablesText {
    pub(super) max_men: Option<Spanned<i64>>,
    pub(super) make: Option<bool>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ManText {
    pub(super) at: Option<Spanned<Texts>>,
    pub(super) piece: Option<Spanned<String>>,
    pub(super) squares: Option<Spanned<Texts>>,
    pub(super) outside: Option<Spanned<Verdict>>,
    #[serde(default)]
    pub(super) assume: bool,
    #[serde(default)]
    pub(super) outside_at: Vec<Spanned<OutsideText>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct OutsideText {
    pub(super) squares: Option<Spanned<Texts>>,
    pub(super) verdict: Option<Spanned<Verdict>>,
    #[serde(default)]
    pub(super) assume: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CaptureText {
    pub(super) taken: Option<Spanned<Texts>>,
    pub(super) squares: Option<Spanned<Texts>>,
    pub(super) verdict: Option<Spanned<Verdict>>,
    pub(super) recapture: Option<Spanned<Verdict>>,
    pub(super) second: Option<Spanned<Verdict>>,
    #[serde(default)]
    pub(super) assume: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PromotionText {
    pub(super) side: Option<SideText>,
    pub(super) squares: Option<Spanned<Texts>>,
    pub(super) pieces: Option<Spanned<String>>,
    pub(super) verdict: Option<Spanned<Verdict>>,
    pub(super) taken: Option<Spanned<Verdict>>,
    #[serde(default)]
    pub(super) assume: bool,
}
