use std::ops::RangeInclusive;

use crate::Outcome;

pub enum Form {
    Or,
    And,
    Phrase,
}

/// What an answer has of each result: its number alone, also URL, title and publish date, or also a snippet.
#[derive(Clone, Copy, PartialEq)]
pub enum Contents {
    Ids,
    Results,
    Answers,
}

/// One query with its filters; windows are inclusive, in epoch milliseconds.
pub struct Question {
    pub form: Form,
    pub limit: usize,
    pub words: String,
    pub acquired: Option<RangeInclusive<i64>>,
    pub published: Option<RangeInclusive<i64>>,
    pub site: Option<String>,
    pub contents: Contents,
}

impl Question {
    /// Reads the cells that `cellsOf` in program-process.ts writes.
    pub fn read(line: &str) -> Outcome<Question> {
        let cells: Vec<&str> = line.split('\t').collect();
        // The cells of fields, sorting and pages follow. No lane with them is asked of tantivy.
        let [form, limit, words, acquired_from, acquired_to, published_from, published_to, site, contents, ..] =
            cells[..]
        else {
            return Err(format!("a question has at least 9 cells, not {}", cells.len()).into());
        };
        Ok(Question {
            form: match form {
                "or" => Form::Or,
                "and" => Form::And,
                "phrase" => Form::Phrase,
                _ => return Err(format!("unknown form {form}").into()),
            },
            limit: limit.parse()?,
            words: words.to_string(),
            acquired: window(acquired_from, acquired_to)?,
            published: window(published_from, published_to)?,
            site: (!site.is_empty()).then(|| site.to_string()),
            contents: match contents {
                "ids" => Contents::Ids,
                "results" => Contents::Results,
                "answers" => Contents::Answers,
                _ => return Err(format!("unknown contents {contents}").into()),
            },
        })
    }
}

fn window(from: &str, to: &str) -> Outcome<Option<RangeInclusive<i64>>> {
    if from.is_empty() && to.is_empty() {
        return Ok(None);
    }
    let bound = |cell: &str, open: i64| if cell.is_empty() { Ok(open) } else { cell.parse() };
    Ok(Some(bound(from, i64::MIN)?..=bound(to, i64::MAX)?))
}
