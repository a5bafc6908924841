//! One Markdown document of a sidecar: its headings, links, figures and cited
//! digests, with their places. Markers inside fenced text are text. Sole user
//! of the Markdown parser.

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
use std::ops::Range;

/// A heading.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Heading {
    /// From 1 to 6.
    pub level: u8,
    /// Its text without markup.
    pub text: String,
    /// Bytes of the heading in the document.
    pub range: Range<usize>,
}

/// A link to another place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// As written.
    pub target: String,
    /// Bytes of the link in the document.
    pub range: Range<usize>,
}

/// A number that must equal a claim: `` `claim:TEST.PATH = VALUE` ``.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Figure {
    /// The test's name, or `package::target$test`.
    pub test: String,
    /// Dotted path in the claims.
    pub path: String,
    /// The value as written.
    pub value: String,
    /// Bytes of the inline code in the document.
    pub range: Range<usize>,
}

/// A document.
#[derive(Clone, Debug, Default)]
pub struct Document {
    /// File name within the sidecar.
    pub name: String,
    /// The text.
    pub text: String,
    /// SHA-256 of the bytes.
    pub sha256: String,
    /// In order.
    pub headings: Vec<Heading>,
    /// In order.
    pub links: Vec<Link>,
    /// In order.
    pub figures: Vec<Figure>,
    /// Cited receipt digests: `` `receipt:HEX` ``.
    pub citations: Vec<(String, Range<usize>)>,
    /// Inline code that begins like a figure and is none.
    pub malformed: Vec<Range<usize>>,
}

impl Document {
    /// Reads a document.
    #[must_use]
    pub fn parse(name: &str, text: String) -> Self {
        let mut document = Self {
            name: name.to_owned(),
            sha256: crate::json::sha256(text.as_bytes()),
            ..Self::default()
        };
        let mut heading: Option<Heading> = None;
        for (event, range) in Parser::new_ext(&text, Options::ENABLE_TABLES).into_offset_iter() {
            match event {
                Event::Start(Tag::Heading { level, .. }) => {
                    heading = Some(Heading {
                        level: level as u8,
                        text: String::new(),
                        range: trimmed(&text, range),
                    });
                }
                Event::End(TagEnd::Heading(_)) => document.headings.extend(heading.take()),
                Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
                    document.links.push(Link {
                        target: dest_url.to_string(),
                        range,
                    });
                }
                Event::Text(part) => {
                    if let Some(heading) = &mut heading {
                        heading.text.push_str(&part);
                    }
                }
                Event::Code(part) => {
                    if let Some(heading) = &mut heading {
                        heading.text.push_str(&part);
                    }
                    if let Some(claim) = part.strip_prefix("claim:") {
                        match figure(claim, range.clone()) {
                            Some(figure) => document.figures.push(figure),
                            None => document.malformed.push(range),
                        }
                    } else if let Some(digest) = part.strip_prefix("receipt:") {
                        document.citations.push((digest.trim().to_owned(), range));
                    }
                }
                _ => {}
            }
        }
        document.text = text;
        document
    }

    /// The text from a heading to the next one of the same or a higher level.
    #[must_use]
    pub fn section(&self, title: &str) -> Option<&str> {
        let index = self
            .headings
            .iter()
            .position(|heading| heading.text == title)?;
        let heading = &self.headings[index];
        let end = self.headings[index + 1..]
            .iter()
            .find(|next| next.level <= heading.level)
            .map_or(self.text.len(), |next| next.range.start);
        Some(self.text[heading.range.start..end].trim_end())
    }
}

fn figure(claim: &str, range: Range<usize>) -> Option<Figure> {
    let (name, value) = claim.split_once('=')?;
    let name = name.trim();
    // `package::target$test.path`: the path begins after the test's name.
    let start = name.find('$').map_or(0, |at| at + 1);
    let dot = start + name[start..].find('.')?;
    Some(Figure {
        test: name[..dot].to_owned(),
        path: name[dot + 1..].to_owned(),
        value: value.trim().to_owned(),
        range,
    })
}

fn trimmed(text: &str, range: Range<usize>) -> Range<usize> {
    let end = range.start + text[range.clone()].trim_end().len();
    range.start..end
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_links_and_figures_are_found_and_fenced_text_is_text() {
        let text = "# A\n\n## `one`\n\nSee [b](b.md). `claim:t.fibers.A/10 = 938`\n\n```\n## two\n`claim:t.x = 1`\n```\n\n## three\nlast\n";
        let document = Document::parse("catalog.md", text.to_owned());
        let names: Vec<_> = document.headings.iter().map(|h| h.text.as_str()).collect();
        assert_eq!(names, ["A", "one", "three"]);
        assert_eq!(document.links[0].target, "b.md");
        assert_eq!(document.figures.len(), 1);
        assert_eq!(document.figures[0].path, "fibers.A/10");
        assert_eq!(
            &text[document.figures[0].range.clone()],
            "`claim:t.fibers.A/10 = 938`"
        );
        assert!(document.section("one").unwrap().ends_with("```"));
        assert_eq!(document.section("three").unwrap(), "## three\nlast");
    }

    #[test]
    fn a_figure_may_name_the_whole_oracle_and_a_broken_one_is_told() {
        let text = "`claim:p::t$m::test.universe = 5` `claim:nothing`";
        let document = Document::parse("x.md", text.to_owned());
        assert_eq!(document.figures[0].test, "p::t$m::test");
        assert_eq!(document.figures[0].value, "5");
        assert_eq!(document.malformed.len(), 1);
    }
}
