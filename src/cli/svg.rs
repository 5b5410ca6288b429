//! Just enough SVG for pictures of bars, boards and words.

use std::fmt::Write as _;

/// Where a text stands with respect to its point.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

/// The look of a text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Font {
    pub(super) size: u32,
    pub(super) bold: bool,
    pub(super) color: &'static str,
}

/// Ordinary letters.
pub(super) const fn font(size: u32, color: &'static str) -> Font {
    Font {
        size,
        bold: false,
        color,
    }
}

/// Bold letters.
pub(super) const fn bold(size: u32, color: &'static str) -> Font {
    Font {
        size,
        bold: true,
        color,
    }
}

/// The colour of lines and words.
pub(super) const INK: &str = "#2b2f33";
/// That of words that matter less.
pub(super) const FAINT: &str = "#6b7278";
/// That of lines behind a diagram.
pub(super) const GRID: &str = "#e4e7ea";

/// A picture being drawn; lengths are in pixels.
pub(super) struct Svg {
    text: String,
}

impl Svg {
    /// An empty white picture. `title` and `description` are what a screen reader says.
    pub(super) fn new(width: f64, height: f64, title: &str, description: &str) -> Svg {
        let mut text = String::new();
        let _ = write!(
            text,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
             viewBox=\"0 0 {width} {height}\" role=\"img\" \
             font-family=\"'Helvetica Neue', Arial, 'Liberation Sans', sans-serif\">\n\
             <title>{}</title>\n<desc>{}</desc>\n\
             <rect width=\"{width}\" height=\"{height}\" fill=\"#ffffff\"/>\n",
            escape(title),
            escape(description)
        );
        Svg { text }
    }

    /// Adds a pattern of slanted stripes that `url(#name)` fills with.
    pub(super) fn stripes(&mut self, name: &str, ground: &str, stripe: &str) {
        let _ = writeln!(
            self.text,
            "<defs><pattern id=\"{name}\" width=\"5\" height=\"5\" patternUnits=\"userSpaceOnUse\" \
             patternTransform=\"rotate(45)\"><rect width=\"5\" height=\"5\" fill=\"{ground}\"/>\
             <rect width=\"1.6\" height=\"5\" fill=\"{stripe}\"/></pattern></defs>"
        );
    }

    /// A filled rectangle; `tip` shows when the pointer rests on it.
    pub(super) fn bar(
        &mut self,
        [x, y]: [f64; 2],
        [width, height]: [f64; 2],
        fill: &str,
        tip: &str,
    ) {
        let _ = write!(
            self.text,
            "<rect x=\"{x:.2}\" y=\"{y:.2}\" width=\"{width:.2}\" height=\"{height:.2}\" fill=\"{fill}\""
        );
        let _ = match tip {
            "" => writeln!(self.text, "/>"),
            tip => writeln!(self.text, "><title>{}</title></rect>", escape(tip)),
        };
    }

    /// A circle: filled, or only drawn if there is a width of its line.
    pub(super) fn circle(
        &mut self,
        [x, y]: [f64; 2],
        radius: f64,
        color: &str,
        width: Option<f64>,
    ) {
        let look = match width {
            Some(width) => format!("fill=\"none\" stroke=\"{color}\" stroke-width=\"{width}\""),
            None => format!("fill=\"{color}\""),
        };
        let _ = writeln!(
            self.text,
            "<circle cx=\"{x:.2}\" cy=\"{y:.2}\" r=\"{radius:.2}\" {look}/>"
        );
    }

    /// A closed shape with an outline: `path` are commands for a square of 100 x 100 whose corner is put at `[x, y]` and
    /// whose side is made `size`.
    pub(super) fn shape(
        &mut self,
        [x, y]: [f64; 2],
        size: f64,
        path: &str,
        [fill, outline]: [&str; 2],
    ) {
        let _ = writeln!(
            self.text,
            "<path transform=\"translate({x:.2} {y:.2}) scale({:.4})\" d=\"{path}\" fill=\"{fill}\" \
             stroke=\"{outline}\" stroke-width=\"4\" stroke-linejoin=\"round\"/>",
            size / 100.0
        );
    }

    /// A straight line.
    pub(super) fn line(&mut self, [x1, y1]: [f64; 2], [x2, y2]: [f64; 2], color: &str, width: f64) {
        let _ = writeln!(
            self.text,
            "<line x1=\"{x1:.2}\" y1=\"{y1:.2}\" x2=\"{x2:.2}\" y2=\"{y2:.2}\" stroke=\"{color}\" \
             stroke-width=\"{width}\"/>"
        );
    }

    /// A line of text; `[x, y]` is on its base line.
    pub(super) fn words(&mut self, [x, y]: [f64; 2], anchor: Anchor, font: Font, words: &str) {
        let anchor = match anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        let weight = if font.bold {
            " font-weight=\"bold\""
        } else {
            ""
        };
        let _ = writeln!(
            self.text,
            "<text x=\"{x:.2}\" y=\"{y:.2}\" text-anchor=\"{anchor}\" font-size=\"{}\" fill=\"{}\"{weight}>{}</text>",
            font.size,
            font.color,
            escape(words)
        );
    }

    /// A line of text that reads upwards.
    pub(super) fn words_upwards(&mut self, [x, y]: [f64; 2], font: Font, words: &str) {
        let _ = writeln!(
            self.text,
            "<text transform=\"translate({x:.2} {y:.2}) rotate(-90)\" text-anchor=\"middle\" font-size=\"{}\" \
             fill=\"{}\">{}</text>",
            font.size,
            font.color,
            escape(words)
        );
    }

    /// The picture's file.
    pub(super) fn finish(mut self) -> String {
        self.text.push_str("</svg>\n");
        self.text
    }
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}
