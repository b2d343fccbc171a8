use std::ops::RangeInclusive;

use crate::Outcome;

pub enum Form {
    Or,
    And,
    Phrase,
}

/// One query with its filters; windows are inclusive, in epoch milliseconds.
pub struct Question {
    pub form: Form,
    pub limit: usize,
    pub words: String,
    pub acquired: Option<RangeInclusive<i64>>,
    pub published: Option<RangeInclusive<i64>>,
    pub site: Option<String>,
    /// True if the stored fields of each result are read, too.
    pub stored: bool,
}

impl Question {
    /// Reads the cells that `cellsOf` in program-process.ts writes.
    pub fn read(line: &str) -> Outcome<Question> {
        let cells: Vec<&str> = line.split('\t').collect();
        // The cells of fields, sorting and pages follow. No lane with them is asked of tantivy.
        let [form, limit, words, acquired_from, acquired_to, published_from, published_to, site, stored, ..] = cells[..]
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
            stored: stored == "stored",
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
